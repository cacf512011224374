import { itemEndedEvent, itemMergeEvent } from "../../core/cast/decide-items.ts";
import {
  itemCastStart,
  itemRunAt,
  type EndedItem,
  type ParallelEffect,
  type RunningItem,
} from "../../core/cast/item-runs.ts";
import type { Effect } from "../../core/cast/next.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import type { ParallelRun } from "../../core/cast/state/parallel-run.ts";
import type { CastState, SleepingPhase } from "../../core/cast/state/state.ts";
import { parseMillis } from "../../core/model/text.ts";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import type { CastId } from "../../core/model/ids.ts";
import { assertNever } from "../../core/model/issue.ts";
import { pauseUntil } from "../context/run-context.ts";
import type { ItemsFailure, ItemRunner } from "../item-ports.ts";
import type { Ports } from "../ports.ts";

/** The result of one task: `decide` makes its event from the state at that time. */
export type ItemStepResult =
  | { readonly kind: "decided"; readonly decide: (state: CastState) => EventBody }
  | { readonly kind: "aborted" }
  /** [Z12] Every item that is left sleeps; this one wakes first. */
  | { readonly kind: "asleep"; readonly sleep: SleepingPhase }
  | ItemsFailure;

/** The running tasks of a parallel loop: items, and the merge of one item. */
export interface ParallelItems {
  /** Starts the tasks that are due and waits for the first one to end. */
  readonly step: (effect: ParallelEffect, state: CastState) => Promise<ItemStepResult>;
  /** Stops the running tasks and waits for them. */
  readonly close: () => Promise<void>;
  /** [V14] Also claims every running item: a killed owner may have left its programs running. */
  readonly abort: (effect: Effect, state: CastState) => Promise<void>;
}

export type ParallelItemsPorts = Pick<Ports, "items" | "checkpoints" | "holdsClaim" | "now" | "pause">;

export function openParallelItems(ports: ParallelItemsPorts, outer: AbortSignal): ParallelItems {
  const { items } = ports;
  const stop = new AbortController();
  const signal = AbortSignal.any([outer, stop.signal]);
  const tasks = new Map<string, Promise<{ readonly name: string; readonly result: ItemStepResult }>>();
  const start = (name: string, run: () => Promise<ItemStepResult>): void => {
    if (!tasks.has(name))
      tasks.set(
        name,
        run().then((result) => ({ name, result })),
      );
  };
  const asleep = new Map<string, SleepingPhase>();
  const stepItems = async (port: ItemRunner, effect: Extract<ParallelEffect, { kind: "items" }>, state: CastState) => {
    const { fork, running, merge } = effect;
    for (;;) {
      const now = ports.now().getTime();
      for (const [child, { until }] of asleep) if (parseMillis(until, 0) <= now) asleep.delete(child);
      for (const run of running)
        if (!asleep.has(run.child)) start(run.child, () => runItem(port, state, fork, run, signal));
      if (merge) start(`merge of ${merge.child}`, () => mergeItem(port, state, fork, merge));
      const first = [...asleep.values()].toSorted(
        (a, b) => Number(a.paused) - Number(b.paused) || parseMillis(a.until, 0) - parseMillis(b.until, 0),
      )[0];
      if (tasks.size === 0 && first) return { kind: "asleep", sleep: first } as const;
      const done = await raceWithReset([...tasks.values()], first, ports, signal);
      if (!done) continue;
      tasks.delete(done.name);
      if (done.result.kind !== "asleep") return done.result;
      asleep.set(done.name, done.result.sleep);
    }
  };
  const close = async (): Promise<void> => {
    stop.abort();
    await Promise.all(tasks.values());
    tasks.clear();
  };
  return {
    step: async (effect, state) => {
      if (effect.kind === "fork") return forkLoop(items, effect.loop, signal);
      // The journal has a parallel run, so it was written where items could run at once.
      if (!items) return { kind: "broken", problem: "its items cannot run here: there are no working trees" };
      return effect.kind === "join"
        ? joinLoop({ ...ports, items }, effect.fork, state)
        : stepItems(items, effect, state);
    },
    close,
    abort: async (effect, state) => {
      stop.abort();
      if (items?.abort && effect.kind === "items") await items.abort(effect.running.map(({ child }) => child));
      else if (items && effect.kind === "items")
        for (const run of effect.running) start(run.child, () => runItem(items, state, effect.fork, run, signal));
      await close();
    },
  };
}

