import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { valueOr } from "../system/files.ts";

/** Settings of a repository's own configuration that name a program which git starts when it touches files. */
const PROGRAM_SETTINGS = "^(filter\\.|merge\\..*\\.driver$|diff\\.(external$|.*\\.(command|textconv)$)|hook\\.)";

/** Sections that may have such a setting, also in another file. */
const PROGRAM_SECTIONS = /\[\s*(filter|merge|diff|hook|include)/i;

type Settings = readonly (readonly [key: string, value: string])[];

const settingsByFiles = new Map<string, { readonly text: string; readonly settings: Settings }>();

/** [V47] Turns off programs that the repository's own configuration names. `list` runs git with nothing turned off. */
export async function repositoryProgramsOff(
  cwd: string,
  list: (args: readonly string[]) => Promise<Buffer | undefined>,
): Promise<Settings> {
  const files = configFilesAround(cwd);
  const text = files.map(readOrEmpty).join("\n");
  if (!PROGRAM_SECTIONS.test(text)) return [];
  const key = files.join("\0");
  const before = settingsByFiles.get(key);
  if (before?.text === text) return before.settings;
  const args = ["config", "--null", "--show-scope", "--includes", "--get-regexp", PROGRAM_SETTINGS];
  const settings = settingsOff((await list(args)) ?? Buffer.alloc(0));
  // Included files may change unnoticed.
  if (!/\[\s*include/i.test(text)) settingsByFiles.set(key, { text, settings });
  return settings;
}

/** As variables: a name may have any character, and `-c` would cut it at the first `=`. */
export function settingVariables(settings: Settings): Readonly<Record<string, string>> {
  if (settings.length === 0) return {};
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(entries) };
}

/** An empty merge driver would drop one side. */
const TEXT_MERGE = "git merge-file --marker-size=%L %A %O %B";

function settingsOff(listed: Buffer): Settings {
  const parts = listed.toString("utf8").split("\0");
  const own = new Set<string>();
  const ofPerson = new Map<string, string>();
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = "", ...value] = (parts[at + 1] ?? "").split("\n");
    if (parts[at] === "local" || parts[at] === "worktree") own.add(key);
    else ofPerson.set(key, value.join("\n"));
  }
  return [...own].map((key) => {
    const asPerson = ofPerson.get(key);
    return asPerson === undefined ? settingOff(key) : ([key, asPerson] as const);
  });
}

function settingOff(key: string): readonly [key: string, value: string] {
  if (key.startsWith("merge.")) return [key, TEXT_MERGE];
  // Newer versions of git take hooks from the configuration too.
  if (key.startsWith("hook.")) return [`${key.slice(0, key.lastIndexOf("."))}.enabled`, "false"];
  return [key, key.endsWith(".required") ? "false" : ""];
}

function configFilesAround(folder: string): readonly string[] {
  const git = join(folder, ".git");
  const found = statSync(git, { throwIfNoEntry: false });
  if (found) {
    const linked = found.isFile() ? /^gitdir: (.+)$/m.exec(readOrEmpty(git))?.[1] : undefined;
    const gitDir = linked === undefined ? git : resolve(folder, linked.trim());
    const shared = readOrEmpty(join(gitDir, "commondir")).trim();
    return [join(gitDir, shared === "" ? "." : shared, "config"), join(gitDir, "config.worktree")];
  }
  if (statSync(join(folder, "HEAD"), { throwIfNoEntry: false })?.isFile()) return [join(folder, "config")];
  const above = dirname(folder);
  return above === folder ? [] : configFilesAround(above);
}

export function readOrEmpty(file: string): string {
  // A pipe would block for ever.
  return valueOr(() => (statSync(file).isFile() ? readFileSync(file, "utf8") : ""), "");
}
