import { flowOf, stepsOf } from "../compile/flow.ts";
import type { Way } from "../compile/route.ts";
import { placeLabel, socketOf } from "../compile/graph.ts";
import { itemKey } from "../model/handoff.ts";
import type { SocketId } from "../model/ids.ts";
import { END } from "../model/ids.ts";
import type { Condition } from "../model/loadout.ts";
import type { EventOf, LimitName } from "./event.ts";
import { currentItem } from "./state.ts";
import type { CastState, LimitHit, Visit } from "./state.ts";
import { countOf } from "./tally.ts";
import { tokensOf } from "./usage.ts";

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
      ? `${from} ${way.edge.when} ${way.to}`
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
    const { when, maxTraversals } = way.edge;
    return limitReached(state, "maxTraversals", maxTraversals, { socket: from, edge: `${from} → ${way.to}`, when });
  }
  if (way.to === END) return undefined;
  const returns = countOf(state.counts.arrivals, way.to);
  const cap = state.limits.maxNoAdvanceCycles;
  if (returns <= cap + allowance(state, ROUND)) return undefined;
  return limitReached(state, "maxNoAdvanceCycles", cap, { socket: from, edge: `${from} → ${way.to}` });
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
export function hitOf(state: CastState, event: LimitReached): LimitHit {
  const { phase } = state;
  const limit: LimitName = event.limit;
  if (limit === "maxRepairs" && phase.kind === "visiting") return { limit, key: repairKey(phase.visit) };
  const [from, to] = event.where.edge?.split(" → ") ?? [];
  if (from === undefined || to === undefined) return { limit, key: "" };
  if (limit === "maxNoAdvanceCycles") return { limit, key: ROUND };
  const counted = countedWay(state, event, to);
  return { limit, key: counted ? `${counted.scope} ${counted.key}` : "" };
}

/** How the edge that a limit speaks of is counted. */
function countedWay(
  state: CastState,
  { where }: LimitReached,
  to: string,
): ReturnType<typeof traversalKey> | undefined {
  const socket = socketOf(state.graph, where.socket);
  const index = socket.edges.findIndex((edge) => edge.to === to && edge.when === where.when);
  const edge = socket.edges[index];
  return edge && traversalKey(state, socket.id, { via: "edge", to: edge.to, edge, index });
}

/** The end of a cast that reached a limit, in words: what, where, how often, why. */
export function limitReason(state: CastState, event: LimitReached): string {
  const { limit, value, where } = event;
  const socket = placeLabel(socketOf(state.graph, where.socket));
  const item = where.item === undefined ? "" : ` for the item "${where.item}"`;
  switch (limit) {
    case "maxTokens":
      return `the budget of ${value} tokens is used up before ${socket}`;
    case "maxCostUsd":
      return `the budget of $${value} is used up before ${socket}`;
    case "maxRepairs":
      return `${socket} did not hand over what it must after ${value} repair ${value === 1 ? "turn" : "turns"}`;
    case "maxTraversals": {
      const counted = countedWay(state, event, where.edge?.split(" → ")[1] ?? "");
      const taken = counted ? countOf(state.counts[counted.scope], counted.key) : value;
      return `the edge ${where.edge}${item} was taken ${taken} of ${taken} times; last reason: ${state.handed?.reason.trim() || "none given"}`;
    }
    case "maxNoAdvanceCycles":
      return `the cast goes round without progress${item}: ${cycleText(state, where)} (${where.edge} would be return number ${value + 1})`;
  }
}

/** The way round, in its order: from where the refused edge leads, back to where it starts. */
function cycleText({ graph }: CastState, { edge = "" }: LimitReached["where"]): string {
  const [from, to] = edge.split(" → ");
  const flow = flowOf(graph);
  const cameFrom = new Map<string, string | null>([[to ?? "", null]]);
  const open = [to ?? ""];
  for (let at = open.shift(); at !== undefined && at !== from; at = open.shift()) {
    for (const { way, advanced } of stepsOf(flow, at as SocketId)) {
      // places of a walk are socket ids
      const counted = way.via === "edge" && way.edge.maxTraversals !== undefined;
      if (advanced || counted || way.to === END || cameFrom.has(way.to)) continue;
      cameFrom.set(way.to, at);
      open.push(way.to);
    }
  }
  const round: string[] = [];
  for (let at: string | null | undefined = from; at; at = cameFrom.get(at)) round.unshift(at);
  return round.map((id) => placeLabel(socketOf(graph, id as SocketId))).join(" → "); // as above
}

function limitReached(
  state: CastState,
  limit: LimitName,
  value: number,
  where: { readonly socket: SocketId; readonly edge?: string; readonly when?: Condition },
): LimitReached {
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
