import type { Issue } from "../../model/issue.ts";
import { NEXT_ITEM } from "../../model/loadout.ts";
import { type GraphSocket, socketLabel, type Graph, loopOf, isAlways } from "../graph.ts";
import type { Flow, FlowStep } from "../flow.ts";
import { NO_ISSUES, errorAt, warningAt } from "./cycles.ts";

export function checkSockets(graph: Graph, { sockets, steps }: Flow): readonly Issue[] {
  return sockets.flatMap((socket, number) => [
    ...checkParse(socket),
    ...checkEdges(socket),
    ...checkSources(graph, socket),
    ...checkAdvance(socket),
    ...checkAnswerCoverage(socket, steps[number] ?? []),
  ]);
}

function checkParse(socket: GraphSocket): readonly Issue[] {
  if (socket.parse === "json") return NO_ISSUES;
  const isGuarded = !socket.edges.every(isAlways) || (socket.advance ?? "always") !== "always";
  if (!socket.generator && !isGuarded) return NO_ISSUES;
  const label = socketLabel(socket);
  const hint = 'set "parse": "json"';
  if (socket.generator)
    return [errorAt(socket, [], "generator_needs_json", `${label} is a generator but is parsed as text`, hint)];
  const guards = socket.edges.flatMap(({ when }, index) => {
    const message = `${label} is parsed as text, so "${when}" never matches`;
    return when === "always" ? [] : [errorAt(socket, ["edges", index], "guard_needs_json", message, hint)];
  });
  if (socket.advance === null || socket.advance === "always") return guards;
  const message = `${label} is parsed as text, so it cannot advance when "${socket.advance}"`;
  return [...guards, errorAt(socket, ["advance"], "guard_needs_json", message, hint)];
}

/** [G13] Edges after an `always` are never taken. */
function checkEdges(socket: GraphSocket): readonly Issue[] {
  const always = socket.edges.findIndex(isAlways);
  if (always === -1 || always === socket.edges.length - 1) return NO_ISSUES;
  const hint = 'put guarded edges before the "always" edge';
  return socket.edges.slice(always + 1).map(({ to }, offset) => {
    const message = `the edge to ${to} follows an "always" edge and is never taken`;
    return errorAt(socket, ["edges", always + 1 + offset], "edge_after_always", message, hint);
  });
}

function checkSources(graph: Graph, socket: GraphSocket): readonly Issue[] {
  if (socket.assign.length === 0) return NO_ISSUES;
  return socket.assign.flatMap((assignment) => {
    const below = ["assign", assignment.target.join(".")];
    if (assignment.from === "item" && !loopOf(graph, socket)?.items) {
      const message = `${socketLabel(socket)} is in no loop with a list, so it has no item`;
      return [errorAt(socket, below, "item_outside_loop", message)];
    }
    if (assignment.from === "output" && assignment.path.length > 0 && socket.parse === "text") {
      const message = `${socketLabel(socket)} is parsed as text, which has no fields`;
      const hint = 'set "parse": "json", or use "$" for the whole text';
      return [errorAt(socket, below, "assign_needs_json", message, hint)];
    }
    return [];
  });
}

function checkAdvance(socket: GraphSocket): readonly Issue[] {
  if (socket.advance === null) return NO_ISSUES;
  if (socket.loop !== null) return checkRefusedAdvance(socket);
  const message = `${socketLabel(socket)} is in no loop, so it cannot advance`;
  const hint = "make it a member of a loop, or remove `advance`";
  return [errorAt(socket, ["advance"], "advance_outside_loop", message, hint)];
}

/** [G38] A refused item would count as done. */
function checkRefusedAdvance(socket: GraphSocket): readonly Issue[] {
  if (socket.advance !== "always" || !socket.edges.some(({ when }) => when === "not_satisfied")) return NO_ISSUES;
  const message = `${socketLabel(socket)} advances also when it is not satisfied, so a refused item counts as done`;
  const hint = 'set "advance": { "when": "satisfied" }';
  return [warningAt(socket, ["advance"], "refused_item_advances", message, hint)];
}

/** [G19] An answer without an edge silently ends the cast, even with items left. */
function checkAnswerCoverage(socket: GraphSocket, steps: readonly FlowStep[]): readonly Issue[] {
  if (
    socket.edges[socket.edges.length - 1]?.when === "always" ||
    (socket.edges.length === 0 && socket.advance === null)
  )
    return NO_ISSUES;
  if (!steps.some(endsUnnoticed)) return NO_ISSUES;
  const lost = new Set(steps.filter(endsUnnoticed).map(answerText));
  const hint = 'add the missing edge; use { "when": "always", "to": "end" } to end the cast on purpose';
  return [...lost].map((answer) => {
    const message = `${socketLabel(socket)} has no edge for ${answer}: the cast ends there`;
    return warningAt(socket, ["edges"], "unhandled_outcome", message, hint);
  });
}

function endsUnnoticed({ way, exhausted }: FlowStep): boolean {
  return way.via === "none" && !exhausted;
}

function answerText({ satisfied, advanced }: FlowStep): string {
  if (satisfied !== undefined) return `satisfied: ${satisfied}`;
  return advanced ? "the next item" : "an answer without satisfied";
}

/** [G29] `then` needs `maxTraversals`, and `next` needs a loop with items. */
export function checkThen(graph: Graph, { sockets }: Flow): readonly Issue[] {
  return sockets.flatMap((socket) =>
    socket.edges.flatMap(({ then, maxTraversals }, index) => {
      if (then === undefined) return [];
      const below = ["edges", index, "then"];
      const issues: Issue[] = [];
      if (maxTraversals === undefined) {
        const message = "the edge has no maxTraversals, so its `then` is never taken";
        issues.push(errorAt(socket, below, "then_without_limit", message, "set maxTraversals"));
      }
      if (then === NEXT_ITEM && !loopOf(graph, socket)?.items) {
        const message = "there is no next item outside a loop with a list";
        issues.push(errorAt(socket, below, "next_outside_loop", message, 'use "end"'));
      }
      return issues;
    }),
  );
}
