import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { errorText } from "../../system/system-error.ts";
import type { Repository } from "../repository.ts";
import { gitErrorText, stdoutParts, runGit } from "../run-git.ts";
import { quarantinePath, runExclusively } from "./worktree.ts";

/** [V31] Working trees that an agent added inside of its own would go with it: they are set aside. The answer is a sentence where that failed. */
export async function quarantineInnerWorktrees(
  { top, commonDir }: Repository,
  tree: string,
): Promise<string | undefined> {
  for (const inner of listInnerWorktrees(commonDir, tree)) {
    const move = ["worktree", "move", "--force", "--force", inner, quarantinePath(tree)];
    const moved = await runExclusively(commonDir, () => runGit(move, { cwd: top }));
    if (!moved.ok) return `the working tree in ${inner} cannot be set aside: ${gitErrorText(moved)}`;
  }
  return undefined;
}

/** Innermost first: git does not follow what lies inside of what it moves. A look at files, so that nobody pays a process. */
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
 * [V31] A repository that an agent made inside of its tree is one name without files to git, or a reason to refuse. Its own
 * folder of git is set aside, so that its files are files like any other. A submodule that is named as one stays one.
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
    // git names a folder that is a repository of its own with a slash behind it.
    const named = stdoutParts(untracked).flatMap((name) => (name.endsWith("/") ? [name.slice(0, -1)] : []));
    const nested = [...new Set([...named.filter((name) => !submodules.has(name)), ...links])];
    if (nested.length === 0) return undefined;
    // A name that is no text cannot be told to anybody: what stands under it is found again and again.
    const shut = nested.find((name) => seen.has(name));
    if (shut !== undefined) return `the repository in ${shut} cannot be opened`;
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

/** Each lies below the place where it was, so that it can be put back. After a kill some are there already. */
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

/** Of `:<mode> <mode> <object> <object> <kind>`, `<name>`, again and again: what is a repository now and was none. */
function newGitlinks(parts: readonly string[]): readonly string[] {
  return parts.filter((_, at) => at % 2 === 1 && /^:(?!160000)\d+ 160000 /.test(parts[at - 1] ?? ""));
}
