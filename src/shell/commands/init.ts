import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { line } from "../../core/view/text/line.ts";
import { loadConfig, projectConfigFile } from "../config/config.ts";
import type { ConfigPlace } from "../config/config.ts";
import { problemText } from "../system/problem.ts";
import { STARTER } from "../config/starter.ts";
import { rememberTrust } from "../config/trust.ts";
import type { Answer } from "./answer/answer.ts";

/** [F13] Writes the starter and trusts it, because it was just written; an existing file is left alone. */
export function init({ below, ...project }: ConfigPlace): Result<Answer> {
  // A folder inside a project may become one of its own.
  const place = below === undefined ? project : { ...project, cwd: below };
  const file = projectConfigFile(place.cwd);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, STARTER, { flag: "wx" });
  } catch (thrown) {
    const exists = thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST";
    if (exists)
      return fail({
        ...error(
          "exists",
          "",
          "there is a configuration already; it was left as it is",
          `"materia check" says whether it is sound`,
        ),
        file,
      });
    return fail({ ...error("cannot_write", "", `it cannot be written: ${problemText(thrown)}`), file });
  }
  rememberTrust(place, loadConfig(place).project?.raw);
  return ok({
    code: 0,
    data: { file },
    lines: () =>
      [
        `Wrote ${relative(place.cwd, file)}: a loadout "Fix-And-Review" with one role of your own.`,
        "",
        "Next:",
        "  materia check                    is it sound, and how many turns can it take?",
        "  materia grid Fix-And-Review      see the graph",
        '  materia cast "Fix the typo"      run it (needs a model: see Pi\'s /login, or --model)',
        '  materia cast --rehearse replies.json "Fix the typo"   run it without a model:',
        `    { "replies": { "Build": [{ "text": "done" }], "Reviewer": [{ "json": { "satisfied": true } }] } }`,
      ].map((text) => line(text)),
  });
}
