import { reworkDecisionEvents, reworkLimitOf } from "../../core/cast/rework-limit.ts";
import { itemResultOf } from "../../core/cast/decide-items.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import { initialState, type CastStart, type CastState } from "../../core/cast/state/state.ts";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import type { Issue } from "../../core/model/issue.ts";
import type { ItemsFailure, ItemOutcome, ItemRequest, ItemRunner, ItemWorktrees } from "../ports.ts";
import type { Interruption } from "../run/run-context.ts";
import type { RunOutcome } from "../run/run-cast.ts";
import { castStartOf, type CastFile } from "../store/cast-file.ts";
import type { CastStore, CurrentCast, LoadedCast, OwnedCast, WriteOptions } from "../store/cast-store.ts";
import type { SharedBudget } from "./shared-budget.ts";

/** What the cast of an item is driven from; the same that any cast is. */
export interface ItemCastRun {
  readonly state: CastState;
  readonly file: CastFile;
  readonly cwd: string;
  readonly first?: readonly EventBody[];
  readonly interruption?: Interruption;
  readonly signal: AbortSignal;
  readonly admit: SharedBudget["admit"];
}

export interface ItemRunnerOptions {
  readonly store: CastStore;
  readonly trees: ItemWorktrees;
  /** What the parent was started with. */
  readonly file: CastFile;
  readonly writing: WriteOptions;
  /** One for each fork: what its items and their parent have used between them. */
  readonly budgetOf: (parent: ItemRequest["parent"]) => SharedBudget;
  readonly runItemCast: (owned: OwnedCast, run: ItemCastRun) => Promise<RunOutcome>;
  /** What became of the visit that a cast was cut off in. */
  readonly readInterruptedVisit: (
    cast: CurrentCast,
    cwd: string,
  ) => Promise<Pick<ItemCastRun, "interruption"> & InterruptedUsage>;
}

type InterruptedUsage = Pick<Extract<EventBody, { type: "cast_resumed" }>, "usage">;

/** The items of a parallel loop, each an ordinary cast in a working tree of its own. */
export function createItemRunner(world: ItemRunnerOptions): ItemRunner {
  const { trees } = world;
  const budgets = new Map<number, SharedBudget>();
  const budgetOf = ({ fork, parent }: ItemRequest): SharedBudget => {
    const budget = budgets.get(fork) ?? world.budgetOf(parent);
    budgets.set(fork, budget);
    return budget;
  };
  return {
    findBase: trees.findBase,
    run: (request) => runItem({ ...world, budget: budgetOf(request) }, request),
    merge: trees.merge,
    join: trees.join,
  };
}

interface ItemRunnerContext extends ItemRunnerOptions {
  readonly budget: SharedBudget;
}

async function runItem(world: ItemRunnerContext, request: ItemRequest): Promise<ItemOutcome> {
  const { store } = world;
  const { child } = request.work;
  const { aborted } = request.signal;
  const found = await store.find(child);
  if (!found.ok) return aborted ? { kind: "aborted" } : startItem(world, request);
  const cast = await store.load(child);
  if (!cast.ok) return brokenOutcome(cast.issues);
  const { state } = cast.value;
  // [V14] A cast that nobody drives any more may have left programs running: it is taken up to end them.
  if (aborted && state.phase.kind === "ended") return { kind: "aborted" };
  return isItemFinished(cast.value, request)
    ? itemOutcome(world, request, state)
    : resumeItem(world, request, cast.value);
}

/** Whether a cast that is over has nothing more to do: it reached its end, or failed after it was told to go on. */
export function isItemFinished(
  { state, events }: Pick<LoadedCast, "state" | "events">,
  { resume }: Pick<ItemRequest, "resume">,
): boolean {
  const { phase } = state;
  if (phase.kind !== "ended" || phase.outcome === "aborted") return false;
  if (phase.outcome !== "failed") return true;
  return (
    resume === null || events.some((event) => event.type === "cast_resumed" && event.by === resumerName(resume.seq))
  );
}

function resumerName(seq: number): string {
  return `recast at event ${seq} of its parent`;
}

async function startItem(world: ItemRunnerContext, request: ItemRequest): Promise<ItemOutcome> {
  const { store, writing, file: parent, budget } = world;
  const { start } = request;
  const { window } = start;
  if (!window) throw new Error("the cast of an item has a window");
  const tree = await world.trees.prepare(request.work.child, window, "not begun");
  if (tree.kind === "broken") return tree;
  // The tree is there before the cast: a kill in between leaves a tree that is made anew.
  const file = itemCastFile(parent, start, tree.cwd);
  const owned = await store.create({ file }, writing);
  if (!owned.ok) return brokenOutcome(owned.issues);
  const state = initialState(castStartOf(file));
  budget.registerItem(state, NO_USAGE);
  return runOwnedItem(world, request, owned.value, {
    state,
    file,
    cwd: tree.cwd,
    signal: request.signal,
    admit: budget.admit,
  });
}

