import { type Way, isTraversalCounted, materiaOf, socketOf } from "../compile/graph.ts";
import type { Checkpoint, MissingCheckpoint } from "../model/checkpoint.ts";
import { limitOf } from "../model/config.ts";
import { itemKey } from "../model/handoff.ts";
import { END, type SocketId } from "../model/ids.ts";
import { materiaMayWrite } from "../model/materia.ts";
import type { EventOf, LimitName } from "./state/event.ts";
import {
  cycleSinceLastVisit,
  itemIndexAt,
  loopReturns,
  visitsWithoutProgress,
  traversalCount,
  traversalScopeOf,
  type TraversalScope,
} from "./state/traversal-counts.ts";
import type { CastState, LimitHit, CastPhase, TurnUsage, Visit } from "./state/state.ts";
import { currentItem } from "./state/current-item.ts";
import { countOf, getValue, withValue } from "./state/persistent-map.ts";
import { NO_USAGE, addUsage, totalTokens, type Usage } from "./state/usage.ts";

type LimitReached = EventOf<"limit_reached">;

/** [G8] The limit that forbids this way now, if any. */
export function checkTraversalLimit(state: CastState, from: SocketId, way: Way): LimitReached | undefined {
  if (way.via !== "edge" || way.edge.maxTraversals === undefined || !isTraversalCounted(way)) return undefined;
  const { when, maxTraversals } = way.edge;
  const scope = traversalScopeOf(state, from, way);
  const taken = traversalCount(state, "taken", scope);
  if (taken < maxTraversals + traversalCount(state, "allowed", scope)) return undefined;
  const { to, via, index } = way;
  return limitReachedEvent(state, "maxTraversals", maxTraversals, { socket: from, to, via, index, when, taken });
}

/** [R9] Counts only where checkpoints are kept and the materia may write. A visit that changed nothing reports no files. */
export function unchangedAfterVisit(
  state: CastState,
  { socket, reworked }: Visit,
  files: Checkpoint | MissingCheckpoint | undefined,
): CastState["counts"] {
  const { counts } = state;
  if (state.files === null || !materiaMayWrite(materiaOf(state.graph, socketOf(state.graph, socket)))) return counts;
  const place = itemIndexAt(state, socket);
  const unchanged = getValue(counts.unchanged, socket);
  // The first visit for an item was not sent back, even if the item before was refused.
  const isUnchanged = files === undefined || ("commit" in files && files.changed === 0);
  const isIdle = reworked && unchanged?.place === place && isUnchanged;
  const visits = isIdle ? unchanged.visits + 1 : 0;
  if (unchanged?.place === place && unchanged.visits === visits) return counts;
  return { ...counts, unchanged: withValue(counts.unchanged, socket, { place, visits }) };
}

/** [R9] Whether work is sent back once more that the last visits did not change. */
export function checkUnchangedLimit(state: CastState, from: SocketId, way: Way): LimitReached | undefined {
  if (way.via !== "edge" || way.edge.when !== "not_satisfied" || way.to === END) return undefined;
  const { to, via, index } = way;
  const unchanged = getValue(state.counts.unchanged, to);
  const most = limitOf(state.limits, "maxUnchanged");
  if (most === 0 || unchanged?.place !== itemIndexAt(state, to)) return undefined;
  if (unchanged.visits < most + traversalCount(state, "allowed", unchangedScope(state, from, way))) return undefined;
  const where = { socket: from, to, via, index, when: way.edge.when, taken: unchanged.visits };
  return limitReachedEvent(state, "maxUnchanged", most, where);
}

function unchangedScope(state: CastState, from: SocketId, way: Way): TraversalScope {
  return { ...traversalScopeOf(state, from, way), way: `unchanged ${way.to}` };
}

type Arrival = Extract<CastPhase, { kind: "arriving" }>;

