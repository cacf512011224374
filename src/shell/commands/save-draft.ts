import type { Draft } from "../../core/draft/draft.ts";
import { withEntry } from "../../core/edit/config-text.ts";
import { LOADOUT_EXPANDED_LEVELS, printJson } from "../../core/edit/json-edit.ts";
import { error, failWith, ok, type Result } from "../../core/model/issue.ts";
import { isJsonObject, type JsonObject } from "../../core/model/json.ts";
import { failAt, parseJson, readConfigText, writeConfigText } from "../config/config-file.ts";
import { projectConfigFile, userConfigFile, type ConfigContext } from "../config/config.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The file named with --config, else that of the project; that of the user where the project is not trusted. */
function draftFile({ explicitFile, withoutProject, env, cwd }: ConfigContext): string {
  return explicitFile ?? (withoutProject ? userConfigFile(env) : projectConfigFile(cwd));
}

/** [YD9] Names that exist are refused before an agent is asked. */
export function checkDraftName({ catalog }: Workspace, name: string, refines: string | undefined): Result<undefined> {
  if (!/^[^\p{Cc}]{1,60}$/u.test(name)) return failWith("bad_name", "--save", "a name has 1 to 60 characters");
  if (!catalog.loadouts.has(name) || name === refines) return ok(undefined);
  return failWith("bad_name", "--save", `a loadout "${name}" exists`, "choose another name");
}

/** [YD9] Writes the loadout and its new materia into the file as it is now; comments and order stay. */
export function saveDraft(place: ConfigContext, draft: Draft, name: string): Result<string> {
  const file = draftFile(place);
  const read = readConfigText(file);
  if (!read.ok && read.issues[0]?.code !== "missing_file") return read;
  const before = read.ok ? read.value.text : "";
  const present = before.trim() === "" ? ok({}) : parseJson(file, before);
  if (!present.ok) return present;
  const materia = Object.entries(section(draft.config, "materia"));
  const [loadout] = Object.values(section(draft.config, "loadouts"));
  const taken = materia.map(([key]) => key).find((key) => key in section(present.value, "materia"));
  // The file may have changed since the draft was checked.
  if (taken !== undefined)
    return failAt(
      file,
      error("file_changed", ["materia", taken], "the file has a materia of this name now", "draft it again"),
    );
  if (loadout === undefined) return failWith("bad_draft", "loadouts", "the draft has no loadout");
  let text: Result<string> = ok(before);
  for (const [key, value] of materia)
    text = text.ok ? withEntry(text.value, "materia", key, printJson(value, "", 1)) : text;
  text = text.ok ? withEntry(text.value, "loadouts", name, printJson(loadout, "", LOADOUT_EXPANDED_LEVELS)) : text;
  if (!text.ok) return text;
  const root = file === projectConfigFile(place.cwd) ? place.cwd : undefined;
  const written = writeConfigText(file, text.value, { root, isNew: !read.ok });
  return written.ok ? ok(file) : written;
}

function section(value: unknown, key: "materia" | "loadouts"): JsonObject {
  const own = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(own) ? own : {};
}