async function forkLoop(
  items: ItemRunner | undefined,
  { id, parallel = 1 }: Extract<ParallelEffect, { kind: "fork" }>["loop"],
  signal: AbortSignal,
): Promise<ItemStepResult> {
  const forked = items
    ? await items.findBase(signal)
    : { kind: "refused" as const, reason: "there are no working trees here" };
  const { kind: _kind, ...made } = forked.kind === "forked" ? forked : { base: null, ...forked };
  return { kind: "decided", decide: () => ({ type: "loop_forked", loop: id, lanes: parallel, ...made }) };
}

async function runItem(
  items: ItemRunner,
  state: CastState,
  fork: ParallelRun,
  run: RunningItem,
  signal: AbortSignal,
): Promise<ItemStepResult> {
  const start = itemCastStart(state, fork, run);
  const title = state.pass?.items[run.index]?.title ?? "";
  const counted = run.before?.usage ?? NO_USAGE;
  const { resume } = run;
  const request = { fork: fork.number, work: run, start, title, parent: state, countedUsage: counted, resume, signal };
  const outcome = await items.run(request);
  switch (outcome.kind) {
    case "ended":
      return { kind: "decided", decide: (now) => itemEndedEvent(now, fork, run, outcome.end) };
    case "aborted":
    case "asleep":
    case "broken":
      return outcome;
    default:
      return assertNever(outcome);
  }
}

/** The first task that ends; undefined if a sleeping item wakes before. */
async function raceWithReset<T>(
  tasks: readonly Promise<T>[],
  first: SleepingPhase | undefined,
  ports: ParallelItemsPorts,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (!first || first.paused) return Promise.race(tasks);
  const over = new AbortController();
  const reset = pauseUntil(parseMillis(first.until, 0), ports, AbortSignal.any([signal, over.signal]));
  try {
    return await Promise.race([...tasks, reset.then(() => undefined)]);
  } finally {
    over.abort();
  }
}

async function mergeItem(
  items: ItemRunner,
  { pass }: CastState,
  fork: ParallelRun,
  work: EndedItem,
): Promise<ItemStepResult> {
  const title = pass?.items[work.index]?.title ?? "";
  const { commit } = work.end;
  const outcome = await items.merge({ fork: fork.number, work, title, commit, tip: fork.tip });
  if (outcome.kind === "broken") return outcome;
  return { kind: "decided", decide: (now) => itemMergeEvent(now, fork, work, outcome) };
}

function unmergedItems(fork: ParallelRun, size: number): readonly CastId[] {
  return Array.from({ length: size }, (_, index) => itemRunAt(fork, index)).flatMap((run) =>
    run && (run.kind !== "merged" || run.dropped) ? [run.child] : [],
  );
}

async function joinLoop(
  ports: ParallelItemsPorts & { items: ItemRunner },
  fork: ParallelRun,
  state: CastState,
): Promise<ItemStepResult> {
  const { loop, door, number, base, branch, tip } = fork;
  const unmerged = unmergedItems(fork, state.pass?.items.length ?? 0);
  const joined = await ports.items.join({ fork: number, base: base.commit, branch, tip, unmerged });
  switch (joined.kind) {
    case "joined": {
      const files = await checkpointJoinedItems(ports, state);
      const event = { type: "loop_joined", loop, commit: joined.commit, ...(files ? { files } : {}) } as const;
      return { kind: "decided", decide: () => event };
    }
    case "refused": {
      const failed = { type: "turn_failed", socket: door, visit: 0, reason: "join", usage: NO_USAGE } as const;
      return { kind: "decided", decide: () => ({ ...failed, message: joined.reason }) };
    }
    case "broken":
      return joined;
    default:
      return assertNever(joined);
  }
}

/** [V40] Takes a checkpoint of the merged items before the next visit starts. */
async function checkpointJoinedItems({ checkpoints: files, holdsClaim: holds }: ParallelItemsPorts, state: CastState) {
  if (!files || !state.files || !(await holds())) return undefined;
  const { last } = state.files;
  return files.take({ last, since: last, title: "Items joined" });
}