/** [G9] Checked before a visit: a socket that was visited too often without progress. */
export function checkReturnLimit(state: CastState, { from }: Arrival, at: SocketId): LimitReached | undefined {
  const { visits, allowed } = visitsWithoutProgress(state, at);
  return visits - allowed > state.limits.maxNoAdvanceCycles ? noProgressEvent(state, from, at, visits - 1) : undefined;
}

/** [G39] Checked when a loop is entered: one that is walked again and again over the same list. */
export function checkEntryLimit(state: CastState, { from }: Arrival, at: SocketId): LimitReached | undefined {
  const { pass, begun, counts } = state;
  if (pass?.since !== begun) return undefined;
  const { visits, allowed } = loopReturns(counts.returns, pass.loop);
  return visits - allowed > state.limits.maxNoAdvanceCycles ? noProgressEvent(state, from, at, visits) : undefined;
}

/** [G9] Loops without items that lead to each other would never stop. */
export function checkBypassLimit(
  state: CastState,
  { from }: Arrival,
  { at, loop }: { readonly at: SocketId; readonly loop: string },
): LimitReached | undefined {
  const passed = Object.hasOwn(state.counts.passedBy, loop) ? (state.counts.passedBy[loop] ?? 0) : 0;
  return passed > state.limits.maxNoAdvanceCycles ? noProgressEvent(state, from, at) : undefined;
}

function noProgressEvent(state: CastState, from: SocketId | null, at: SocketId, taken?: number): LimitReached {
  const cycle = [...cycleSinceLastVisit(state, at)];
  const where = { socket: from ?? at, to: at, cycle, ...(taken === undefined ? {} : { taken }) };
  return limitReachedEvent(state, "maxNoAdvanceCycles", state.limits.maxNoAdvanceCycles, where);
}

/** Checked before each turn, so that no paid result is lost. */
export function checkTurnLimit(state: CastState, socket: SocketId, more = NO_USAGE): LimitReached | undefined {
  const { maxTokens, maxCostUsd } = state.budget;
  if (maxTokens === undefined && maxCostUsd === undefined) return undefined;
  const usage = sharedUsage({ usage: addUsage(state.usage, more), item: state.item });
  if (maxTokens !== undefined && totalTokens(usage) >= maxTokens)
    return limitReachedEvent(state, "maxTokens", maxTokens, { socket });
  if (maxCostUsd !== undefined && usage.cost >= maxCostUsd && usage.cost > 0)
    return limitReachedEvent(state, "maxCostUsd", maxCostUsd, { socket });
  return undefined;
}

/** [V13] Usage against the budget. The cast of an item shares the budget with its parent and the other items. */
function sharedUsage({ usage, item }: Pick<CastState, "usage" | "item">): Usage {
  return item ? addUsage(usage, item.elsewhere) : usage;
}

/** [D31] The limit that stops a running turn: the budget, or the limit of its materia. */
export function checkLimitDuringTurn(state: CastState, visit: Visit, more: TurnUsage): LimitReached | undefined {
  const { socket } = visit;
  const budget = checkTurnLimit(state, socket, more.usage);
  if (budget) return budget;
  const materia = materiaOf(state.graph, socketOf(state.graph, socket));
  if (materia.type !== "agent") return undefined;
  if (visit.turn.repeated !== undefined)
    return limitReachedEvent(state, "maxRepeatedCalls", visit.turn.repeated, { socket });
  const { maxTurnTokens, maxTurnMinutes } = materia;
  if (maxTurnTokens === undefined && maxTurnMinutes === undefined) return undefined;
  const helpings = 1 + countOf(state.counts.allowed, allowanceKey("turn", visit));
  if (maxTurnTokens !== undefined && totalTokens(addUsage(visit.turn.usage, more.usage)) >= maxTurnTokens * helpings)
    return limitReachedEvent(state, "maxTurnTokens", maxTurnTokens * helpings, { socket });
  if (maxTurnMinutes !== undefined && visit.turn.ms + more.ms >= maxTurnMinutes * helpings * 60_000)
    return limitReachedEvent(state, "maxTurnMinutes", maxTurnMinutes * helpings, { socket });
  return undefined;
}

