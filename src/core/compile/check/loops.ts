import type { Issue } from "../../model/issue.ts";
import type { Flow } from "../flow.ts";
import type { Graph, GraphLoop } from "../graph.ts";
import { socketLabel, socketOf } from "../graph.ts";
import { dominators } from "./dominators.ts";
import { atLoop, doubtful, faulty } from "./report.ts";

/** Faults of the loop regions. */
export function checkLoops(graph: Graph, flow: Flow): readonly Issue[] {
  const loops = Object.values(graph.loops);
  if (loops.length === 0) return [];
  const runsBefore = dominators(flow);
  return loops.flatMap((loop) => [
    ...checkEnding(graph, loop),
    ...checkSource(graph, loop, runsBefore),
    ...loop.exits.flatMap((_, index) => checkExit(graph, loop, index)),
  ]);
}

/** [O10] A loop that walks a list must have a member that moves it on. */
function checkEnding(graph: Graph, loop: GraphLoop): readonly Issue[] {
  const advances = loop.sockets.some((id) => socketOf(graph, id).advance !== null);
  if (loop.items && !advances) {
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
  if (loop.exits.length > 0 || !loop.items) return [];
  const hint = "add an exit where something should follow";
  return [
    atLoop(
      loop,
      [],
      doubtful(
        "loop_without_exit",
        `the loop "${loop.id}" has no exit: when its list is exhausted the cast ends`,
        hint,
      ),
    ),
  ];
}

function checkSource(graph: Graph, loop: GraphLoop, runsBefore: ReturnType<typeof dominators>): readonly Issue[] {
  if (loop.from === null) return [];
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
  const early = loop.sockets.find((id) => !runsBefore(source.id, id));
  if (early === undefined) return [];
  const message = `the loop "${loop.id}" can be entered at ${socketLabel(socketOf(graph, early))} before ${socketLabel(source)} has run`;
  return [atLoop(loop, [], faulty("loop_before_generator", message, "let every way into the loop pass the generator"))];
}

/** Exits that stand where nothing can take them. */
function checkExit(graph: Graph, loop: GraphLoop, index: number): readonly Issue[] {
  const exit = loop.exits[index];
  const member = exit && loop.sockets.includes(exit.from) ? socketOf(graph, exit.from) : undefined;
  if (!exit || !member || exit.condition === "always") return [];
  if (member.advance === null)
    return [
      atLoop(
        loop,
        ["exits", index],
        doubtful("exit_never_taken", `${socketLabel(member)} never advances, so this exit is never taken`),
      ),
    ];
  if (member.parse === "json") return [];
  const message = `${socketLabel(member)} is read as text, so "${exit.condition}" can never be known`;
  return [atLoop(loop, ["exits", index], doubtful("exit_needs_json", message, 'set "parse": "json"'))];
}
