import { parseCastId } from "../../core/model/ids.ts";
import type { CommandOf } from "../../core/command/command.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { castListLines } from "../../core/view/cast-list.ts";
import { line } from "../../core/view/line.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { removeCastRefs } from "../git/refs.ts";
import { discardOwnWorktree } from "../git/worktrees/own-worktree.ts";
import { emptyWorktreePool } from "../git/worktrees/worktree.ts";
import { dropFromQueue } from "../store/files/queue.ts";
import { worktreePool } from "../store/layout.ts";
import { selectPrunable } from "../store/summary.ts";
import { ownWorktreeOf } from "./take.ts";
import { answer, type CommandResult } from "./command-output.ts";

export async function runPrune(workspace: Workspace, command: CommandOf<"prune">): CommandResult {
  const { store, fleet } = workspace;
  if (fleet) {
    const message = "casts of a fleet cannot be removed here; ask the administrator of its database";
    return failWith("unsupported_on_fleet", "prune", message);
  }
  const now = Date.now();
  const listed = await store.list();
  if (!listed.ok) return listed;
  const casts = selectPrunable(listed.value, command, now);
  const ids = casts.map(({ castId }) => castId);
  const removed = command.yes ? await removeCasts(workspace, ids) : ok(ids);
  if (!removed.ok) return removed;
  const count = removed.value.length;
  const done = command.yes ? `Removed ${count}.` : `${count} would be removed; add --yes to remove them.`;
  return answer({ removed: command.yes, casts: removed.value }, (width) =>
    casts.length === 0 ? [line("Nothing to remove.")] : [...castListLines(casts, { now, width }), line(done)],
  );
}

/** Removes casts with their checkpoints and [S11] their ownership marks. [YT10] Work that nobody took stays on its branch. */
export async function removeCasts(workspace: Workspace, ids: readonly string[]): Promise<Result<readonly string[]>> {
  const { store, place } = workspace;
  const removable: string[] = [];
  for (const id of ids) if (await saveUntakenWork(workspace, id)) removable.push(id);
  const removed = await store.remove(removable);
  if (!removed.ok) return removed;
  const own = createOwnCastRegistry(place.env);
  removed.value.forEach((castId) => own.forget(castId));
  dropFromQueue(workspace.root, removed.value);
  await removeCastRefs(place.cwd, removed.value);
  await emptyWorktreePool(place.cwd, worktreePool(store.location));
  return removed;
}

/** Returns false if the only copy of the work would be lost. */
async function saveUntakenWork(workspace: Workspace, id: string): Promise<boolean> {
  const castId = parseCastId(id);
  const file = castId && (await workspace.store.readCastFile(castId));
  if (!file?.ok || !file.value.ownWorktree || (await workspace.store.owner(file.value.castId))) return true;
  return discardOwnWorktree(await ownWorktreeOf(workspace, file.value, file.value.ownWorktree));
}
