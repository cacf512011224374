import { expect, it } from "vitest";
import { itemResultOf } from "../../src/core/cast/decide-items.ts";
import { startedEvent } from "../../src/core/cast/next.ts";
import type { EventType } from "../../src/core/cast/state/event.ts";
import type { CastState, SleepingPhase } from "../../src/core/cast/state/state.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import type { ItemRunner } from "../../src/shell/item-ports.ts";
import type { Ports, TurnRequest } from "../../src/shell/ports.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { CLOCK_START, movedClock } from "../harness/moved-clock.ts";
import { startOf } from "../harness/play.ts";
import { fold, items as list, said, world } from "../harness/seats.ts";
import { parallelWorkshop } from "./harness/scenarios.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const start = startOf(parallelWorkshop(2));
const answer = ({ socket }: TurnRequest) =>
  said(socket === "Socket-1" ? JSON.stringify(list("a", "b")) : JSON.stringify({ satisfied: true, context: "" }));

/** Items that are worked on at once in no tree at all, and what was asked of them. */
function standIn(part: Partial<ItemRunner> = {}) {
  const asked: unknown[] = [];
  const heard = (name: keyof ItemRunner, request: object): void => void asked.push([name, request]);
  const items: ItemRunner = {
    findBase: async () => ({ kind: "forked", base: "base" }),
    run: async ({ fork, work, start: begin, title, countedUsage: counted, resume, signal }) => {
      heard("run", { fork, child: work.child, title, counted, resume });
      const { state } = await runCast(initialState(begin), world(answer), { cwd: "/tree", signal });
      return { kind: "ended", end: itemResultOf(state, { commit: `work of ${title}` }) };
    },
    merge: async ({ fork, title, commit, tip }) => {
      heard("merge", { fork, title, commit, tip });
      return { kind: "merged", commit: `${tip}+${title}` };
    },
    join: async (request) => {
      heard("join", request);
      return { kind: "joined", commit: "joined" };
    },
    ...part,
  };
  return { items, asked };
}

async function cast(part: Partial<Ports>, from?: CastState, signal = new AbortController().signal) {
  const ports = world(answer, part);
  const state = from ?? initialState(start);
  const firstEvents = from ? [] : [startedEvent(state, part.checkpoints && { commit: "c0" })];
  const end = await runCast(state, ports, { cwd: "/project", signal, firstEvents });
  return { end, events: ports.appended.flat(), asked: ports.asked };
}

const isOf =
  (type: EventType) =>
  (event: { readonly type: string }): boolean =>
    event.type === type;

it("[V7] items are run with their titles, merged in order onto each other, and joined with nothing left out", async () => {
  const { items, asked } = standIn();
  const { end, events } = await cast({ items });
  expect(end).toMatchObject({ kind: "ended", state: { phase: { outcome: "completed" } } });
  const item = (title: string, at: number) => ({
    fork: 1,
    child: `cast-1_1_WI-${at}`,
    title,
    counted: NO_USAGE,
    resume: null,
  });
  expect(asked.filter((each) => JSON.stringify(each).startsWith('["run"'))).toEqual([
    ["run", item("a", 1)],
    ["run", item("b", 2)],
  ]);
  expect(asked.slice(-3)).toEqual([
    ["merge", { fork: 1, title: "a", commit: "work of a", tip: "base" }],
    ["merge", { fork: 1, title: "b", commit: "work of b", tip: "base+a" }],
    ["join", { fork: 1, base: "base", tip: "base+a+b", unmerged: [] }],
  ]);
  expect(events.find(isOf("loop_joined"))).toMatchObject({ loop: "each", commit: "joined" });
  expect(events.find(isOf("loop_joined"))).not.toHaveProperty("files");
});

it("[Y1] what the items did is kept as theirs, by the owner alone", async () => {
  const taken: unknown[] = [];
  const files: Ports["checkpoints"] = {
    take: async (request) => {
      taken.push(request);
      return { commit: `c${taken.length}`, changed: 1, added: 1, removed: 0 };
    },
    describe: async () => "",
  };
  const { events } = await cast({ checkpoints: files, items: standIn().items });
  const { last } = (taken.find((each) => JSON.stringify(each).includes("Items joined")) ?? {}) as { last: string }; // taken above
  expect(taken).toContainEqual({ last, since: last, title: "Items joined" });
  expect(events.find(isOf("loop_joined"))).toMatchObject({ files: { commit: expect.stringMatching(/^c\d$/) } });
});

it.each<[rule: string, part: Partial<ItemRunner>, problem: string]>([
  ["[D9] an item", { run: async () => ({ kind: "broken", problem: "no room to run" }) }, "no room to run"],
  ["[D9] a merge", { merge: async () => ({ kind: "broken", problem: "no room to merge" }) }, "no room to merge"],
  ["[D9] the join", { join: async () => ({ kind: "broken", problem: "no room to join" }) }, "no room to join"],
])("%s that could not be kept stops the cast where it stands", async (_rule, part, problem) => {
  const { end, events } = await cast({ items: standIn(part).items });
  expect(end).toMatchObject({ kind: "broken", problem });
  expect(fold(start, events)).toEqual(end.state);
});