/** [V6] What the cast of an item is started with: all that its parent has, with a window on the item. */
export function itemCastFile(
  parent: CastFile,
  { castId, budget, data: state, window }: CastStart,
  cwd: string,
): CastFile {
  if (!window) throw new Error("the cast of an item has a window");
  return { ...parent, castId, budget, state, cwd, window, startedAt: new Date().toISOString() };
}

async function resumeItem(world: ItemRunnerContext, request: ItemRequest, known: CurrentCast): Promise<ItemOutcome> {
  const { store, writing, budget } = world;
  const { window } = request.start;
  if (!window) throw new Error("the cast of an item has a window");
  const tree = await world.trees.prepare(known.castId, window, "begun");
  if (tree.kind === "broken") return tree;
  const owned = await store.claim(known.castId, writing);
  if (!owned.ok) return brokenOutcome(owned.issues);
  const cast = await owned.value.load(known);
  if (!cast.ok) {
    await owned.value.release();
    return brokenOutcome(cast.issues);
  }
  const { state, file } = cast.value;
  budget.registerItem(state, request.countedUsage);
  const { usage, ...interruption } = await world.readInterruptedVisit(cast.value, tree.cwd);
  const first = itemResumeEvents(state, request, usage);
  const { signal } = request;
  const run = { state, file, cwd: tree.cwd, first, signal, admit: budget.admit, ...interruption };
  return runOwnedItem(world, request, owned.value, run);
}

/** [V12] What was raised for the parent holds for its items; more rounds only for those that a limit stopped. */
export function itemResumeEvents(
  state: CastState,
  { start, resume }: Pick<ItemRequest, "start" | "resume">,
  usage?: InterruptedUsage["usage"],
): readonly EventBody[] {
  if (state.phase.kind === "unstarted") return [];
  const { maxTokens, maxCostUsd } = start.budget;
  const isRaised = JSON.stringify(state.budget) !== JSON.stringify(start.budget);
  const allow = resume !== null && resume.allow > 0 && state.phase.kind === "ended" ? { allow: resume.allow } : {};
  const decision = resume?.decision ?? null;
  const hint = decision?.kind === "hint" && reworkLimitOf(state) ? { hint: decision.text } : {};
  const raised = {
    ...(isRaised && maxTokens !== undefined ? { maxTokens } : {}),
    ...(isRaised && maxCostUsd !== undefined ? { maxCostUsd } : {}),
    ...allow,
    ...hint,
  };
  const by = resume === null ? "its parent" : resumerName(resume.seq);
  return [
    ...(Object.keys(raised).length === 0 ? [] : [{ type: "limits_raised" as const, ...raised }]),
    { type: "cast_resumed", by, ...(usage === undefined ? {} : { usage }) },
    // Written once: a kill behind it leaves a cast that goes on from there.
    ...reworkDecisionEvents(state, decision),
  ];
}

async function runOwnedItem(
  world: ItemRunnerContext,
  request: ItemRequest,
  owned: OwnedCast,
  run: ItemCastRun,
): Promise<ItemOutcome> {
  try {
    const end = await world.runItemCast(owned, run);
    if (end.kind === "broken") return { kind: "broken", problem: end.problem };
    if (end.kind === "waiting") return { kind: "broken", problem: `${owned.castId} waits for a person` };
    const { phase } = end.state;
    if (end.kind === "paused") return { kind: "aborted" };
    if (phase.kind === "ended" && phase.outcome === "aborted" && request.signal.aborted) return { kind: "aborted" };
    return await itemOutcome(world, request, end.state);
  } finally {
    await owned.release();
  }
}

/** Its work is kept before anybody hears that it is done. */
async function itemOutcome(
  { trees }: ItemRunnerOptions,
  { work, start, title }: ItemRequest,
  state: CastState,
): Promise<ItemOutcome> {
  const { phase } = state;
  const isDone = phase.kind === "ended" && (phase.outcome === "completed" || phase.outcome === "not_satisfied");
  if (!isDone || !start.window) return { kind: "ended", end: itemResultOf(state) };
  const kept = await trees.saveWork(work.child, start.window, title);
  return kept.kind === "broken" ? kept : { kind: "ended", end: itemResultOf(state, kept) };
}

function brokenOutcome(issues: readonly Issue[]): ItemsFailure {
  return { kind: "broken", problem: issues.map(({ message }) => message).join("; ") };
}
