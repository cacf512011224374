import { suggest, typed, error, fail, isError, ok, type Issue, type Result } from "../../core/model/issue.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import type { CommandOf } from "../../core/command/command.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { checkCatalog } from "../../core/compile/targets/compile.ts";
import { readAnyFormat, type FormatEdit } from "../../core/catalog/format-0-1.ts";
import { upgradeConfigText } from "../../core/edit/config-text.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { isJsonObject } from "../../core/model/json.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { issueJson, issueLines } from "../../core/view/issues.ts";
import { line, type Line } from "../../core/view/line.ts";
import { readConfigText, parseJson, STARTER_CONFIG } from "../config/config-file.ts";
import { loadConfig, projectConfigFile, findCommandFile } from "../config/config.ts";
import { errorText } from "../system/files.ts";
import { rememberTrust } from "../config/trust.ts";
import { answer, type CommandResult } from "./command-output.ts";

/** [F13] Writes the starter, or the content of `from`, and trusts it. An existing file is left alone. */
export async function runInit(workspace: Workspace, command: CommandOf<"init">, typedIn: string): CommandResult {
  const { startFolder: below, ...project } = workspace.place;
  const from = command.from === undefined ? undefined : resolve(typedIn, command.from);
  // A folder inside a project may become a project itself.
  const place = below === undefined ? project : { ...project, cwd: below };
  const file = projectConfigFile(place.cwd);
  const text = from === undefined ? ok({ text: STARTER_CONFIG, notes: [] }) : convertedText(from, file);
  if (!text.ok) return text;
  const problem = writeNewFile(file, text.value.text);
  if (problem) return fail(problem);
  const { catalog, project: written } = loadConfig(place);
  rememberTrust(place, written?.raw);
  const notes = [...text.value.notes, ...checkCatalog(catalog).issues.filter(isError)];
  const inFolder = place.cwd === typedIn ? "" : ` --cwd ${quoteWord(relative(typedIn, place.cwd))}`;
  const program = `${place.program ?? "materia"}${inFolder}`;
  const shown = relative(place.cwd, file);
  if (from === undefined) return answer({ file }, () => starterLines(shown, program));
  return answer(
    { file, from, issues: notes.map(issueJson) },
    () => [
      line(`Wrote ${shown} from ${sanitizeForTerminal(from)}, in the current form.`),
      ...issueLines(notes),
      line(""),
      line("Next:"),
      line(`  ${program} check      check it, with its worst case`),
      line(`  ${program} loadout    what can be cast`),
    ],
    { code: notes.some(isError) ? 1 : 0 },
  );
}

function writeNewFile(file: string, text: string): Issue | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
    return undefined;
  } catch (thrown) {
    const exists = thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST";
    const hint = suggest`${typed`check`} says whether it is sound`;
    return exists
      ? { ...error("file_exists", "", "the configuration exists already and was not changed", hint), file }
      : { ...error("write_failed", "", `it cannot be written: ${errorText(thrown)}`), file };
  }
}

/** [M8] The content of a file in today's form, for another place. */
function convertedText(
  from: string,
  file: string,
): Result<{ readonly text: string; readonly notes: readonly Issue[] }> {
  const read = readConfigText(from);
  if (!read.ok) return read;
  const source = read.value.text.replace(/^\ufeff/, "");
  const raw = parseJson(from, source);
  const text = upgradeConfigText(source, (value) => relocateCommands(value, dirname(from), dirname(file)));
  if (!raw.ok) return raw;
  if (!text.ok) return text;
  const notes = readAnyFormat(raw.value).issues.filter(({ code }) => code !== "older_format");
  return ok({ text: text.value, notes: notes.map((issue) => ({ ...issue, file: from })) });
}

/** [U39] Programs named relative to the file are renamed relative to its new place. */
function relocateCommands(value: unknown, from: string, to: string): readonly FormatEdit[] {
  const materia = isJsonObject(value) ? value["materia"] : undefined;
  return Object.entries(isJsonObject(materia) ? materia : {}).flatMap(([name, each]) => {
    const command = isJsonObject(each) ? each["command"] : undefined;
    if (!Array.isArray(command)) return [];
    return command.flatMap((word: unknown, index) => {
      const found = typeof word === "string" ? findCommandFile(from, word, index) : undefined;
      if (found === undefined) return [];
      const moved = relative(to, found);
      // Without `./` an argument names no file.
      const spelled = moved.startsWith("../") ? moved : `./${moved}`;
      return [{ path: ["materia", name, "command", index], value: isAbsolute(moved) ? found : spelled }];
    });
  });
}

function starterLines(shown: string, program: string): readonly Line[] {
  return [
    `Wrote ${shown}: a loadout "Fix-And-Review" with one example role.`,
    "",
    "Next:",
    `  ${program} check                    check it, with its worst case`,
    `  ${program} grid Fix-And-Review      see the graph`,
    `  ${program} cast "Fix the typo"      run it (needs a model: see Pi's /login, or --model)`,
    `  ${program} cast --rehearse replies.json "Fix the typo"   run it without a model, with these replies in replies.json:`,
    `    { "replies": { "Build": [{ "text": "done" }], "Reviewer": [{ "json": { "satisfied": true } }] } }`,
  ].map((text) => line(text));
}
