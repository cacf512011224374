import type { Way } from "../compile/route.ts";
import { socketLabel, socketOf } from "../compile/graph.ts";
import { itemKey } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";
import { END } from "../model/ids.ts";
import type { EventOf, LimitName } from "./event.ts";
import { currentItem } from "./state.ts";
import type { CastState, LimitHit, Visit } from "./state.ts";
import { countOf, entriesOf } from "./tally.ts";
import { tokensOf } from "./usage.ts";

type LimitReached = EventOf<"limit_reached">;

/** Edges are counted for the current item; those that stand outside a loop, or leave one, are not forgotten with it. */
export function traversalKey(state: CastState, from: SocketId, way: Way): { readonly scope: "item" | "lasting"; readonly key: string } {
  const loop = socketOf(state.graph, from).loop;
  const name = way.via === "edge" ? `${from} ${way.edge.when} ${way.to}` : way.via === "exit" ? `${from} exit ${way.exit.id}` : `${from} end`;
  if (state.pass === null || loop === null) return { scope: "lasting", key: name };
  const stays = way.to !== END && socketOf(state.graph, way.to).loop === loop;
  return stays ? { scope: "item", key: name } : { scope: "lasting", key: `${name} @${state.lists}.${state.pass.cursor}` };
}

/** [G8, G9] What forbids this way now, if anything does. */
export function limitOfWay(state: CastState, from: SocketId, way: Way): LimitReached | undefined {
  if (way.via === "edge" && way.edge.maxTraversals !== undefined) {
    const { scope, key } = traversalKey(state, from, way);
    const taken = countOf(state.counts[scope], key);
    if (taken < way.edge.maxTraversals + allowance(state, key)) return undefined;
    return limitReached(state, "maxTraversals", way.edge.maxTraversals, { socket: from, edge: `${from} → ${way.to}` });
  }
  if (way.to === END) return undefined;
  const returns = countOf(state.counts.arrivals, way.to);
  const cap = state.limits.maxNoAdvanceCycles;
  if (returns <= cap + allowance(state, `cycle ${way.to}`)) return undefined;
  return limitReached(state, "maxNoAdvanceCycles", cap, { socket: from, edge: `${from} → ${way.to}` });
}

/** Checked before each turn, so that nothing paid for is thrown away. */
export function limitOfTurn(state: CastState, socket: SocketId): LimitReached | undefined {
  const { maxTokens, maxCostUsd } = state.budget;
  if (maxTokens !== undefined && tokensOf(state.usage) >= maxTokens) return limitReached(state, "maxTokens", maxTokens, { socket });
  if (maxCostUsd !== undefined && state.usage.cost >= maxCostUsd && state.usage.cost > 0) return limitReached(state, "maxCostUsd", maxCostUsd, { socket });
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
  if (maxTokens !== undefined && tokens > 0 && tokens * 100 >= maxTokens * warnAtPercent) return `${tokens} of ${maxTokens} tokens are used`;
  if (maxCostUsd !== undefined && state.usage.cost > 0 && state.usage.cost * 100 >= maxCostUsd * warnAtPercent) {
    return `$${state.usage.cost.toFixed(2)} of $${maxCostUsd} are used`;
  }
  return undefined;
}

/** What raising the limit by `allow` raises. */
export function hitOf(state: CastState, event: LimitReached): LimitHit {
  const { phase } = state;
  const limit: LimitName = event.limit;
  if (limit === "maxRepairs" && phase.kind === "visiting") return { limit, key: repairKey(phase.visit) };
  const [from, to] = event.where.edge?.split(" → ") ?? [];
  if (from === undefined || to === undefined) return { limit, key: "" };
  if (limit === "maxNoAdvanceCycles") return { limit, key: `cycle ${to}` };
  const socket = socketOf(state.graph, event.where.socket);
  const index = socket.edges.findIndex((edge) => edge.to === to && edge.maxTraversals === event.value);
  const edge = socket.edges[index];
  return edge ? { limit, key: traversalKey(state, socket.id, { via: "edge", to: edge.to, edge, index }).key } : { limit, key: "" };
}

/** The end of a cast that reached a limit, in words: what, where, how often, why. */
export function limitReason(state: CastState, event: LimitReached): string {
  const { limit, value, where } = event;
  const socket = socketLabel(socketOf(state.graph, where.socket));
  const item = where.item === undefined ? "" : ` for the item "${where.item}"`;
  switch (limit) {
    case "maxTokens":
      return `the budget of ${value} tokens is used up before ${socket}`;
    case "maxCostUsd":
      return `the budget of $${value} is used up before ${socket}`;
    case "maxRepairs":
      return `${socket} did not hand over what it must after ${value} repair ${value === 1 ? "turn" : "turns"}`;
    case "maxTraversals":
      return `the edge ${where.edge}${item} was taken ${value} of ${value} times; last reason: ${state.handed?.text.trim() || "none given"}`;
    case "maxNoAdvanceCycles":
      return `the cast goes round without progress${item}: ${cycleOf(state)} (${where.edge} would be the return number ${value + 1})`;
  }
}

function cycleOf(state: CastState): string {
  const most = Math.max(...entriesOf(state.counts.arrivals).map(([, count]) => count));
  return entriesOf(state.counts.arrivals)
    .filter(([, count]) => count >= most - 1 && count > 1)
    .map(([id]) => socketLabel(socketOf(state.graph, id as SocketId))) // arrivals are counted by socket id
    .toSorted()
    .join(" → ");
}

function limitReached(state: CastState, limit: LimitName, value: number, where: { socket: SocketId; edge?: string }): LimitReached {
  const item = currentItem(state);
  const named = item === null ? {} : { item: item.title || itemKey(state.pass?.cursor ?? 0) };
  return { type: "limit_reached", limit, value, where: { ...where, ...named } };
}

function allowance(state: CastState, key: string): number {
  return Object.hasOwn(state.counts.allowed, key) ? (state.counts.allowed[key] ?? 0) : 0;
}

function repairKey(visit: Visit): string {
  return `repair ${visit.socket} ${visit.number}`;
}
