import { edgeTargets } from "../../model/loadout.ts";
import type { Issue } from "../../model/issue.ts";
import { flowStepsOf, type Flow, type FlowStep } from "../flow.ts";
import {
  type Graph,
  type GraphLoop,
  type GraphSocket,
  givesUpItems,
  isUnconditionalExit,
  loopOf,
  socketLabel,
  socketOf,
  materiaOf,
} from "../graph.ts";
import { reachable } from "../digraph.ts";
import { NO_ISSUES, errorAt, warningAt } from "./cycles.ts";
import { END, type SocketId } from "../../model/ids.ts";

export function checkLoops(graph: Graph, flow: Flow): readonly Issue[] {
  const loops = Object.values(graph.loops);
  if (loops.length === 0) return [];
  const earlyMember = createEarlyMemberSearch(graph, flow);
  return loops.flatMap((loop) => {
    const region = { loop, members: loop.sockets.map((id) => socketOf(graph, id)) };
    return [
      ...checkLoopAdvances(region),
      ...checkSource(graph, region, earlyMember),
      ...checkExitCoverage(flow, loop),
      ...loop.exits.flatMap((_exit, index) => checkExit(graph, loop, index)),
    ];
  });
}

interface LoopWithMembers {
  readonly loop: GraphLoop;
  readonly members: readonly GraphSocket[];
}

/** [O10] A loop over a list needs a member that advances. */
function checkLoopAdvances({ loop, members }: LoopWithMembers): readonly Issue[] {
  if (!loop.items || members.some(({ advance }) => advance !== null)) return NO_ISSUES;
  const message = `no member of the loop "${loop.id}" advances, so it would never leave its first item`;
  return [errorAt(loop, [], "endless_loop", message, 'give its last member "advance": { "when": "always" }')];
}

/** [O16] A member with exits, and an answer that none of them takes: the cast would end silently. */
function checkExitCoverage(flow: Flow, loop: GraphLoop): readonly Issue[] {
  if (!loop.exits.some(({ from }) => flowStepsOf(flow, from).some(endsUnnoticed))) return NO_ISSUES;
  return [...new Set(loop.exits.map(({ from }) => from))].flatMap((from) => {
    const ends = flowStepsOf(flow, from).filter(endsUnnoticed);
    return [...new Set(ends.map(({ satisfied }) => satisfied))].map((satisfied) => {
      const answer = satisfied === undefined ? "an answer without satisfied" : `satisfied: ${satisfied}`;
      const message = `no exit of the loop "${loop.id}" takes ${answer} of ${from}: the cast ends there`;
      const hint = 'add the missing exit; use "targetSocketId": "end" to end the cast on purpose';
      return warningAt(loop, ["exits"], "unhandled_outcome", message, hint);
    });
  });
}

function endsUnnoticed({ exhausted, way }: FlowStep): boolean {
  return exhausted && way.via === "none";
}

type FindEarlyMember = (source: GraphSocket, region: LoopWithMembers) => GraphSocket | undefined;

/** A loop is usually entered only from its generator. The search runs only if another way exists. */
function createEarlyMemberSearch(graph: Graph, flow: Flow): FindEarlyMember {
  const elsewhere = loopsEnteredElsewhere(graph, flow);
  const numberOf = ({ id }: GraphSocket): number => flow.numberOf.get(id) ?? -1;
  return (source, { loop, members }) => {
    // A socket that two loops name belongs to the other loop.
    if (!elsewhere.has(loop.id) && members.every((member) => member.loop === loop.id)) return undefined;
    const early = reachable(flow.onward, flow.starts, new Set([numberOf(source)]));
    return members.find((member) => early.has(numberOf(member)));
  };
}

function loopsEnteredElsewhere(graph: Graph, { sockets, onward, starts }: Flow): ReadonlySet<string> {
  const found = new Set<string>();
  for (const start of starts) found.add(sockets[start]?.loop ?? "");
  for (const [from, targets] of onward.entries())
    for (const target of targets) {
      const to = sockets[target];
      if (!to || to.loop === null || to.loop === sockets[from]?.loop) continue;
      if (loopOf(graph, to)?.from !== sockets[from]?.id) found.add(to.loop);
    }
  return found;
}

