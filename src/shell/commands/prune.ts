import type { Command } from "../../core/command/command.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { castListLines } from "../../core/view/cast-list.ts";
import { line } from "../../core/view/line.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { removeCastRefs } from "../git/refs.ts";
import { emptyWorktreePool } from "../git/worktrees/worktree.ts";
import { worktreePool } from "../store/layout.ts";
import { selectPrunable } from "../store/summary.ts";
import type { CommandOutput } from "./command-output.ts";

export async function runPrune(
  workspace: Workspace,
  command: Extract<Command, { kind: "prune" }>,
): Promise<Result<CommandOutput>> {
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
  const lines: CommandOutput["lines"] = (width) =>
    casts.length === 0 ? [line("Nothing to remove.")] : [...castListLines(casts, { now, width }), line(done)];
  return ok({ code: 0, data: { removed: command.yes, casts: removed.value }, lines });
}

/** Removes casts with their checkpoints and [S11] their ownership marks. */
export async function removeCasts(
  { store, place }: Workspace,
  ids: readonly string[],
): Promise<Result<readonly string[]>> {
  const removed = await store.remove(ids);
  if (!removed.ok) return removed;
  const own = createOwnCastRegistry(place.env);
  removed.value.forEach((castId) => own.forget(castId));
  await removeCastRefs(place.cwd, removed.value);
  await emptyWorktreePool(place.cwd, worktreePool(store.location));
  return removed;
}
