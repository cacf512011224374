import { type Graph, castSocketLabel, socketOf } from "../compile/graph.ts";
import { type Destination, END } from "../model/ids.ts";
import { itemKey } from "../model/handoff.ts";
import { countedText, oneLine } from "../model/text.ts";
import type { EventOf } from "./state/event.ts";
import type { CastState, CastFailure, CastPhase } from "./state/state.ts";

export function failureText(state: CastState, failure: CastFailure): string {
  return failure.kind === "turn" ? `${failure.socket}: ${failure.message}` : limitText(state, failure.reached);
}

function limitText({ graph, handed, phase }: CastState, { limit, value, where }: EventOf<"limit_reached">): string {
  const socket = castSocketLabel(socketOf(graph, where.socket));
  const item = where.item === undefined ? "" : ` for the item "${where.item.title}"`;
  const had = where.taken ?? value;
  switch (limit) {
    case "maxTokens":
      return `the budget of ${value} tokens is used up ${budgetMomentText(phase)} ${socket}`;
    case "maxCostUsd":
      return `the budget of $${value} is used up ${budgetMomentText(phase)} ${socket}`;
    case "maxTurnTokens":
      return `${socket} has used its ${value} tokens of one turn and has not finished`;
    case "maxTurnMinutes":
      return `${socket} has used its ${countedText(value, "minute")} of one turn and has not finished`;
    case "maxRepeatedCalls":
      return `${socket} made the same tool call ${value} times in a row, each time with the same result`;
    case "maxRepairs":
      return `${socket} did not hand over what it must after ${countedText(had, "repair turn")}`;
    case "maxConflicts":
      return `the work${item} could not be merged after ${countedText(had, "attempt")} to mend it`;
    case "maxTraversals": {
      const edge = `${where.socket} → ${where.to ?? END}`;
      return `the edge ${edge}${item} was taken ${countOfLimitText(had, value)} times; last reason: ${handed?.reason.trim() || "none given"}`;
    }
    case "maxUnchanged": {
      const visits = had === 1 ? "1 visit" : `${had} visits in a row`;
      return `${visits} of ${destinationText(graph, where.to ?? END)}${item} changed no file after it was sent back; last reason: ${handed?.reason.trim() || "none given"}`;
    }
    case "maxNoAdvanceCycles": {
      const back = destinationText(graph, where.to ?? END);
      return `the cast goes round without progress${item}: ${cycleText(graph, where)} (it would be return number ${had + 1} to ${back})`;
    }
  }
}

function budgetMomentText(phase: CastPhase): string {
  const stood = phase.kind === "failing" ? phase.before : phase;
  if (stood.kind !== "visiting") return "before";
  const { input, output, cost } = stood.visit.turn.usage;
  return input + output + cost > 0 ? "in the middle of" : "before";
}

/** [G5, G35] Why a cast that reached its end is not satisfied: its last answer, and given-up items. */
export function endReasonText({ satisfied, handed, givenUp }: CastState): string {
  const refusal = satisfied === false ? (handed?.reason ?? "") : "";
  if (givenUp.count === 0) return satisfied === false ? refusal : "the graph reached its end";
  const named = givenUp.first.map(
    ({ index, title, reason }) =>
      `${itemKey(index)} "${title}"${reason.trim() === "" ? "" : ` (${oneLine(reason, 200)})`}`,
  );
  const more = givenUp.count > named.length ? ` and ${givenUp.count - named.length} more` : "";
  const items = `${givenUp.count === 1 ? "1 item was" : `${givenUp.count} items were`} given up: ${named.join(", ")}${more}`;
  return refusal.trim() === "" ? items : `${refusal}; ${items}`;
}

function cycleText(graph: Graph, { to, cycle = [] }: EventOf<"limit_reached">["where"]): string {
  const names = cycle.map((id) => destinationText(graph, id)).join(" → ");
  return cycle.length === 0 ? "no socket on the way runs" : cycle[0] === to ? names : `… → ${names}`;
}

function destinationText(graph: Graph, to: Destination): string {
  return to === END ? END : castSocketLabel(socketOf(graph, to));
}

/** `2 of 3`, plus what a person allowed beyond the limit. */
export function countOfLimitText(count: number, limit: number): string {
  return count <= limit ? `${count} of ${limit}` : `${count} of ${limit} + ${count - limit} allowed`;
}
