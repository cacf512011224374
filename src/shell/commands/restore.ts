import { failWith, suggest, typed, error, fail, ok } from "../../core/model/issue.ts";
import { basename, dirname, join, resolve } from "node:path";
import type { CommandOf } from "../../core/command/command.ts";
import { sanitizeForTerminal, countedText } from "../../core/model/text.ts";
import { line, toned } from "../../core/view/line.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { treeOf } from "../git/diff.ts";
import { restoreInPlace, restoreToFolder, type RestoreOutcome } from "../git/restore.ts";
import { answer, type CommandResult } from "./command-output.ts";
import { loadCastFiles, findSpan, type StoredCastFiles } from "./diff.ts";

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
  const pulls = `${pointers} of them are pointers of git-lfs: "git lfs pull" there`;
  return answer({ castId, commit, folder, files, pointers }, () => [
    line(
      `${countedText(files, "file")} as of ${commit.slice(0, 12)} in `,
      toned("strong", sanitizeForTerminal(folder)),
    ),
    ...(pointers > 0 ? [line(toned("rework", pulls))] : []),
    ...(command.here ? [] : [line(toned("dim", `Remove it with: ${sanitizeForTerminal(remove)}`))]),
  ]);
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
  const shown = refused.paths.slice(0, MOST_NAMED).join(", ");
  const more = refused.paths.length > MOST_NAMED ? `, and ${refused.paths.length - MOST_NAMED} more` : "";
  const texts: Readonly<Record<typeof refused.why, readonly [message: string, hint: string]>> = {
    folder_not_empty: ["this folder is not empty", "name another with --to"],
    dirty_worktree: ["the working tree has changes that would be lost: ", `commit or stash them, or ${otherWay}`],
    path_occupied: ["these files would be overwritten: ", `move them away, or ${otherWay}`],
  };
  const [message, hint] = texts[refused.why];
  const names = refused.why === "folder_not_empty" ? "" : `${shown}${more}`;
  return error(refused.why, folder, `${message}${names}`, hint);
}
