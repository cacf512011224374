import { expect, it } from "vitest";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { replaySteps } from "../../src/core/cast/timeline.ts";
import { seededRandom, randomAnswer } from "../../src/core/cast/simulate.ts";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { advanceVisits, foldVisits, NO_VISITS } from "../../src/core/history/visits.ts";
import { fuzzSubject, runFuzzCast } from "../../src/core/testing/fuzz.ts";
import { eventsOf, fullAuto, graphOf, handed, play, playOn, startOf, workItems } from "../harness/build.ts";
import { startWith } from "../harness/play.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const catalog = mergeLayers([bundledLayer()]);

function visitInHand({ phase }: CastState) {
  const stood = phase.kind === "failing" || phase.kind === "ended" ? phase.before : phase;
  return "visit" in stood ? stood.visit : undefined;
}

it.each(["Full-Auto", "Test-Driven", "Parallel-Auto", "Hojo-Consult"])(
  "[C36] after every event of %s the latest visit record agrees with the state",
  (name) => {
    const compiled = compileTargets([{ kind: "loadout", name }], catalog);
    if (!compiled.ok) throw new Error(name);
    const start = startWith(compiled.value.graph, catalog);
    for (let seed = 1; seed <= 20; seed += 1) {
      const chance = seededRandom(seed);
      const { cast } = runFuzzCast(fuzzSubject(start, compiled.value.flow), () => randomAnswer(chance, 3));
      let visits = NO_VISITS;
      for (const { event, after } of replaySteps(initialState(start), cast?.events ?? [])) {
        visits = advanceVisits(visits, event);
        const visit = visitInHand(after);
        if (!visit) continue;
        const { number, socket, usage, repairs } = visit;
        expect(visits.visit).toMatchObject({ visit: number, socket, usage, repairs, index: after.begun - 1 });
      }
    }
  },
);

it("[V25] a limit that an item reaches later does not change how the visit before the loop was left", () => {
  const place = { socket: "Plan", visit: 1 };
  const events = [
    { ...place, seq: 1, type: "visit_started", materia: "Plan", item: null },
    { ...place, seq: 2, type: "visit_completed" },
    { seq: 3, type: "edge_taken", from: "Plan", to: "Build", when: "always", via: "edge", index: 0, traversal: 1 },
    { seq: 4, type: "limit_reached", limit: "maxTraversals", socket: "Judge", value: 2, of: 2 },
  ].map((event) => ({ at: "2026-01-01T00:00:00.000Z", ...event }) as unknown as CastEvent); // what a fold reads
  expect(foldVisits(events)[0]?.leftBy).toBe(3);
});

it("[C15] a visit record has its item, its result, its turns, who sent it back and where its events are", () => {
  const { events } = play(startOf(fullAuto()), {
    "Ignore-Artifacts": [handed({})],
    "Detect-VCS": [handed({ state: { vcs: {} } })],
    "Auto-Plan": [workItems("Parse", "Print")],
    Build: ["Added a parser.", "Added a test."],
    "Auto-Eval": ["hm", handed({ satisfied: false, context: "no test" })],
  });
  const [evaluated, again] = foldVisits(events).slice(4, 6);
  expect(evaluated).toMatchObject({
    index: 4,
    materia: "Auto-Eval",
    item: { loop: "workItemIteration", pass: 1, index: 0, of: 2, key: "WI-1", title: "Parse" },
    outcome: "not_satisfied",
    result: { kind: "handoff", handoff: { satisfied: false, context: "no test" } },
    isCompleted: true,
    turns: 2,
    repairs: 1,
    sentBackFrom: null,
  });
  expect(again).toMatchObject({
    materia: "Build",
    visit: 2,
    sentBackFrom: "Socket-5",
    cameBy: evaluated?.leftBy,
    result: { kind: "output", text: "Added a test." },
  });
});

it("[C15] a visit that was aborted while it waited for a person waits again after a resume", () => {
  const graph = graphOf(
    { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
    { Ask: { prompt: "x", interactive: true } },
  );
  const waiting = play(startOf(graph), { Ask: ["Shall I?"] });
  const totals = { visits: 0, itemsDone: 0, items: 0, tokens: 0, cost: 0 };
  const aborted: EventBody = { type: "cast_ended", outcome: "aborted", reason: "", totals };
  const stopped = playOn(waiting, [aborted]);
  const resumed = playOn(waiting, [aborted, { type: "cast_resumed", by: "cli" }]);
  expect([waiting, stopped, resumed].map(({ events }) => foldVisits(events)[0])).toMatchObject([
    { outcome: "waiting", endedAt: null },
    { outcome: "aborted", endedAt: eventsOf([aborted], stopped.state.seq)[0]?.at },
    { outcome: "waiting", endedAt: null },
  ]);
});
