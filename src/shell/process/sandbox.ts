import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { SandboxProfile } from "../../core/model/config.ts";
import { valueOr } from "../system/files.ts";
import type { Sandbox } from "../ports.ts";

export type SandboxProfiles = Readonly<Record<string, SandboxProfile>>;

export function findSandbox(profiles: SandboxProfiles, name: string): Sandbox {
  return { name, command: Object.hasOwn(profiles, name) ? profiles[name]?.command : undefined };
}

/** [YP8] The words of a program with the sandbox before them. Throws where it is missing: nothing runs without it. */
export function wrapInSandbox(
  sandbox: Sandbox | undefined,
  words: readonly [string, ...string[]],
  cwd: string,
): readonly [string, ...string[]] {
  if (!sandbox) return words;
  if (!sandbox.command) throw new Error(`the configuration of this user has no sandbox "${sandbox.name}"`);
  const values: Readonly<Record<string, () => string>> = {
    cwd: () => realpathSync(cwd),
    home: () => homedir(),
    gitDir: () => findGitFolder(realpathSync(cwd)),
  };
  const fill = (word: string) => word.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name]?.() ?? whole);
  const [program = "", ...args] = sandbox.command.map(fill);
  return [program, ...args, ...words];
}

/** The folder that commits go to. Agents may write `.git` in their tree: a file counts only if that folder knows it. */
function findGitFolder(cwd: string): string {
  for (let at = cwd; ; at = dirname(at)) {
    const git = join(at, ".git");
    const found = lstatSync(git, { throwIfNoEntry: false });
    if (found) return found.isDirectory() ? git : (commonFolder(git) ?? cwd);
    if (dirname(at) === at) return cwd;
  }
}

function commonFolder(file: string): string | undefined {
  const read = (path: string): string => readFileSync(path, "utf8").trim();
  return valueOr(() => {
    const folder = resolve(dirname(file), read(file).replace(/^gitdir: /, ""));
    if (realpathSync(read(join(folder, "gitdir"))) !== file) return undefined;
    return realpathSync(resolve(folder, read(join(folder, "commondir"))));
  }, undefined);
}
