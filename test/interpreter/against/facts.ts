import type { CastEvent } from "../../../src/core/cast/state/event.ts";
import type { Graph } from "../texts.ts";
import { marksOf } from "../visit/prompt-marks.ts";

/** An event as the interpreter would have told it; `parallelLoadout` while items are worked on at once. */
export function factsOf(event: CastEvent, graph: Graph, atOnce: boolean): readonly string[] {
  switch (event.type) {
    case "visit_started":
      return [
        `visit ${event.socket} ${event.visit}${event.item ? ` ${event.item.key} ${event.item.title}` : ""}${event.continues === undefined ? "" : ` continues ${event.continues}`}`,
      ];
    case "handoff_accepted": {
      const { satisfied, context, workItems } = event.handoff;
      const marks = marksOf(JSON.stringify({ satisfied, context, workItems })).join(" ");
      const dropped = event.dropped.filter((name) => !/[.[]/.test(name));
      return [
        `accepted ${event.socket} ${event.found} ${String(satisfied === true || satisfied === false ? satisfied : undefined)} [${dropped.toSorted().join()}] ${marks}`,
      ];
    }
    case "output_accepted":
      return [`text ${event.socket} ${marksOf(event.text).join(" ")}`];
    case "handoff_rejected":
      return [`rejected ${event.socket} ${event.attempt}`];
    case "loop_entered":
      return [`entered ${event.loop} ${event.size}`];
    case "cursor_advanced":
      return [`advanced ${event.loop} ${event.index}/${event.size}`];
    case "item_given_up":
      // What comes of it in the end is compared, not when it is said.
      return atOnce ? [] : [`gave up ${event.loop} ${event.index}`];
    case "loop_forked":
      return [event.base === null ? `one by one ${event.loop}` : `forked ${event.loop} ${event.lanes}`];
    case "item_started":
      return [`begins ${event.loop} ${event.index} ${event.attempt}`];
    case "item_merged":
      return [`merged ${event.loop} ${event.index}`];
    case "item_conflicted":
      return [`conflicted ${event.loop} ${event.index} ${event.round}`];
    case "loop_joined":
      return [`joined ${event.loop}`];
    case "loop_exhausted":
      return [`exhausted ${event.loop} ${event.by}`];
    case "edge_taken": {
      const parts = [event.from, event.to].map((id) => graph.places.get(id)?.part);
      if (event.to !== "end" && parts[0] !== parts[1]) return [`joint ${event.to}`];
      const exit = event.exit === undefined ? "" : ` ${event.exit}`;
      return [
        `way ${event.from} ${event.to} ${event.when} ${event.via} ${event.index}${exit}${event.then ? " then" : ""} ${event.traversal}`,
      ];
    }
    case "visit_skipped":
      return [`skipped ${event.skips}`];
    case "visit_completed":
      return [`done ${event.socket}`];
    case "limit_reached": {
      const { socket, to, cycle, taken } = event.where;
      const way = event.limit === "maxTraversals" ? ` ${to} ${taken}` : cycle ? ` ${to} ${cycle.join(">")}` : "";
      return [`limit ${event.limit} ${socket}${way}`];
    }
    case "cast_waiting":
      return [
        ...(event.question === undefined ? [] : [`told ${event.socket} ${marksOf(event.question).join(" ")}`]),
        `waiting ${event.socket}`,
      ];
    case "cast_resumed":
      return ["resumed"];
    case "cast_ended":
      return [`ended ${event.outcome}`];
    default:
      return [];
  }
}
