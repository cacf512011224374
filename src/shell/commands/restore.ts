import { failWith, suggest, typed, error, fail, ok } from "../../core/model/issue.ts";
import { basename, dirname, join, resolve } from "node:path";
import type { CommandOf } from "../../core/command/command.ts";
import { sanitizeForTerminal, countedText } from "../../core/model/text.ts";
import { line, toned } from "../../core/view/line.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { treeOf } from "../git/diff.ts";
import { restoreInPlace, restoreToFolder, type RestoreOutcome } from "../git/restore.ts";
import type { CommandResult } from "./command-output.ts";
import { loadCastFiles, findSpan, type StoredCastFiles } from "./cast-files.ts";

/** [Y8, Y15] Restores files to a separate working tree, or here if nothing would be lost. */
export async function runRestore(
  workspace: Workspace,
  command: CommandOf<"restore">,
  from: string,
  otherWay = "restore into another folder with --to",
): CommandResult {
  const tree = await loadCastFiles(workspace, command.castId);
  if (!tree.ok) return tree;
  const { spans, repository, castId } = tree.value;
  const span = command.visit === undefined ? ok(spans.whole) : findSpan(tree.value, command.visit);
  if (!span.ok) return span;
  const { to: commit } = span.value;
  const apart = command.to === undefined ? siblingFolder(tree.value, command.visit) : resolve(from, command.to);
  const folder = command.here ? repository.top : apart;
  const owner = command.here ? await workspace.store.owner(castId) : undefined;
  if (owner) {
    const hint = suggest`stop it with ${typed`abort ${castId}`}`;
    return failWith("cast_running", castId, "this cast is running and uses its files", hint);
  }
  const restored = command.here
    ? await restoreInPlace(repository, {
        commit,
        savedTrees: await knownTrees(tree.value),
        exclude: [workspace.store.location],
      })
    : await restoreToFolder(repository, commit, folder);
  if (restored.kind !== "restored") return fail(restoreIssue(restored, folder, otherWay));
  const { files, pointers } = restored;
  const remove = `git worktree remove ${JSON.stringify(folder)}`;
  return ok({
    code: 0,
    data: { castId, commit, folder, files, pointers },
    lines: () => [
      line(
        `${countedText(files, "file")} as of ${commit.slice(0, 12)} in `,
        toned("strong", sanitizeForTerminal(folder)),
      ),
      ...(pointers > 0
        ? [line(toned("rework", `${pointers} of them are pointers of git-lfs: "git lfs pull" there`))]
        : []),
      ...(command.here ? [] : [line(toned("dim", `Remove it with: ${sanitizeForTerminal(remove)}`))]),
    ],
  });
}

/** Beside the repository, never inside it: a test runner there would find every test twice. */
function siblingFolder({ castId, repository: { top } }: StoredCastFiles, visit: string | undefined): string {
  const place = visit === undefined ? "" : `-${visit.replaceAll(/[^\w-]/g, "-")}`;
  return join(dirname(top), `${basename(top)}-${castId}${place}`);
}

/** Trees that are stored already: overwriting them loses nothing. */
async function knownTrees({ spans, repository }: StoredCastFiles): Promise<ReadonlySet<string>> {
  const commits = new Set([repository.head, spans.whole.from, spans.whole.to, ...spans.visits.map(({ to }) => to)]);
  const trees = await Promise.all([...commits].map((commit) => treeOf(repository.top, commit)));
  return new Set(trees.filter((tree) => tree !== undefined));
}

const MOST_NAMED = 10;

function restoreIssue(refused: Exclude<RestoreOutcome, { kind: "restored" }>, folder: string, otherWay: string) {
  if (refused.kind === "failed") return error("git_failed", folder, `git cannot do it: ${refused.problem}`);
  const names = refused.paths.slice(0, MOST_NAMED).join(", ");
  const more = refused.paths.length > MOST_NAMED ? `, and ${refused.paths.length - MOST_NAMED} more` : "";
  switch (refused.why) {
    case "folder_not_empty":
      return error("folder_not_empty", folder, "this folder is not empty", "name another with --to");
    case "dirty_worktree":
      return error(
        "dirty_worktree",
        folder,
        `the working tree has changes that would be lost: ${names}${more}`,
        `commit or stash them, or ${otherWay}`,
      );
    case "path_occupied":
      return error(
        "path_occupied",
        folder,
        `these files would be overwritten: ${names}${more}`,
        `move them away, or ${otherWay}`,
      );
  }
}