export function checkRepairLimit(state: CastState, visit: Visit): LimitReached | undefined {
  const { maxRepairs } = state.limits;
  if (visit.repairs <= maxRepairs + countOf(state.counts.allowed, allowanceKey("repair", visit))) return undefined;
  return limitReachedEvent(state, "maxRepairs", maxRepairs, { socket: visit.socket, taken: visit.repairs - 1 });
}

/** [V37] How often an item may be repeated because its work could not be merged. */
export function allowedConflicts({ limits, counts }: CastState, fork: number, index: number): number {
  return limitOf(limits, "maxConflicts") + countOf(counts.allowed, conflictAllowanceKey(fork, index));
}

export function conflictLimitEvent(state: CastState, fork: number, index: number): LimitReached {
  if (!state.pass) throw new Error("a fork is inside a pass");
  const where = { socket: state.pass.door, taken: allowedConflicts(state, fork, index) };
  return limitReachedEvent(state, "maxConflicts", limitOf(state.limits, "maxConflicts"), where);
}

function conflictAllowanceKey(fork: number, index: number): string {
  return `conflict ${fork} ${index}`;
}

export function budgetWarning(state: CastState): EventOf<"cast_warned"> | undefined {
  const { maxTokens, maxCostUsd, warnAtPercent } = state.budget;
  if (state.warned || warnAtPercent === undefined) return undefined;
  const isNear = (used: number, of: number): boolean => used > 0 && used * 100 >= of * warnAtPercent;
  const shared = sharedUsage(state);
  const tokens = totalTokens(shared);
  if (maxTokens !== undefined && isNear(tokens, maxTokens))
    return { type: "cast_warned", limit: "maxTokens", used: tokens, of: maxTokens };
  const { cost } = shared;
  if (maxCostUsd !== undefined && isNear(cost, maxCostUsd))
    return { type: "cast_warned", limit: "maxCostUsd", used: cost, of: maxCostUsd };
  return undefined;
}

/** The count that `allow` raises. */
export function limitHitOf(state: CastState, { limit, where }: LimitReached): LimitHit {
  const { phase } = state;
  const inCast = (way: string): LimitHit => ({ limit, scope: { kind: "cast", way } });
  if (limit === "maxRepairs" && phase.kind === "visiting") return inCast(allowanceKey("repair", phase.visit));
  if ((limit === "maxTurnTokens" || limit === "maxTurnMinutes") && phase.kind === "visiting")
    return inCast(allowanceKey("turn", phase.visit));
  if (limit === "maxConflicts" && phase.kind === "forked")
    return inCast(conflictAllowanceKey(phase.fork.number, where.item?.index ?? 0));
  if (limit === "maxNoAdvanceCycles") return { limit, at: where.to === END ? undefined : where.to };
  const index = where.index ?? -1;
  const edge = socketOf(state.graph, where.socket).edges[index];
  if ((limit !== "maxTraversals" && limit !== "maxUnchanged") || !edge) return { limit };
  const scopeOf = limit === "maxUnchanged" ? unchangedScope : traversalScopeOf;
  return { limit, scope: scopeOf(state, where.socket, { via: "edge", to: edge.to, edge, index }) };
}

export function limitHitIn(phase: CastPhase): LimitHit | null {
  if (phase.kind === "ended") return phase.limit;
  return phase.kind === "failing" && phase.failure.kind === "limit" ? phase.failure.hit : null;
}

function limitReachedEvent(
  state: CastState,
  limit: LimitName,
  value: number,
  where: LimitReached["where"],
): LimitReached {
  const item = currentItem(state);
  const index = state.pass?.cursor ?? 0;
  const named = item === null ? {} : { item: { index, title: item.title || itemKey(index) } };
  return { type: "limit_reached", limit, value, where: { ...where, ...named } };
}

function allowanceKey(kind: "repair" | "turn", { socket, number }: Visit): string {
  return `${kind} ${socket} ${number}`;
}
