import type { Issue } from "../../model/issue.ts";
import { NEXT_ITEM } from "../../model/loadout.ts";
import { type GraphSocket, socketLabel, type Graph, loopOf, isAlways } from "../graph.ts";
import type { Flow, FlowStep } from "../flow.ts";
import { NO_ISSUES, issueAtSocket, warningWith, errorWith } from "./issues.ts";

/** Problems of single sockets. */
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
  const way = 'set "parse": "json"';
  if (socket.generator) {
    return [
      issueAtSocket(
        socket,
        [],
        errorWith("generator_needs_json", `${socketLabel(socket)} is a generator but is parsed as text`, way),
      ),
    ];
  }
  const guards = socket.edges.flatMap((edge, index) =>
    edge.when === "always"
      ? []
      : [
          issueAtSocket(
            socket,
            ["edges", index],
            errorWith(
              "guard_needs_json",
              `${socketLabel(socket)} is parsed as text, so "${edge.when}" never matches`,
              way,
            ),
          ),
        ],
  );
  const advance =
    socket.advance === null || socket.advance === "always"
      ? []
      : [
          issueAtSocket(
            socket,
            ["advance"],
            errorWith(
              "guard_needs_json",
              `${socketLabel(socket)} is parsed as text, so it cannot advance when "${socket.advance}"`,
              way,
            ),
          ),
        ];
  return [...guards, ...advance];
}

/** [G13] Edges after an `always` are never taken. */
function checkEdges(socket: GraphSocket): readonly Issue[] {
  const always = socket.edges.findIndex(isAlways);
  if (always === -1 || always === socket.edges.length - 1) return NO_ISSUES;
  return socket.edges
    .slice(always + 1)
    .map((edge, offset) =>
      issueAtSocket(
        socket,
        ["edges", always + 1 + offset],
        errorWith(
          "edge_after_always",
          `the edge to ${edge.to} follows an "always" edge and is never taken`,
          'put guarded edges before the "always" edge',
        ),
      ),
    );
}

function checkSources(graph: Graph, socket: GraphSocket): readonly Issue[] {
  if (socket.assign.length === 0) return NO_ISSUES;
  return socket.assign.flatMap((assignment) => {
    const below = ["assign", assignment.target.join(".")];
    if (assignment.from === "item" && !loopOf(graph, socket)?.items) {
      return [
        issueAtSocket(
          socket,
          below,
          errorWith("item_outside_loop", `${socketLabel(socket)} is in no loop with a list, so it has no item`),
        ),
      ];
    }
    if (assignment.from === "output" && assignment.path.length > 0 && socket.parse === "text") {
      const hint = 'set "parse": "json", or use "$" for the whole text';
      return [
        issueAtSocket(
          socket,
          below,
          errorWith("assign_needs_json", `${socketLabel(socket)} is parsed as text, which has no fields`, hint),
        ),
      ];
    }
    return [];
  });
}

function checkAdvance(socket: GraphSocket): readonly Issue[] {
  if (socket.advance === null) return NO_ISSUES;
  if (socket.loop !== null) return checkRefusedAdvance(socket);
  const hint = "make it a member of a loop, or remove `advance`";
  return [
    issueAtSocket(
      socket,
      ["advance"],
      errorWith("advance_outside_loop", `${socketLabel(socket)} is in no loop, so it cannot advance`, hint),
    ),
  ];
}

/** [G38] A refused item would count as done. */
function checkRefusedAdvance(socket: GraphSocket): readonly Issue[] {
  if (socket.advance !== "always" || !socket.edges.some(({ when }) => when === "not_satisfied")) return NO_ISSUES;
  const message = `${socketLabel(socket)} advances also when it is not satisfied, so a refused item counts as done`;
  const hint = 'set "advance": { "when": "satisfied" }';
  return [issueAtSocket(socket, ["advance"], warningWith("refused_item_advances", message, hint))];
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
  return [...lost].map((answer) =>
    issueAtSocket(
      socket,
      ["edges"],
      warningWith("unhandled_outcome", `${socketLabel(socket)} has no edge for ${answer}: the cast ends there`, hint),
    ),
  );
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
  const concerned = sockets.filter(({ edges }) => edges.some(({ then }) => then !== undefined));
  return concerned.flatMap((socket) =>
    socket.edges.flatMap(({ then, maxTraversals }, index) => {
      if (then === undefined) return [];
      const say = (issue: ReturnType<typeof errorWith>): Issue =>
        issueAtSocket(socket, ["edges", index, "then"], issue);
      const uncounted =
        maxTraversals === undefined
          ? [
              say(
                errorWith(
                  "then_without_limit",
                  "the edge has no maxTraversals, so its `then` is never taken",
                  "set maxTraversals",
                ),
              ),
            ]
          : [];
      const itemless =
        then === NEXT_ITEM && !loopOf(graph, socket)?.items
          ? [say(errorWith("next_outside_loop", "there is no next item outside a loop with a list", 'use "end"'))]
          : [];
      return [...uncounted, ...itemless];
    }),
  );
}
