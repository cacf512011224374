import { NEXT } from "../../model/loadout.ts";
import type { Issue } from "../../model/issue.ts";
import { stepsOf, type Flow, type Step } from "../flow.ts";
import { type Graph, type GraphLoop, type GraphSocket, loopOf, socketLabel, socketOf } from "../graph.ts";
import { dominators } from "../dominators.ts";
import { NONE, atLoop, doubtful, faulty, note } from "./report.ts";

/** Faults of the loop regions. */
export function checkLoops(graph: Graph, flow: Flow): readonly Issue[] {
  const loops = Object.values(graph.loops);
  if (loops.length === 0) return [];
  const earlyMember = searchBefore(graph, flow);
  const issues: Issue[] = [];
  for (const loop of loops) {
    const region = { loop, members: loop.sockets.map((id) => socketOf(graph, id)) };
    note(checkEnding(region), issues);
    note(checkSource(graph, region, earlyMember), issues);
    note(checkExitCoverage(flow, loop), issues);
    for (let index = 0; index < loop.exits.length; index += 1) note(checkExit(graph, loop, index), issues);
  }
  return issues;
}

interface Region {
  readonly loop: GraphLoop;
  readonly members: readonly GraphSocket[];
}

/** [O10] A loop that walks a list must have a member that moves it on. */
function checkEnding({ loop, members }: Region): readonly Issue[] {
  if (loop.items && !members.some(({ advance }) => advance !== null)) {
    const hint = 'give its last member "advance": { "when": "always" }';
    return [
      atLoop(
        loop,
        [],
        faulty(
          "loop_cannot_end",
          `no member of the loop "${loop.id}" advances, so it would never leave its first item`,
          hint,
        ),
      ),
    ];
  }
  return NONE;
}

/** [O16] A member with exits, and an answer that none of them takes: the cast would end there in silence. */
function checkExitCoverage(flow: Flow, loop: GraphLoop): readonly Issue[] {
  if (!loop.exits.some(({ from }) => stepsOf(flow, from).some(isLost))) return NONE;
  return [...new Set(loop.exits.map(({ from }) => from))].flatMap((from) => {
    const answers = new Set(
      stepsOf(flow, from)
        .filter(isLost)
        .map(({ satisfied }) => satisfied),
    );
    return [...answers].map((satisfied) => {
      const answer = satisfied === undefined ? "an answer without satisfied" : `satisfied: ${satisfied}`;
      const message = `no exit of the loop "${loop.id}" takes ${answer} of ${from}: the cast ends there`;
      const hint = 'add the missing exit; "targetSocketId": "end" where that is meant';
      return atLoop(loop, ["exits"], doubtful("uncovered_outcome", message, hint));
    });
  });
}

function isLost({ exhausted, way }: Step): boolean {
  return exhausted && way.via === "none";
}

/** The first member that a cast can come to before it has come by the socket. */
type EarlyMember = (source: GraphSocket, region: Region) => GraphSocket | undefined;

/** Mostly a loop is entered from its generator alone; only where one is not, what runs before what is searched for. */
function searchBefore(graph: Graph, flow: Flow): EarlyMember {
  const elsewhere = loopsEnteredElsewhere(graph, flow);
  let runsBefore: ReturnType<typeof dominators> | undefined;
  return (source, { loop, members }) => {
    // One that two loops name belongs to the other.
    if (!elsewhere.has(loop.id) && members.every((member) => member.loop === loop.id)) return undefined;
    const search = (runsBefore ??= dominators(flow));
    return members.find(({ id }) => !search(source.id, id));
  };
}

/** The loops that a cast can come into from another socket than the one whose list they consume. */
function loopsEnteredElsewhere(graph: Graph, { sockets, onward, starts }: Flow): ReadonlySet<string> {
  const found = new Set<string>();
  for (const start of starts) found.add(sockets[start]?.loop ?? "");
  for (let from = 0; from < onward.length; from += 1) {
    const targets = onward[from] ?? [];
    for (let index = 0; index < targets.length; index += 1) {
      const to = sockets[targets[index] ?? -1];
      if (!to || to.loop === null || to.loop === sockets[from]?.loop) continue;
      if (loopOf(graph, to)?.from !== sockets[from]?.id) found.add(to.loop);
    }
  }
  return found;
}

function checkSource(graph: Graph, region: Region, earlyMember: EarlyMember): readonly Issue[] {
  const { loop } = region;
  if (loop.from === null) return NONE;
  const source = socketOf(graph, loop.from);
  const below = ["consumes", "from"];
  if (!source.generator) {
    return [
      atLoop(
        loop,
        below,
        faulty(
          "not_a_generator",
          `${socketLabel(source)} is no generator, so it has no work items to consume`,
          'name a socket whose materia has "generator": true',
        ),
      ),
    ];
  }
  if (source.loop === loop.id) {
    return [
      atLoop(
        loop,
        below,
        faulty(
          "generator_inside_loop",
          `${socketLabel(source)} stands inside the loop "${loop.id}" that consumes its list`,
        ),
      ),
    ];
  }
  const early = earlyMember(source, region);
  if (early === undefined) return NONE;
  const message = `the loop "${loop.id}" can be entered at ${socketLabel(early)} before ${socketLabel(source)} has run`;
  return [atLoop(loop, [], faulty("loop_before_generator", message, "let every way into the loop pass the generator"))];
}

/** Exits that stand where nothing can take them. */
function checkExit(graph: Graph, loop: GraphLoop, index: number): readonly Issue[] {
  const exit = loop.exits[index];
  const member = exit && loop.sockets.includes(exit.from) ? socketOf(graph, exit.from) : undefined;
  if (!exit || !member) return NONE;
  // [G28] One that gives items up leaves by its exits behind the last of them.
  if (member.advance === null && !member.edges.some(({ then }) => then === NEXT))
    return [
      atLoop(
        loop,
        ["exits", index],
        doubtful("exit_never_taken", `${socketLabel(member)} never advances, so this exit is never taken`),
      ),
    ];
  if (member.parse === "json" || exit.condition === "always") return NONE;
  const message = `${socketLabel(member)} is read as text, so "${exit.condition}" can never be known`;
  return [atLoop(loop, ["exits", index], doubtful("exit_needs_json", message, 'set "parse": "json"'))];
}
