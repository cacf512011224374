import type { Command } from "../../core/command/command.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { never } from "../../core/model/values/never.ts";
import { harmless } from "../../core/model/values/text.ts";
import { boardLines, boardOf } from "../../core/view/now/board.ts";
import { castLines, type CastSummary } from "../../core/view/casts.ts";
import { groupText, waitGroups, type QueuedCast } from "../../core/view/now/fleet.ts";
import { deliveryLines } from "../../core/view/text/delivery.ts";
import { line, toned, type Line } from "../../core/view/text/line.ts";
import { ownCasts } from "../config/own/own-casts.ts";
import { foreignMarker } from "../casting/workspace/foreign.ts";
import { raiseBudget } from "../casting/budget.ts";
import { castNamed } from "../casting/workspace/named-cast.ts";
import type { Workspace } from "../casting/workspace/workspace.ts";
import { removeRefs } from "../git/cast-ref.ts";
import { emptyPool } from "../git/items/tree/pool.ts";
import { treePool } from "../store/layout.ts";
import { prunable } from "../store/prunable.ts";
import type { Answer } from "./answer/answer.ts";
import { nobodyLine, placeLines, setupLines } from "./fleet/place.ts";
import { foreignLines, foreignMark, lineageOf, programOf } from "./show/marks.ts";

type CastsCommand = Extract<Command, { kind: "casts" | "prune" | "status" | "budget" }>;

/** Looking at casts, from any process, without disturbing the one that runs them. */
export async function lookAtCasts(command: CastsCommand, workspace: Workspace): Promise<Result<Answer>> {
  switch (command.kind) {
    case "casts":
      return list(workspace);
    case "prune":
      return prune(workspace, command);
    case "status":
      return status(workspace, command.castId);
    case "budget":
      return budget(workspace, command);
    default:
      return never(command);
  }
}

async function list(workspace: Workspace): Promise<Result<Answer>> {
  const { store } = workspace;
  const { program = "materia" } = programOf(workspace);
  const listed = await store.list();
  if (!listed.ok) return listed;
  const casts = await Promise.all(listed.value.map(foreignMarker(workspace)));
  // [B26] The demo runs here and on no fleet.
  const other = workspace.fleet ? "" : `, or see "${program} demo"`;
  const none = line(`No casts yet under ${harmless(store.place)}. Start one with "${program} cast <prompt>"${other}.`);
  const waits = await waitsOf(workspace, listed.value);
  const missing = await nobodyLines(workspace, listed.value);
  const lines: Answer["lines"] = (width) =>
    casts.length === 0 ? [none] : [...castLines(casts, { now: Date.now(), width }), ...groupLines(waits), ...missing];
  const why = new Map(waits.map((cast) => [cast.castId, cast.why]));
  const data = casts.map((cast) => ({ ...cast, ...(why.has(cast.castId) ? { waits: why.get(cast.castId) } : {}) }));
  return ok({ code: 0, data, lines });
}

/** [B29] The listed ones that wait for a worker, as far as they are told one by one. */
async function waitsOf({ fleet }: Workspace, casts: readonly CastSummary[]): Promise<readonly QueuedCast[]> {
  const queued = new Set(casts.filter(({ status: stands }) => stands === "queued").map(({ castId }) => castId));
  if (!fleet || queued.size === 0) return [];
  const standing = await fleet.standing();
  return standing.ok ? standing.value.queue.filter(({ castId }) => queued.has(castId)) : [];
}

/** Where nobody works is said with the command that would help. */
function groupLines(waits: readonly QueuedCast[]): readonly Line[] {
  const groups = waitGroups(waits.filter(({ why }) => why.kind !== "nobody_up"));
  return groups.map((group) => line(toned("wait", groupText(group))));
}

async function nobodyLines({ fleet }: Workspace, casts: readonly CastSummary[]): Promise<readonly Line[]> {
  if (!fleet || casts.every(({ status: stands }) => stands !== "queued")) return [];
  return (await fleet.unserved()).map((queue) => nobodyLine(fleet.name, queue));
}

async function status(workspace: Workspace, named: string | undefined): Promise<Result<Answer>> {
  const { store } = workspace;
  const id = await castNamed(store, named);
  if (!id.ok) return id;
  const cast = await store.current(id.value);
  if (!cast.ok) return cast;
  const { file, trail } = cast.value;
  const summary = await store.summary(id.value);
  const alive = summary?.status === "queued" ? "queued" : (await store.owner(id.value)) !== undefined;
  const board = boardOf(trail, { now: Date.now(), alive, lineage: lineageOf(file), ...programOf(workspace) });
  const queued = await workspace.fleet?.placeOf(id.value);
  return ok({
    code: 0,
    data: {
      ...summary,
      ...board,
      ...(queued ? { queued } : {}),
      runDir: store.placeOf(id.value),
      ...foreignMark(workspace, file),
    },
    lines: (width) => [
      ...boardLines(board, width),
      ...blockedLines(summary),
      ...placeLines(queued, workspace.fleet?.name),
      ...setupLines(summary?.settingUp, Date.now()),
      ...deliveryLines(summary?.delivered),
      ...foreignLines(workspace, file),
    ],
  });
}

/** [B16] A cast that nobody takes up is no riddle. */
function blockedLines(summary: CastSummary | undefined): readonly Line[] {
  if (summary?.status !== "queued" || summary.blocked === undefined) return [];
  return [line(toned("rework", `No worker could begin it: ${harmless(summary.blocked)}`))];
}

async function prune(
  { store, place, fleet }: Workspace,
  command: Extract<Command, { kind: "prune" }>,
): Promise<Result<Answer>> {
  if (fleet) return fail(error("not_on_fleet", "prune", "casts of a fleet are removed by whoever keeps its database"));
  const now = Date.now();
  const listed = await store.list();
  if (!listed.ok) return listed;
  const casts = prunable(listed.value, command, now);
  const ids = casts.map(({ castId }) => castId);
  const removed = command.yes ? await store.remove(ids) : ok(ids);
  if (!removed.ok) return removed;
  // [S11] The marks of those that are gone.
  const own = ownCasts(place.env);
  if (command.yes) {
    removed.value.forEach((castId) => own.forget(castId));
    await removeRefs(place.cwd, removed.value);
    await emptyPool(place.cwd, treePool(store.place));
  }
  const count = removed.value.length;
  const done = command.yes ? `Removed ${count}.` : `${count} would be removed; add --yes to remove them.`;
  const lines: Answer["lines"] = (width) =>
    casts.length === 0 ? [line("Nothing to remove.")] : [...castLines(casts, { now, width }), line(done)];
  return ok({ code: 0, data: { removed: command.yes, casts: removed.value }, lines });
}

async function budget(
  workspace: Workspace,
  { castId, tokens }: Extract<Command, { kind: "budget" }>,
): Promise<Result<Answer>> {
  const id = await castNamed(workspace.store, castId);
  if (!id.ok) return id;
  const { fleet } = workspace;
  const raised = fleet && tokens !== undefined ? await fleet.raise(id.value, tokens) : ok(undefined);
  if (!raised.ok) return raised;
  const figures = await raiseBudget(workspace.store, id.value, fleet ? undefined : tokens);
  if (!figures.ok) return figures;
  const { maxTokens, maxCostUsd, tokens: used, cost } = figures.value;
  const dollars = `$${cost.toFixed(2)} of ${maxCostUsd === null ? "unlimited" : `$${maxCostUsd}`}`;
  const text = `${id.value}: ${used} of ${maxTokens ?? "unlimited"} tokens, ${dollars}`;
  return ok({ code: 0, data: figures.value, lines: () => [line(text)] });
}
