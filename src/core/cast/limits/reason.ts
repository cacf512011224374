import { type Graph, placeLabel, socketOf } from "../../compile/graph.ts";
import { type Destination, END } from "../../model/ids.ts";
import { itemKey } from "../../model/handoff.ts";
import { oneLine } from "../../model/values/text.ts";
import { never } from "../../model/values/never.ts";
import { ofText } from "../words/of-text.ts";
import type { EventOf } from "../state/event.ts";
import type { CastState, Failure, Phase } from "../state/state.ts";

/** Why a cast failed, in words for people; the facts stand in the events before its end. */
export function failureText(state: CastState, failure: Failure): string {
  return failure.kind === "turn" ? `${failure.socket}: ${failure.message}` : limitReason(state, failure.reached);
}

/** What, where, how often, why. */
function limitReason({ graph, handed, phase }: CastState, { limit, value, where }: EventOf<"limit_reached">): string {
  const socket = placeLabel(socketOf(graph, where.socket));
  const item = where.item === undefined ? "" : ` for the item "${where.item.title}"`;
  const had = where.taken ?? value;
  switch (limit) {
    case "maxTokens":
      return `the budget of ${value} tokens is used up ${whenUsedUp(phase)} ${socket}`;
    case "maxCostUsd":
      return `the budget of $${value} is used up ${whenUsedUp(phase)} ${socket}`;
    case "maxTurnTokens":
      return `${socket} has used its ${value} tokens of one turn and has not finished`;
    case "maxTurnMinutes":
      return `${socket} has used its ${value} ${value === 1 ? "minute" : "minutes"} of one turn and has not finished`;
    case "maxRepairs":
      return `${socket} did not hand over what it must after ${had} repair ${had === 1 ? "turn" : "turns"}`;
    case "maxConflicts":
      return `the work${item} could not be merged after ${had} ${had === 1 ? "attempt" : "attempts"} to mend it`;
    case "maxTraversals": {
      const edge = `${where.socket} → ${where.to ?? END}`;
      return `the edge ${edge}${item} was taken ${ofText(had, value)} times; last reason: ${handed?.reason.trim() || "none given"}`;
    }
    case "maxNoAdvanceCycles": {
      const back = placeText(graph, where.to ?? END);
      return `the cast goes round without progress${item}: ${cycleText(graph, where.cycle ?? [])} (it would be return number ${had + 1} to ${back})`;
    }
    default:
      return never(limit);
  }
}

/** Before a turn, or at the end of a reply within one. */
function whenUsedUp(phase: Phase): string {
  const stood = phase.kind === "failing" ? phase.before : phase;
  if (stood.kind !== "visiting") return "before";
  const { input, output, cost } = stood.visit.turn.usage;
  return input + output + cost > 0 ? "in the middle of" : "before";
}

/** [G5, G28] Why a cast that reached its end is not satisfied: what its last visit said, and what was given up. */
export function endText({ satisfied, handed, givenUp }: CastState): string {
  const said = satisfied === false ? (handed?.reason ?? "") : "";
  if (givenUp.count === 0) return satisfied === false ? said : "the graph reached its end";
  const named = givenUp.first.map(
    ({ index, title, reason }) =>
      `${itemKey(index)} "${title}"${reason.trim() === "" ? "" : ` (${oneLine(reason, 200)})`}`,
  );
  const more = givenUp.count > named.length ? ` and ${givenUp.count - named.length} more` : "";
  const items = `${givenUp.count === 1 ? "1 item was" : `${givenUp.count} items were`} given up: ${named.join(", ")}${more}`;
  return said.trim() === "" ? items : `${said}; ${items}`;
}

function cycleText(graph: Graph, cycle: readonly Destination[]): string {
  return cycle.length === 0 ? "no socket on the way runs" : cycle.map((id) => placeText(graph, id)).join(" → ");
}

function placeText(graph: Graph, to: Destination): string {
  return to === END ? END : placeLabel(socketOf(graph, to));
}