function checkSource(graph: Graph, region: LoopWithMembers, earlyMember: FindEarlyMember): readonly Issue[] {
  const { loop } = region;
  if (loop.from === null) return NO_ISSUES;
  const source = socketOf(graph, loop.from);
  const below = ["consumes", "from"];
  if (!source.generator) {
    const message = `${socketLabel(source)} is no generator, so it has no work items to consume`;
    return [errorAt(loop, below, "not_a_generator", message, 'name a socket whose materia has "generator": true')];
  }
  if (source.loop === loop.id) {
    const message = `${socketLabel(source)} is a member of the loop "${loop.id}" that consumes its list`;
    return [errorAt(loop, below, "generator_inside_loop", message)];
  }
  const early = earlyMember(source, region);
  if (early === undefined) return NO_ISSUES;
  const message = `the loop "${loop.id}" can be entered at ${socketLabel(early)} before ${socketLabel(source)} has run`;
  return [errorAt(loop, [], "loop_before_generator", message, "route every way into the loop through the generator")];
}

function checkExit(graph: Graph, loop: GraphLoop, index: number): readonly Issue[] {
  const exit = loop.exits[index];
  const member = exit && loop.sockets.includes(exit.from) ? socketOf(graph, exit.from) : undefined;
  if (!exit || !member) return NO_ISSUES;
  // [O8, G34] An empty list, and a last item that was given up, may leave by an exit of any member.
  const isOpen =
    givesUpItems(graph, loop) || (loop.items !== null && loop.exits.findIndex(isUnconditionalExit) === index);
  if (member.advance === null && !isOpen) {
    const message = `${socketLabel(member)} never advances, so this exit is never taken`;
    return [warningAt(loop, ["exits", index], "exit_never_taken", message)];
  }
  if (member.parse === "json" || exit.condition === "always") return NO_ISSUES;
  const message = `${socketLabel(member)} is parsed as text, so "${exit.condition}" never matches`;
  return [warningAt(loop, ["exits", index], "exit_needs_json", message, 'set "parse": "json"')];
}

/** [V2] Requirements of a loop whose items run separately. */
export function checkParallel(graph: Graph, flow: Flow): readonly Issue[] {
  const loops = Object.values(graph.loops).filter(({ parallel }) => parallel !== undefined);
  return loops.flatMap((loop) => {
    const message = `the loop "${loop.id}" has no list, so it has no items to run in parallel`;
    if (loop.items === null)
      return [errorAt(loop, ["parallel"], "parallel_without_list", message, "let it consume the list of a generator")];
    const members = loop.sockets.map((id) => socketOf(graph, id));
    const ofMember = (member: GraphSocket) => [
      ...askingMemberIssues(graph, member),
      ...leavingEdgeIssues(graph, loop, member),
    ];
    return [...members.flatMap(ofMember), ...entryIssues(flow, loop)];
  });
}

/** Several people would be asked at once, each about files that the others do not see. */
function askingMemberIssues(graph: Graph, member: GraphSocket): readonly Issue[] {
  if (!member.interactive && materiaOf(graph, member).type !== "person") return [];
  const message = `${socketLabel(member)} waits for a person inside a parallel loop`;
  return [errorAt(member, [], "parallel_person_gate", message, "ask the person before or after the loop")];
}

/** Other items still run, so one item cannot lead the cast elsewhere. It may only end it. */
function leavingEdgeIssues(graph: Graph, loop: GraphLoop, member: GraphSocket): readonly Issue[] {
  return member.edges.flatMap((edge, index) =>
    edgeTargets(edge)
      .filter((to) => to !== END && socketOf(graph, to).loop !== loop.id)
      .map((to) => {
        const message = `${socketLabel(member)} leads out of the parallel loop "${loop.id}" to ${to}`;
        return errorAt(member, ["edges", index], "parallel_loop_escape", message, "use the loop's exits, or end");
      }),
  );
}

/** Every item starts at the same socket, so the entry must not depend on the way into the loop. */
function entryIssues(flow: Flow, loop: GraphLoop): readonly Issue[] {
  const members = new Set<number>(loop.sockets.map((id) => flow.numberOf.get(id) ?? -1));
  const begins = new Set<SocketId>();
  const add = (to: number): void => {
    const socket = flow.sockets[to];
    if (socket && members.has(to)) begins.add(socket.id);
  };
  for (const start of flow.starts) add(start);
  for (const from of flow.reached)
    for (const { advanced, landings } of flow.steps[from] ?? [])
      if (!members.has(from) || advanced) landings.forEach(add);
  if (begins.size < 2) return [];
  const message = `items of the parallel loop "${loop.id}" begin at ${[...begins].join(" and ")}`;
  const hint = "let every way into the loop, and every advance, lead to the same member";
  return [errorAt(loop, ["parallel"], "parallel_entry_mismatch", message, hint)];
}
