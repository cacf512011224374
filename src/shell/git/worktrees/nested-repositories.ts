import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { errorText } from "../../system/system-error.ts";
import type { Repository } from "../repository.ts";
import { gitErrorText, stdoutParts, runGit } from "../run-git.ts";
import { quarantinePath, runExclusively } from "./worktree.ts";

/** [V31] Quarantines working trees that an agent added inside its own: they would be removed with it. Returns a problem if that failed. */
export async function quarantineInnerWorktrees(
  { top, commonDir }: Repository,
  tree: string,
): Promise<string | undefined> {
  for (const inner of listInnerWorktrees(commonDir, tree)) {
    const move = ["worktree", "move", "--force", "--force", inner, quarantinePath(tree)];
    const moved = await runExclusively(commonDir, () => runGit(move, { cwd: top }));
    if (!moved.ok) return `cannot move the working tree ${inner} aside: ${gitErrorText(moved)}`;
  }
  return undefined;
}

/** Innermost first: git does not update trees inside a moved one. Reads files only, which costs no process. */
function listInnerWorktrees(commonDir: string, tree: string): readonly string[] {
  const registered = join(commonDir, "worktrees");
  if (!existsSync(registered) || !existsSync(tree)) return [];
  const below = `${realpathSync(tree)}${sep}`;
  const places = readdirSync(registered).flatMap((name) => registeredFolder(join(registered, name)));
  return places
    .filter((place) => place.startsWith(below) && existsSync(place))
    .toSorted((one, other) => other.length - one.length);
}

function registeredFolder(gitDir: string): readonly string[] {
  try {
    return [dirname(resolve(gitDir, readFileSync(join(gitDir, "gitdir"), "utf8").trim()))];
  } catch {
    return [];
  }
}

export interface NestedRepositoriesRequest {
  readonly tree: string;
  readonly base: string;
  /** Names the index that the work is added to. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * [V31] To git a repository that an agent made inside its tree is one entry without files, or an error. Its git folder is
 * quarantined, so that its files become ordinary files. A registered submodule stays one.
 */
export async function absorbNestedRepositories({
  tree,
  base,
  env,
}: NestedRepositoriesRequest): Promise<string | undefined> {
  const call = { cwd: tree, env };
  const submodules = await listSubmodules(tree);
  const seen = new Set<string>();
  for (;;) {
    const untracked = await runGit(["ls-files", "-z", "--others", "--exclude-standard", "--", ":/"], call);
    const staged = await runGit(["diff-index", "--cached", "-z", "--no-renames", base, "--"], call);
    if (!untracked.ok || !staged.ok) return gitErrorText(untracked.ok ? staged : untracked);
    const links = newGitlinks(stdoutParts(staged)).filter((name) => !submodules.has(name));
    // git prints a nested repository with a trailing slash.
    const named = stdoutParts(untracked).flatMap((name) => (name.endsWith("/") ? [name.slice(0, -1)] : []));
    const nested = [...new Set([...named.filter((name) => !submodules.has(name)), ...links])];
    if (nested.length === 0) return undefined;
    // A name that is not text cannot be passed on: the repository would be found again and again.
    const shut = nested.find((name) => seen.has(name));
    if (shut !== undefined) return `cannot open the repository ${shut}`;
    for (const name of nested) seen.add(name);
    const unmoved = quarantineGitFolders(tree, nested);
    if (unmoved !== undefined) return unmoved;
    const input = links.map((name) => `${name}\0`).join("");
    const dropped = await runGit(["update-index", "-z", "--force-remove", "--stdin"], { ...call, input });
    if (!dropped.ok) return gitErrorText(dropped);
  }
}

async function listSubmodules(tree: string): Promise<ReadonlySet<string>> {
  if (!existsSync(join(tree, ".gitmodules"))) return new Set();
  const ask = ["config", "--file", ".gitmodules", "--null", "--get-regexp", "^submodule\\..*\\.path$"];
  const paths = stdoutParts(await runGit(ask, { cwd: tree })).map((entry) => entry.slice(entry.indexOf("\n") + 1));
  return new Set(paths);
}

/** Each is below its former path, so that it can be put back. After a kill some are there already. */
function quarantineGitFolders(tree: string, nested: readonly string[]): string | undefined {
  const aside = quarantinePath(tree);
  try {
    for (const name of nested.filter((each) => existsSync(join(tree, each, ".git")))) {
      mkdirSync(join(aside, name), { recursive: true, mode: 0o700 });
      renameSync(join(tree, name, ".git"), join(aside, name, ".git"));
    }
    return undefined;
  } catch (thrown) {
    return errorText(thrown);
  }
}

/** Parses `:<mode> <mode> <object> <object> <kind>`, `<name>`, …: entries that became repositories. */
function newGitlinks(parts: readonly string[]): readonly string[] {
  return parts.filter((_, at) => at % 2 === 1 && /^:(?!160000)\d+ 160000 /.test(parts[at - 1] ?? ""));
}
