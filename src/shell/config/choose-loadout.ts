import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { readConfigText } from "./config-text.ts";
import { projectConfigFile, userConfigFile, type ConfigContext } from "./config.ts";
import { errorText } from "../system/problem.ts";

/** Sets `activeLoadout` in the project's file where there is one, else in the user's; comments and order stay. The file's path. */
export function setActiveLoadout(place: ConfigContext, name: string): Result<string> {
  const project = projectConfigFile(place.cwd);
  const file = existsSync(project) ? project : userConfigFile(place.env);
  const before = existsSync(file) ? readConfigText(file) : ok({ text: "{}\n" });
  if (!before.ok) return before;
  const { text } = before.value;
  try {
    const edits = modify(text, ["activeLoadout"], name, { formattingOptions: { insertSpaces: true, tabSize: 2 } });
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}.draft`;
    writeFileSync(draft, applyEdits(text, edits));
    renameSync(draft, file);
    return ok(file);
  } catch (thrown) {
    return fail({
      ...error("cannot_write", "activeLoadout", `the choice cannot be kept: ${errorText(thrown)}`),
      file,
    });
  }
}