it("[V34] a refused join fails the cast at the loop, with the reason", async () => {
  const { end, events } = await cast({
    items: standIn({ join: async () => ({ kind: "refused", reason: "they differ" }) }).items,
  });
  expect(end.state.phase).toMatchObject({ kind: "ended", outcome: "failed" });
  const failure = { socket: "Socket-2", visit: 0, reason: "join", message: "they differ", usage: NO_USAGE };
  expect(events.find(isOf("turn_failed"))).toMatchObject(failure);
});

it.each<[rule: string, part: Partial<Ports>, reason: string]>([
  ["[V16] where there are no trees", {}, "there are no working trees here"],
  [
    "[V16] where they are refused",
    { items: standIn({ findBase: async () => ({ kind: "refused", reason: "no git" }) }).items },
    "no git",
  ],
])("%s the items are worked on one by one, and the reason is written", async (_rule, part, reason) => {
  const { end, events, asked } = await cast(part);
  expect(events.find(isOf("loop_forked"))).toMatchObject({ loop: "each", lanes: 2, base: null, reason });
  expect(end.state.phase).toMatchObject({ outcome: "completed" });
  expect(asked.filter(({ socket }) => socket === "Socket-2").map(({ item }) => item)).toEqual(["WI-1", "WI-2"]);
});

it("[V14] an abort reaches every item that is at work, also those that a killed owner left", async () => {
  const stopping = new AbortController();
  const atWork: AbortSignal[] = [];
  const run: ItemRunner["run"] = ({ signal }) => {
    atWork.push(signal);
    if (atWork.length === 2) setImmediate(() => stopping.abort());
    return new Promise((resolve) => {
      const stop = (): void => resolve({ kind: "aborted" });
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
    });
  };
  const { items } = standIn({ run });
  const { end, events } = await cast({ items }, undefined, stopping.signal);
  // One that has ended since is visited again: it may have left programs.
  expect([atWork.every(({ aborted }) => aborted), end.state.phase]).toMatchObject([true, { outcome: "aborted" }]);
  const killed = events.slice(0, events.findLastIndex(isOf("item_started")) + 1);
  atWork.length = 0;
  const again = await cast({ items }, fold(start, killed), stopping.signal);
  expect([atWork.map(({ aborted }) => aborted), again.end.state.phase]).toMatchObject([
    [true, true],
    { outcome: "aborted" },
  ]);
  expect((await cast({}, fold(start, killed))).end).toMatchObject({
    kind: "broken",
    problem: "its items cannot run here: there are no working trees",
  });
});

it("[Z12] the parent sleeps once for all items, and continues them after the reset", async () => {
  const clock = movedClock();
  const until = new Date(CLOCK_START + 3_600_000).toISOString();
  const sleep: SleepingPhase = {
    kind: "sleeping",
    until,
    provider: "a",
    model: "a/x",
    reason: "429",
    since: "",
    paused: false,
    before: { kind: "unstarted" },
  };
  const slept = new Set<string>();
  const stand = standIn();
  const items: ItemRunner = {
    ...stand.items,
    run: async (request) => {
      if (slept.has(request.work.child)) return stand.items.run(request);
      slept.add(request.work.child);
      return { kind: "asleep", sleep };
    },
  };
  const { end, events } = await cast({ items, ...clock });
  expect(events.filter(isOf("cast_sleeping"))).toMatchObject([{ visit: 0, until, provider: "a" }]);
  expect(events.filter(isOf("cast_woken"))).toHaveLength(1);
  expect(end).toMatchObject({ kind: "ended", state: { phase: { outcome: "completed" } } });
});

it("[Z12] an item wakes while others work", async () => {
  const clock = movedClock();
  const until = new Date(CLOCK_START + 60_000).toISOString();
  const named = { provider: "a", model: "a/x", reason: "429", since: "", paused: false } as const;
  const sleep: SleepingPhase = { kind: "sleeping", until, ...named, before: { kind: "unstarted" } };
  const stand = standIn();
  const worked: string[] = [];
  const items: ItemRunner = {
    ...stand.items,
    run: async (request) => {
      worked.push(request.title);
      if (request.title === "a" && worked.length < 3) return { kind: "asleep", sleep };
      // The other item is done only after the first was asked again.
      while (request.title === "b" && worked.length < 3) await new Promise((resolve) => setImmediate(resolve));
      return stand.items.run(request);
    },
  };
  const { end, events } = await cast({ items, ...clock });
  expect(worked).toEqual(["a", "b", "a"]);
  expect(events.some(isOf("cast_sleeping"))).toBe(false);
  expect(end.kind).toBe("ended");
});
