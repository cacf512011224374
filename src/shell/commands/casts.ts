import type { Command } from "../../core/command/command.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { assertNever } from "../../core/model/assert-never.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { boardLines, castBoard } from "../../core/view/progress/board.ts";
import { castListLines, deliveryLines } from "../../core/view/cast-list.ts";
import { waitGroupText, groupByWaitReason, type QueuedCast } from "../../core/view/progress/fleet-status.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import { foreignCastMarker } from "../workspace/foreign-casts.ts";
import { findCast, findOwnCast, type RequestedCast } from "../workspace/find-cast.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { removeCastRefs } from "../git/refs.ts";
import { emptyWorktreePool } from "../git/worktrees/worktree.ts";
import { worktreePool } from "../store/layout.ts";
import { selectPrunable } from "../store/summary.ts";
import type { CommandOutput } from "./command-output.ts";
import {
  unservedQueueLine,
  queuePositionLines,
  setupLines,
  foreignLines,
  foreignField,
  castLineage,
  programOption,
} from "./status-lines.ts";
import { totalTokens } from "../../core/cast/state/usage.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastStore } from "../store/cast-store.ts";
import { readCastState, recordEvents } from "../casting/record-events.ts";
import { abortCast } from "../casting/abort-cast.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

type CastsCommand = Extract<Command, { kind: "casts" | "prune" | "status" | "budget" }>;

/** Commands that read casts, from any process, without disturbing the process that runs them. */
export async function runCastsCommand(command: CastsCommand, workspace: Workspace): Promise<Result<CommandOutput>> {
  switch (command.kind) {
    case "casts":
      return listCasts(workspace);
    case "prune":
      return pruneCasts(workspace, command);
    case "status":
      return showStatus(workspace, command.castId);
    case "budget":
      return showBudget(workspace, command);
    default:
      return assertNever(command);
  }
}

async function listCasts(workspace: Workspace): Promise<Result<CommandOutput>> {
  const { store } = workspace;
  const { program = "materia" } = programOption(workspace);
  const listed = await store.list();
  if (!listed.ok) return listed;
  const casts = await Promise.all(listed.value.map(foreignCastMarker(workspace)));
  // [B26] demo cannot run on a fleet.
  const other = workspace.fleet ? "" : `, or see "${program} demo"`;
  const none = line(
    `No casts yet under ${sanitizeForTerminal(store.location)}. Start one with "${program} cast <prompt>"${other}.`,
  );
  const waits = await readQueuedCasts(workspace, listed.value);
  const missing = await unservedQueueLines(workspace, listed.value);
  const lines: CommandOutput["lines"] = (width) =>
    casts.length === 0
      ? [none]
      : [...castListLines(casts, { now: Date.now(), width }), ...waitReasonLines(waits), ...missing];
  const why = new Map(waits.map((cast) => [cast.castId, cast.why]));
  const data = casts.map((cast) => ({ ...cast, ...(why.has(cast.castId) ? { waits: why.get(cast.castId) } : {}) }));
  return ok({ code: 0, data, lines });
}

/** [B29] The listed casts that wait for a worker, each with its reason. */
async function readQueuedCasts({ fleet }: Workspace, casts: readonly CastSummary[]): Promise<readonly QueuedCast[]> {
  const queued = new Set(casts.filter(({ status: stands }) => stands === "queued").map(({ castId }) => castId));
  if (!fleet || queued.size === 0) return [];
  const standing = await fleet.status();
  return standing.ok ? standing.value.queue.filter(({ castId }) => queued.has(castId)) : [];
}

/** If no worker serves the queue, name the command that starts one. */
function waitReasonLines(waits: readonly QueuedCast[]): readonly Line[] {
  const groups = groupByWaitReason(waits.filter(({ why }) => why.kind !== "nobody_up"));
  return groups.map((group) => line(toned("wait", waitGroupText(group))));
}

async function unservedQueueLines({ fleet }: Workspace, casts: readonly CastSummary[]): Promise<readonly Line[]> {
  if (!fleet || casts.every(({ status: stands }) => stands !== "queued")) return [];
  return (await fleet.unservedQueues()).map((queue) => unservedQueueLine(fleet.name, queue));
}

async function showStatus(workspace: Workspace, named: string | undefined): Promise<Result<CommandOutput>> {
  const { store } = workspace;
  const id = await findCast(store, named);
  if (!id.ok) return id;
  const cast = await store.current(id.value);
  if (!cast.ok) return cast;
  const { file, timeline: trail } = cast.value;
  const summary = await store.summary(id.value);
  const alive = summary?.status === "queued" ? "queued" : (await store.owner(id.value)) !== undefined;
  const board = castBoard(trail, { now: Date.now(), alive, lineage: castLineage(file), ...programOption(workspace) });
  const queued = await workspace.fleet?.queuePosition(id.value);
  return ok({
    code: 0,
    data: {
      ...summary,
      ...board,
      ...(queued ? { queued } : {}),
      runDir: store.locationOf(id.value),
      ...foreignField(workspace, file),
    },
    lines: (width) => [
      ...boardLines(board, width),
      ...blockedLines(summary),
      ...queuePositionLines(queued, workspace.fleet?.name),
      ...setupLines(summary?.settingUp, Date.now()),
      ...deliveryLines(summary?.delivered),
      ...foreignLines(workspace, file),
    ],
  });
}

