import type { Way } from "../compile/route.ts";
import { materiaOf, socketOf } from "../compile/graph.ts";
import { itemKey } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";
import { END } from "../model/ids.ts";
import type { EventOf, LimitName } from "./event.ts";
import { currentItem } from "./state.ts";
import type { CastState, LimitHit, Phase, TurnUse, Visit } from "./state.ts";
import { countOf } from "./tally.ts";
import { addUsage, tokensOf } from "./usage.ts";

/** A further round passes every socket of its cycle, so that its allowance belongs to none of them. */
const ROUND = "round";

type LimitReached = EventOf<"limit_reached">;

/** Edges are counted for the current item; those that stand outside a loop, or leave one, are not forgotten with it. */
export function traversalKey(
  state: CastState,
  from: SocketId,
  way: Way,
): { readonly scope: "item" | "lasting"; readonly key: string } {
  const loop = socketOf(state.graph, from).loop;
  const name =
    way.via === "edge"
      ? `${from} edge ${way.index}`
      : way.via === "exit"
        ? `${from} exit ${way.exit.id}`
        : `${from} end`;
  if (state.pass === null || loop === null) return { scope: "lasting", key: name };
  const stays = way.to !== END && socketOf(state.graph, way.to).loop === loop;
  return stays ? { scope: "item", key: name } : { scope: "lasting", key: `${name} @${state.pass.cursor}` };
}

/** [G8, G9] What forbids this way now, if anything does. */
export function limitOfWay(state: CastState, from: SocketId, way: Way): LimitReached | undefined {
  if (way.via === "edge" && way.edge.maxTraversals !== undefined) {
    const { scope, key } = traversalKey(state, from, way);
    const taken = countOf(state.counts[scope], key);
    if (taken < way.edge.maxTraversals + allowance(state, `${scope} ${key}`)) return undefined;
    return limitReached(state, "maxTraversals", way.edge.maxTraversals, { ...wayFacts(from, way), taken });
  }
  if (way.to === END) return undefined;
  const returns = countOf(state.counts.arrivals, way.to);
  const cap = state.limits.maxNoAdvanceCycles;
  if (returns <= cap + allowance(state, ROUND)) return undefined;
  const cycle = [...cycleTo(state, way.to)];
  return limitReached(state, "maxNoAdvanceCycles", cap, { ...wayFacts(from, way), cycle });
}

/** Checked before each turn, so that nothing paid for is thrown away. */
export function limitOfTurn(state: CastState, socket: SocketId): LimitReached | undefined {
  const { maxTokens, maxCostUsd } = state.budget;
  if (maxTokens !== undefined && tokensOf(state.usage) >= maxTokens)
    return limitReached(state, "maxTokens", maxTokens, { socket });
  if (maxCostUsd !== undefined && state.usage.cost >= maxCostUsd && state.usage.cost > 0)
    return limitReached(state, "maxCostUsd", maxCostUsd, { socket });
  return undefined;
}

/** [D17] What forbids a turn to go on that has used so much more than the journal knows of: the budget, or its materia. */
export function limitInTurn(state: CastState, visit: Visit, more: TurnUse): LimitReached | undefined {
  const { socket } = visit;
  const budget = limitOfTurn({ ...state, usage: addUsage(state.usage, more.usage) }, socket);
  if (budget) return budget;
  const materia = materiaOf(state.graph, socketOf(state.graph, socket));
  if (materia.type !== "agent") return undefined;
  const { maxTurnTokens, maxTurnMinutes } = materia;
  const helpings = 1 + allowance(state, turnKey(visit));
  if (maxTurnTokens !== undefined && tokensOf(addUsage(visit.turn.usage, more.usage)) >= maxTurnTokens * helpings)
    return limitReached(state, "maxTurnTokens", maxTurnTokens * helpings, { socket });
  if (maxTurnMinutes !== undefined && visit.turn.ms + more.ms >= maxTurnMinutes * helpings * 60_000)
    return limitReached(state, "maxTurnMinutes", maxTurnMinutes * helpings, { socket });
  return undefined;
}

export function limitOfRepair(state: CastState, visit: Visit): LimitReached | undefined {
  const { maxRepairs } = state.limits;
  if (visit.repairs <= maxRepairs + allowance(state, repairKey(visit))) return undefined;
  return limitReached(state, "maxRepairs", maxRepairs, { socket: visit.socket });
}

/** Whether a warning is due that the budget is nearly used. */
export function budgetWarning(state: CastState): string | undefined {
  const { maxTokens, maxCostUsd, warnAtPercent } = state.budget;
  if (state.warned || warnAtPercent === undefined) return undefined;
  const tokens = tokensOf(state.usage);
  if (maxTokens !== undefined && tokens > 0 && tokens * 100 >= maxTokens * warnAtPercent)
    return `${tokens} of ${maxTokens} tokens are used`;
  if (maxCostUsd !== undefined && state.usage.cost > 0 && state.usage.cost * 100 >= maxCostUsd * warnAtPercent) {
    return `$${state.usage.cost.toFixed(2)} of $${maxCostUsd} are used`;
  }
  return undefined;
}

/** What raising the limit by `allow` raises. */
export function hitOf(state: CastState, { limit, where }: LimitReached): LimitHit {
  const { phase } = state;
  if (limit === "maxRepairs" && phase.kind === "visiting") return { limit, key: repairKey(phase.visit) };
  if ((limit === "maxTurnTokens" || limit === "maxTurnMinutes") && phase.kind === "visiting")
    return { limit, key: turnKey(phase.visit) };
  if (limit === "maxNoAdvanceCycles") return { limit, key: ROUND };
  const index = where.index ?? -1;
  const edge = socketOf(state.graph, where.socket).edges[index];
  if (limit !== "maxTraversals" || !edge) return { limit, key: "" };
  const { scope, key } = traversalKey(state, where.socket, { via: "edge", to: edge.to, edge, index });
  return { limit, key: `${scope} ${key}` };
}

/** The way round: from where the refused way leads, as it was walked since. */
function cycleTo({ walked }: CastState, to: SocketId): readonly SocketId[] {
  const start = walked.lastIndexOf(to);
  return start === -1 ? [] : walked.slice(start);
}

function wayFacts(from: SocketId, way: Way): LimitReached["where"] {
  const { via, to } = way;
  if (way.via === "none") return { socket: from, to, via, index: null };
  return { socket: from, to, via, index: way.index, when: way.via === "edge" ? way.edge.when : way.exit.condition };
}

function limitReached(state: CastState, limit: LimitName, value: number, where: LimitReached["where"]): LimitReached {
  const item = currentItem(state);
  const index = state.pass?.cursor ?? 0;
  const named = item === null ? {} : { item: { index, title: item.title || itemKey(index) } };
  return { type: "limit_reached", limit, value, where: { ...where, ...named } };
}

function allowance(state: CastState, key: string): number {
  return Object.hasOwn(state.counts.allowed, key) ? (state.counts.allowed[key] ?? 0) : 0;
}

function repairKey(visit: Visit): string {
  return `repair ${visit.socket} ${visit.number}`;
}

function turnKey(visit: Visit): string {
  return `turn ${visit.socket} ${visit.number}`;
}

/** The limit that stopped a cast, where one did. */
export function hitIn(phase: Phase): LimitHit | null {
  if (phase.kind === "ended") return phase.limit;
  return phase.kind === "failing" && phase.failure.kind === "limit" ? phase.failure.hit : null;
}
