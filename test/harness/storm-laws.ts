import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastStart } from "../../src/core/cast/state/state.ts";
import type { TurnFormula } from "../../src/core/compile/worst-case.ts";
import { materiaOf, socketOf, type Graph } from "../../src/core/compile/graph.ts";
import { allowedTurns } from "./loadouts.ts";

/** [D21] Laws that every journal keeps; checked from the events alone, without the engine. */
export function stormProblems(start: CastStart, events: readonly CastEvent[], worst: TurnFormula): readonly string[] {
  return [
    ...itemProblems(start.graph, events),
    ...edgeProblems(start.graph, events),
    ...budgetProblems(start, events),
    ...worstCaseProblems(start.graph, events, worst),
    ...visitProblems(events),
  ];
}

/** Every item is visited, in the order of the list, before its loop is left by exhaustion. */
function itemProblems(graph: Graph, events: readonly CastEvent[]): readonly string[] {
  const problems: string[] = [];
  let pass: { loop: string; size: number; cursor: number; seen: number } | undefined;
  for (const event of events) {
    const at = `event ${event.seq}`;
    if (event.type === "loop_entered") pass = { loop: event.loop, size: event.size, cursor: 0, seen: -1 };
    if (event.type === "visit_started") {
      const inside = pass !== undefined && socketOf(graph, event.socket).loop === pass.loop;
      if (inside !== (event.item !== null))
        problems.push(`${at}: an item ${inside ? "is missing" : "outside its loop"}`);
      if (pass && event.item && event.item.index !== pass.cursor)
        problems.push(`${at}: item ${event.item.index} instead of ${pass.cursor}`);
      if (pass && event.item) pass.seen = event.item.index;
    }
    if (event.type === "cursor_advanced" && pass) {
      if (event.index !== pass.cursor + 1 || pass.seen !== pass.cursor)
        problems.push(`${at}: item ${pass.cursor} was passed over`);
      pass.cursor = event.index;
    }
    if (event.type === "loop_exhausted" && event.by === "advance" && pass?.cursor !== pass?.size)
      problems.push(`${at}: exhausted at ${pass?.cursor} of ${pass?.size}`);
    if (event.type === "loop_exhausted") pass = undefined;
    if (event.type === "edge_taken" && (event.to === "end" || socketOf(graph, event.to).loop !== pass?.loop))
      pass = undefined;
  }
  return problems;
}

/** Edges inside a loop are recounted for each item, those outside for the whole cast. */
function edgeProblems(graph: Graph, events: readonly CastEvent[]): readonly string[] {
  const problems: string[] = [];
  const [forItem, forCast] = [new Map<string, number>(), new Map<string, number>()];
  let allowed = 0;
  for (const event of events) {
    if (event.type === "loop_entered" || event.type === "cursor_advanced") forItem.clear();
    if (event.type === "limits_raised") allowed += event.allow ?? 0;
    if (event.type !== "edge_taken" || event.via !== "edge") continue;
    const { loop, edges } = socketOf(graph, event.from);
    const edge = edges.find((each) => each.when === event.when && each.to === event.to);
    const most = edge?.maxTraversals;
    const stays = event.to !== "end" && socketOf(graph, event.to).loop === loop;
    if (most === undefined || (loop !== null && !stays)) continue;
    const counts = loop !== null && graph.loops[loop]?.items ? forItem : forCast;
    const key = `${event.from} ${event.when} ${event.to}`;
    const taken = (counts.get(key) ?? 0) + 1;
    counts.set(key, taken);
    if (taken > most + allowed)
      problems.push(`event ${event.seq}: ${key} for the ${taken}th time, and ${most} + ${allowed} are allowed`);
  }
  return problems;
}

function budgetProblems(start: CastStart, events: readonly CastEvent[]): readonly string[] {
  const problems: string[] = [];
  let { maxTokens = Infinity, maxCostUsd = Infinity } = start.budget;
  let [tokens, cost] = [0, 0];
  for (const event of events) {
    if (event.type === "limits_raised") {
      maxTokens = event.maxTokens ?? maxTokens;
      maxCostUsd = event.maxCostUsd ?? maxCostUsd;
    }
    if (event.type !== "visit_completed" && "usage" in event && event.usage) {
      tokens += event.usage.input + event.usage.output;
      cost += event.usage.cost;
    }
    if (event.type !== "visit_started" || materiaOf(start.graph, socketOf(start.graph, event.socket)).type !== "agent")
      continue;
    if (tokens >= maxTokens) problems.push(`event ${event.seq}: a visit with ${tokens} of ${maxTokens} tokens used`);
    if (cost > 0 && cost >= maxCostUsd)
      problems.push(`event ${event.seq}: a visit with $${cost} of $${maxCostUsd} used`);
  }
  return problems;
}

function worstCaseProblems(graph: Graph, events: readonly CastEvent[], worst: TurnFormula): readonly string[] {
  if (events.some((event) => event.type === "limits_raised")) return [];
  const visits = events.filter(
    (event) => event.type === "visit_started" && graph.materia[event.materia]?.type === "agent",
  );
  const most = allowedTurns(worst, { events });
  return visits.length > most ? [`${visits.length} visits of agents, and the worst case is ${most}`] : [];
}

/** A visit begins once and is completed once. */
function visitProblems(events: readonly CastEvent[]): readonly string[] {
  const named = (type: "visit_started" | "visit_completed"): readonly string[] =>
    events.flatMap((event) => (event.type === type ? [`${type} ${event.socket} ${event.visit}`] : []));
  const all = [...named("visit_started"), ...named("visit_completed")];
  return all.filter((name, index) => all.indexOf(name) !== index).map((name) => `twice: ${name}`);
}