/** [B16] Say why no worker took the cast. */
function blockedLines(summary: CastSummary | undefined): readonly Line[] {
  if (summary?.status !== "queued" || summary.blocked === undefined) return [];
  return [line(toned("rework", `No worker could begin it: ${sanitizeForTerminal(summary.blocked)}`))];
}

async function pruneCasts(
  { store, place, fleet }: Workspace,
  command: Extract<Command, { kind: "prune" }>,
): Promise<Result<CommandOutput>> {
  if (fleet)
    return fail(
      error(
        "unsupported_on_fleet",
        "prune",
        "casts of a fleet cannot be removed here; ask the administrator of its database",
      ),
    );
  const now = Date.now();
  const listed = await store.list();
  if (!listed.ok) return listed;
  const casts = selectPrunable(listed.value, command, now);
  const ids = casts.map(({ castId }) => castId);
  const removed = command.yes ? await store.remove(ids) : ok(ids);
  if (!removed.ok) return removed;
  // [S11] Remove the ownership marks of deleted casts too.
  const own = createOwnCastRegistry(place.env);
  if (command.yes) {
    removed.value.forEach((castId) => own.forget(castId));
    await removeCastRefs(place.cwd, removed.value);
    await emptyWorktreePool(place.cwd, worktreePool(store.location));
  }
  const count = removed.value.length;
  const done = command.yes ? `Removed ${count}.` : `${count} would be removed; add --yes to remove them.`;
  const lines: CommandOutput["lines"] = (width) =>
    casts.length === 0 ? [line("Nothing to remove.")] : [...castListLines(casts, { now, width }), line(done)];
  return ok({ code: 0, data: { removed: command.yes, casts: removed.value }, lines });
}

async function showBudget(
  workspace: Workspace,
  { castId, tokens }: Extract<Command, { kind: "budget" }>,
): Promise<Result<CommandOutput>> {
  const id = await findCast(workspace.store, castId);
  if (!id.ok) return id;
  const { fleet } = workspace;
  const raised = fleet && tokens !== undefined ? await fleet.raiseBudget(id.value, tokens) : ok(undefined);
  if (!raised.ok) return raised;
  const figures = await changeBudget(workspace.store, id.value, fleet ? undefined : tokens);
  if (!figures.ok) return figures;
  const { maxTokens, maxCostUsd, tokens: used, cost } = figures.value;
  const dollars = `$${cost.toFixed(2)} of ${maxCostUsd === null ? "unlimited" : `$${maxCostUsd}`}`;
  const text = `${id.value}: ${used} of ${maxTokens ?? "unlimited"} tokens, ${dollars}`;
  return ok({ code: 0, data: figures.value, lines: () => [line(text)] });
}

export interface BudgetFigures {
  readonly maxTokens: number | null;
  readonly maxCostUsd: number | null;
  readonly tokens: number;
  readonly cost: number;
}

/** Shows the budget of a cast; with a number, sets it for this cast only. */
async function changeBudget(
  store: CastStore,
  castId: CastId,
  tokens: number | undefined,
): Promise<Result<BudgetFigures>> {
  const cast = await readCastState(store, castId);
  if (!cast.ok) return cast;
  const state = cast.value;
  if (tokens === undefined) return ok(budgetFigures(state));
  // [J17] A cast that cannot be resumed gets no further events.
  if (state.phase.kind === "ended" && (state.phase.outcome === "completed" || state.phase.outcome === "not_satisfied"))
    return fail(error("cast_finished", castId, `this cast has ended: ${state.phase.outcome.replace("_", " ")}`));
  const raised = await recordEvents(store, castId, [{ type: "limits_raised", maxTokens: tokens }]);
  return raised.ok ? ok(budgetFigures(raised.value)) : raised;
}

function budgetFigures({ budget, usage }: CastState): BudgetFigures {
  return {
    maxTokens: budget.maxTokens ?? null,
    maxCostUsd: budget.maxCostUsd ?? null,
    tokens: totalTokens(usage),
    cost: usage.cost,
  };
}

export async function runAbort(
  workspace: Workspace,
  { castId, trust }: Extract<Command, { kind: "abort" }>,
): Promise<Result<CommandOutput>> {
  const id = await findOwnCast(workspace, castId, UNFINISHED);
  if (!id.ok) return id;
  if (workspace.fleet) {
    const asked = await workspace.fleet.abort(id.value);
    if (!asked.ok) return asked;
    const said = `${id.value} was asked to stop; "materia status ${id.value} --on ${workspace.fleet.name}" shows when it has stopped.`;
    return ok({ code: 0, data: { castId: id.value, status: asked.value }, lines: () => [line(said)] });
  }
  const aborted = await abortCast(workspace, id.value, trust === true);
  if (!aborted.ok) return aborted;
  const text = `${id.value} is aborted. "${workspace.place.program ?? "materia"} recast ${id.value}" continues it.`;
  return ok({ code: 0, data: { castId: id.value, status: aborted.value }, lines: () => [line(text)] });
}

const UNFINISHED: RequestedCast = {
  matches: ({ status }) =>
    status === "running" || status === "queued" || status === "waiting" || status === "interrupted",
  noneMessage: "no cast here is running, waiting or interrupted",
};
