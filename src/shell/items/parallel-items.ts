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
import { withoutUndefined } from "../../core/model/json.ts";
import { pauseUntil } from "../context/run-context.ts";
import type { ItemsFailure, ItemRunner } from "../item-ports.ts";
import type { Ports } from "../ports.ts";

/** The result of one task: `decide` makes its event from the state at that time. */
type ItemStepResult =
  | { readonly kind: "decided"; readonly decide: (state: CastState) => EventBody }
  | { readonly kind: "aborted" }
  /** [Z12] Every item that is left sleeps; this one wakes first. */
  | { readonly kind: "asleep"; readonly sleep: SleepingPhase }
  | ItemsFailure;

export type ParallelItems = ReturnType<typeof openParallelItems>;

type ParallelItemsPorts = Pick<Ports, "items" | "checkpoints" | "holdsClaim" | "now" | "pause">;

/** The running tasks of a parallel loop: items, and the merge of one item. */
export function openParallelItems(ports: ParallelItemsPorts, outer: AbortSignal) {
  const { items } = ports;
  const stop = new AbortController();
  const signal = AbortSignal.any([outer, stop.signal]);
  const tasks = new Map<string, Promise<{ readonly name: string; readonly result: ItemStepResult }>>();
  const start = (name: string, run: () => Promise<ItemStepResult>): void => {
    const named = async () => ({ name, result: await run() });
    if (!tasks.has(name)) tasks.set(name, named());
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
    /** Starts the tasks that are due and waits for the first one to end. */
    step: async (effect: ParallelEffect, state: CastState): Promise<ItemStepResult> => {
      if (effect.kind === "fork") return forkLoop(items, effect.loop, signal);
      // The journal has a parallel run, so it was written where items could run at once.
      if (!items) return { kind: "broken", problem: "its items cannot run here: there are no working trees" };
      return effect.kind === "join"
        ? joinLoop({ ...ports, items }, effect.fork, state)
        : stepItems(items, effect, state);
    },
    /** Stops the running tasks and waits for them. */
    close,
    /** [V14] Also claims every running item: a killed owner may have left its programs running. */
    abort: async (effect: Effect, state: CastState): Promise<void> => {
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
  const refused = { kind: "refused", reason: "there are no working trees here" } as const;
  const forked = (await items?.findBase(signal)) ?? refused;
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
  const outcome = await items.run({
    fork: fork.number,
    work: run,
    start: itemCastStart(state, fork, run),
    title: state.pass?.items[run.index]?.title ?? "",
    parent: state,
    countedUsage: run.before?.usage ?? NO_USAGE,
    resume: run.resume,
    signal,
  });
  if (outcome.kind !== "ended") return outcome;
  return { kind: "decided", decide: (now) => itemEndedEvent(now, fork, run, outcome.end) };
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

function unmergedItems(fork: ParallelRun, size: number) {
  const runs = Array.from({ length: size }, (_, index) => itemRunAt(fork, index));
  return runs.flatMap((run) => (run && (run.kind !== "merged" || run.dropped) ? [run.child] : []));
}

async function joinLoop(
  ports: ParallelItemsPorts & { items: ItemRunner },
  fork: ParallelRun,
  state: CastState,
): Promise<ItemStepResult> {
  const { loop, door, number, base, branch, tip } = fork;
  const unmerged = unmergedItems(fork, state.pass?.items.length ?? 0);
  const joined = await ports.items.join({ fork: number, base: base.commit, branch, tip, unmerged });
  if (joined.kind === "broken") return joined;
  if (joined.kind === "refused") {
    const failed = { type: "turn_failed", socket: door, visit: 0, reason: "join", usage: NO_USAGE } as const;
    return { kind: "decided", decide: () => ({ ...failed, message: joined.reason }) };
  }
  // [V40] Takes a checkpoint of the merged items before the next visit starts.
  const last = (await ports.holdsClaim()) ? state.files?.last : undefined;
  const files =
    last === undefined ? undefined : await ports.checkpoints?.take({ last, since: last, title: "Items joined" });
  const event = { type: "loop_joined", loop, commit: joined.commit, ...withoutUndefined({ files }) } as const;
  return { kind: "decided", decide: () => event };
}
