import { expect, it } from "vitest";
import { startedEvent } from "../../src/core/cast/next.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { Ports, TurnProgress } from "../../src/shell/ports.ts";
import { PAUSE_REASON, type RunOutcome } from "../../src/shell/context/run-context.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { startOf } from "../harness/play.ts";
import { graph, said, seat, world } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

type Taken = Awaited<ReturnType<NonNullable<Ports["checkpoints"]>["take"]>>;

/** A turn of an agent that somebody else plays, step by step, in a cast that travels. */
interface Turn {
  readonly tell: (...progress: readonly TurnProgress[]) => Promise<void>;
  /** What the look at the files that goes on now comes to. */
  readonly found: (taken: Taken) => Promise<void>;
  readonly looks: () => number;
  readonly marks: readonly string[];
  readonly taken: () => readonly string[];
  /** So much time passes. */
  readonly wait: (ms: number) => Promise<void>;
  readonly setBack: (ms: number) => void;
  /** The agent says its last word; every look from then on finds this. */
  readonly end: (last: Taken) => Promise<RunOutcome>;
  /** Its worker hands the cast back at once. */
  readonly pause: () => void;
}

const calls = (id: string): TurnProgress => ({ kind: "tool_started", id, name: "write", args: {} });
const wrote = (id: string): TurnProgress => ({ kind: "tool_ended", id, name: "write", failed: false, said: "" });
const read = (id: string): TurnProgress => ({ kind: "tool_ended", id, name: "read", failed: false, said: "" });
const over: TurnProgress = { kind: "tools_over" };
const commit = (name: string): Taken => ({ commit: name, changed: 1, added: 1, removed: 0 });
/** Resolves when all pending writes have arrived. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function turn(): Promise<Turn> {
  const [asked, answered] = [Promise.withResolvers<(told: TurnProgress) => void>(), Promise.withResolvers<void>()];
  const pauses: { readonly until: number; readonly wake: () => void }[] = [];
  const looks: ((taken: Taken) => void)[] = [];
  const marks: string[] = [];
  let [clock, seen] = [0, 0];
  let last: { readonly taken: Taken } | undefined;
  const ports = world(() => said("Done."), {
    agents: {
      preflight: async () => [],
      runTurn: async (request) => {
        asked.resolve(request.onProgress);
        await answered.promise;
        return said("Done.");
      },
    },
    checkpoints: {
      take: () => {
        seen += 1;
        if (last) return Promise.resolve(last.taken);
        return new Promise((resolve) => looks.push(resolve));
      },
      describe: async () => "",
    },
    now: () => new Date(clock),
    pause: (ms, signal) =>
      new Promise((resolve) => {
        pauses.push({ until: clock + ms, wake: resolve });
        signal.addEventListener("abort", () => resolve());
      }),
  });
  const artifacts = {
    ...ports.artifacts,
    markTranscript: (_socket: unknown, _visit: unknown, at: string) => void marks.push(at),
  };
  const state = initialState(startOf(graph({ "Socket-1": seat("Build") })));
  const stopping = new AbortController();
  const ended = runCast(
    state,
    { ...ports, artifacts },
    {
      cwd: "/project",
      signal: stopping.signal,
      isOnFleet: true,
      firstEvents: [startedEvent(state, { commit: "c0" })],
    },
  );
  const tellOne = await asked.promise;
  return {
    marks,
    looks: () => seen,
    tell: async (...progress) => {
      progress.forEach(tellOne);
      await settled();
    },
    found: async (taken) => {
      looks.shift()?.(taken);
      await settled();
    },
    taken: () => commitsIn(ports.appended.flat()),
    wait: async (ms) => {
      clock += ms;
      for (const { until, wake } of pauses) if (until <= clock) wake();
      await settled();
    },
    setBack: (ms) => void (clock -= ms),
    pause: () => stopping.abort(PAUSE_REASON),
    end: (taken) => {
      last = { taken };
      answered.resolve();
      return ended;
    },
  };
}

function commitsIn(events: readonly CastEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "checkpoint_taken" ? [event.files.commit] : []));
}

it("[B56] a pair has files and conversation of a moment without a running tool", async () => {
  const { tell, found, looks, marks, taken, end } = await turn();
  await tell(calls("a"), calls("b"), wrote("a"));
  expect(looks()).toBe(0);
  await tell(read("b"));
  expect(looks()).toBe(0);
  await tell(over);
  expect(looks()).toBe(1);
  await found(commit("c1"));
  expect([taken(), marks]).toEqual([["c1"], ["c1"]]);
  expect((await end(undefined)).kind).toBe("ended");
});

it("[B56] a pair that overlaps the start of a tool is discarded and taken again", async () => {
  const { tell, found, looks, marks, taken, end } = await turn();
  await tell(calls("a"), wrote("a"), over);
  await tell(calls("b"));
  await found(commit("torn"));
  expect([looks(), taken(), marks]).toEqual([1, [], []]);
  await tell(read("b"), over);
  await found(commit("c2"));
  expect([looks(), taken(), marks]).toEqual([2, ["c2"], ["c2"]]);
  expect((await end(undefined)).kind).toBe("ended");
});

it("[B56] one pair is stored in twenty seconds, and one at the end of the turn", async () => {
  const { tell, found, looks, wait, taken, end } = await turn();
  await tell(calls("a"), wrote("a"), over);
  await found(commit("c1"));
  await wait(5_000);
  await tell(calls("b"), wrote("b"), over);
  await wait(14_000);
  expect(looks()).toBe(1);
  await wait(1_000);
  expect(looks()).toBe(2);
  await found(commit("c2"));
  await tell(calls("c"), wrote("c"), over);
  expect((await end(commit("c3"))).kind).toBe("ended");
  expect(taken()).toEqual(["c1", "c2", "c3"]);
});

it("[B36] a turn whose files cannot be stored does not count", async () => {
  const { tell, found, taken, end } = await turn();
  await tell(calls("a"), wrote("a"), over);
  await found(commit("c1"));
  await tell(calls("b"), wrote("b"), over);
  expect(await end({ problem: "the disk is full" })).toMatchObject({
    kind: "broken",
    problem: "the files cannot be kept: the disk is full",
  });
  expect(taken()).toEqual(["c1"]);
});

it("[B56] an interrupted turn has the pair from before the ended tool", async () => {
  const { tell, found, taken, pause, end } = await turn();
  await tell(calls("a"), wrote("a"), over);
  await found(commit("c1"));
  await tell(calls("b"));
  pause();
  await tell(wrote("b"), over);
  await end(commit("half"));
  expect(taken()).toEqual(["c1"]);
});

it("[B56] a turn that ends before its conversation has the result of a tool leaves no pair of it", async () => {
  const { tell, found, taken, end } = await turn();
  await tell(calls("a"), wrote("a"), over);
  await found(commit("c1"));
  await tell(calls("b"), wrote("b"));
  await end(commit("files of b"));
  expect(taken()).toEqual(["c1"]);
});

it("[B14, B56] a clock that is set back delays the next pair by no more than twenty seconds", async () => {
  const { tell, found, looks, wait, setBack, end } = await turn();
  await wait(7_200_000);
  await tell(calls("a"), wrote("a"), over);
  await found(commit("c1"));
  setBack(3_600_000);
  await tell(calls("b"), wrote("b"), over);
  await wait(20_000);
  expect(looks()).toBe(2);
  await found(commit("c2"));
  expect((await end(undefined)).kind).toBe("ended");
});
