import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import { decide } from "../../src/core/cast/decide.ts";
import { next, startedEvent, visitCompletedEvent } from "../../src/core/cast/next.ts";
import { reworkDecisionEvents, reworkLimitOf } from "../../src/core/cast/rework-limit.ts";
import type { EventBody } from "../../src/core/cast/state/event.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import { startOf } from "../harness/play.ts";
import { always, exit, graph, items, loop, notSatisfied, satisfied, seat } from "../harness/seats.ts";

const config = (limits: Readonly<Record<string, number>> = {}) =>
  graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Make", always("Socket-3")),
      "Socket-3": {
        ...seat("Eval", notSatisfied("Socket-2", 9), satisfied("Socket-2")),
        advance: { when: "satisfied" },
      },
    },
    {
      limits,
      loops: { each: loop(["Socket-2", "Socket-3"]) },
      materia: { Make: { prompt: "Make.", tools: "coding" } },
    },
  );

function after(state: CastState, ...bodies: readonly EventBody[]): CastState {
  return bodies.reduce((now, body) => apply(now, { ...body, seq: now.seq + 1, at: "2026-01-01T00:00:00.000Z" }), state);
}

/** Runs on; the visits of Socket-2 change so many files, and Socket-3 says no so often, or to these visits. */
function run(
  state: CastState,
  changes: number[],
  refusals: number | string,
  later = "",
  titles: readonly string[] = ["a", "b"],
): CastState {
  const answers: Record<string, string> = {
    "Socket-3": typeof refusals === "string" ? refusals : "n".repeat(refusals),
    "Socket-4": later,
  };
  for (let now = state; ;) {
    const effect = next(now);
    if (effect.kind === "stop") return now;
    if (effect.kind === "record") now = after(now, ...effect.events);
    else if (effect.kind === "checkpoint") {
      const changed = effect.socket.id === "Socket-2" ? (changes.shift() ?? 1) : 0;
      now = after(now, visitCompletedEvent(now, effect.visit, { commit: "c", changed, added: 0, removed: 0 }));
    } else if (effect.kind === "agent") {
      const { id } = effect.socket;
      const no = answers[id]?.startsWith("n") === true;
      answers[id] = answers[id]?.slice(1) ?? "";
      const reply = effect.socket.generator
        ? items(...titles)
        : no
          ? { satisfied: false, context: "no" }
          : { satisfied: true };
      now = after(now, decide(now, effect.socket, { kind: "replied", text: JSON.stringify(reply), usage: NO_USAGE }));
    } else throw new Error(effect.kind);
  }
}

function startedWithFiles(limits?: Readonly<Record<string, number>>, graphOf = config): CastState {
  const state = initialState(startOf(graphOf(limits)));
  return after(state, startedEvent(state, { commit: "c" }));
}

it("[R9] two rework visits in a row that changed no file stop the cast, as a rework limit", () => {
  const stopped = run(startedWithFiles(), [1, 0, 0], 9);
  expect(stopped.phase).toMatchObject({ kind: "ended", outcome: "failed", limit: { limit: "maxUnchanged" } });
  expect(stopped.phase.kind === "ended" && stopped.phase.reached?.where).toMatchObject({
    socket: "Socket-3",
    taken: 2,
  });
  expect(reworkLimitOf(stopped)).toEqual({
    limit: "maxUnchanged",
    visit: { socket: "Socket-3", visit: 3 },
    item: { loop: "each", index: 0 },
    reason: "no",
  });
  const given = reworkDecisionEvents(stopped, { kind: "next" });
  const later = run(after(stopped, { type: "cast_resumed", by: "recast" }, ...given), [1, 1], 0);
  expect(later.phase).toMatchObject({ kind: "ended", outcome: "not_satisfied" });
});

it("[R9] a further allowance lets it be sent back once more", () => {
  const stopped = run(startedWithFiles(), [1, 0, 0], 9);
  const raised = after(stopped, { type: "limits_raised", allow: 1 }, { type: "cast_resumed", by: "recast" });
  const again = run(raised, [0], 9);
  expect(again.phase.kind === "ended" && again.phase.reached).toMatchObject({
    limit: "maxUnchanged",
    where: { taken: 3 },
  });
});

it.each<[what: string, limits: Readonly<Record<string, number>>, changes: number[]]>([
  ["the first visit, which was not sent back", {}, [0, 0, 1]],
  ["visits that are not in a row", {}, [1, 0, 1, 0, 1]],
  ["anything with 0", { maxUnchanged: 0 }, [1, 0, 0, 0]],
])("[R9] it does not count %s", (_what, limits, changes) => {
  const refusals = changes.length - 1;
  expect(run(startedWithFiles(limits), changes, refusals).phase).toMatchObject({ outcome: "completed" });
});

/** Plan → per item: Make → Eval (no: Make) → Eval, who advances in any case and may refuse into the next item. */
const refusingAfterAdvance = (): ReturnType<typeof config> =>
  graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Make", always("Socket-3")),
      "Socket-3": seat("Eval", notSatisfied("Socket-2", 9), satisfied("Socket-4")),
      "Socket-4": { ...seat("Eval", notSatisfied("Socket-2", 9), satisfied("Socket-2")), advance: {} },
    },
    {
      loops: { each: loop(["Socket-2", "Socket-3", "Socket-4"]) },
      materia: { Make: { prompt: "Make.", tools: "coding" } },
    },
  );

it.each([
  [[1, 0, 0, 1], "completed"],
  [[1, 0, 0, 0], "failed"],
])("[R9] the first visit for an item was not sent back by the item before: %j is %s", (changes, outcome) => {
  const state = run(
    startedWithFiles({}, refusingAfterAdvance),
    changes,
    "ynnn".slice(0, outcome === "failed" ? 4 : 3),
    "n",
  );
  expect(state.phase).toMatchObject({ outcome });
});

/** Plan → per item: Make → Eval (no: Make); then Eval, whose no leads back to this socket. */
const judgedAfterwards = (to: string) => (): ReturnType<typeof config> =>
  graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": seat("Make", always("Socket-3")),
      "Socket-3": {
        ...seat("Eval", notSatisfied("Socket-2", 9), satisfied("Socket-2")),
        advance: { when: "satisfied" },
      },
      "Socket-4": seat("Eval", notSatisfied(to, 9), satisfied("end")),
    },
    {
      loops: { each: loop(["Socket-2", "Socket-3"], exit("Socket-3", "always", "Socket-4")) },
      materia: { Make: { prompt: "Make.", tools: "coding" } },
    },
  );

it("[R9, V48] a row ends with its item: a second pass begins anew, as in parallel", () => {
  const start = startedWithFiles({}, judgedAfterwards("Socket-2"));
  expect(run(start, [1, 0, 0, 0], "yyny", "nny", ["a"]).phase).toMatchObject({ outcome: "completed" });
});

it("[R9, G26] an allowance is for the item of this list, not of a new one", () => {
  const start = startedWithFiles({}, judgedAfterwards("Socket-1"));
  const stopped = run(start, [1, 0, 0], "nnn");
  expect(stopped.phase).toMatchObject({ limit: { limit: "maxUnchanged" } });
  const raised = after(stopped, { type: "limits_raised", allow: 1 }, { type: "cast_resumed", by: "recast" });
  const again = run(raised, [0, 1, 1, 0, 0], "yynnn", "n");
  expect(again.phase.kind === "ended" && again.phase.reached).toMatchObject({
    limit: "maxUnchanged",
    where: { taken: 2 },
  });
});
