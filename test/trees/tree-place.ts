import { join } from "node:path";
import { materia, repositoryPlace, writes } from "../git/cast-place.ts";
import { git, personsView } from "../git/scratch.ts";
import type { Ran } from "../harness/cli.ts";

/** A graph of one agent. */
const ONE = { loadouts: { Small: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Make" } } } } };

/** A repository whose casts write these files. */
export function treePlace(files: Readonly<Record<string, string>> = { "new.txt": "new\n" }, config = {}): string {
  return repositoryPlace({ Make: [writes(files)] }, { ...ONE, ...config });
}

export function castApart(cwd: string, ...options: readonly string[]): Promise<Ran> {
  return materia(cwd, ["cast", "--worktree", ...options, "--rehearse", join(cwd, "../home/replies.json"), "do it"]);
}

/** The branch of a cast, its commits since main, newest first, and the files of the newest. */
export function branchOf(cwd: string, castId: string) {
  const branch = `refs/heads/materia/${castId}`;
  return {
    subjects: git(cwd, "log", "--format=%s", `main..${branch}`).split("\n").filter(Boolean),
    names: git(cwd, "ls-tree", "-r", "--name-only", branch).split("\n"),
  };
}

/** What a person would notice, without the branches of casts. */
export function viewWithoutCasts(cwd: string): readonly string[] {
  return personsView(cwd).map((part) =>
    part
      .split("\n")
      .filter((line) => !line.startsWith("refs/heads/materia/"))
      .join("\n"),
  );
}

/** The folders of the working trees that git knows, without the first. */
export function otherTrees(cwd: string): readonly string[] {
  const lines = git(cwd, "worktree", "list", "--porcelain").split("\n");
  return lines.flatMap((line) => (line.startsWith("worktree ") ? [line.slice(9)] : [])).slice(1);
}
