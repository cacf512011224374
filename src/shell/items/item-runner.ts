import { relative, sep } from "node:path";
import { isJsonObject, withoutUndefined, type JsonObject } from "../../core/model/json.ts";
import { reworkDecisionEvents, reworkLimitOf } from "../../core/cast/rework-limit.ts";
import { itemResultOf } from "../../core/cast/decide-items.ts";
import type { EventBody, EventOf } from "../../core/cast/state/event.ts";
import { phaseBeforeEnd, type CastStart, type CastState } from "../../core/cast/state/state.ts";
import { NO_USAGE } from "../../core/cast/state/usage.ts";
import type { CastId } from "../../core/model/ids.ts";
import { issuesText, type Issue } from "../../core/model/issue.ts";
import type { CachedWorktree } from "../git/cached-worktree.ts";
import type { ItemCastInput } from "../../core/cast/state/parallel-run.ts";
import type { ItemOutcome, ItemRequest, ItemRunner, ItemsFailure, ItemWorktrees } from "../item-ports.ts";
import { writeOptionsFor, type RunContext, type RunOutcome } from "../context/run-context.ts";
import { castStartOf, type CastFile } from "../store/cast-file.ts";
import type { CurrentCast, LoadedCast, OwnedCast } from "../store/cast-store.ts";
import { createSharedBudget, type SharedBudget } from "./shared-budget.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";

/** Runs an owned cast to its end or its next pause. `firstEvents` are written before it continues. */
export type RunOwnedCast = (
  owned: OwnedCast,
  cast: Pick<CurrentCast, "file" | "state"> & Partial<Pick<CurrentCast, "timeline">>,
  context: RunContext,
  firstEvents: (found: StoppedCastFacts) => readonly EventBody[],
) => Promise<RunOutcome>;

/** What `cast_resumed` says: usage that no event has counted, files that changed since, and who runs the cast. */
export type StoppedCastFacts = Pick<EventOf<"cast_resumed">, "usage" | "files" | "worker">;

interface ItemRunnerOptions {
  readonly trees: ItemWorktrees & { readonly cachedWorktree?: (child: CastId) => CachedWorktree | undefined };
  /** What the parent was started with. */
  readonly file: CastFile;
  /** How the parent runs. */
  readonly context: RunContext;
  readonly runOwnedCast: RunOwnedCast;
}

/** Runs the items of a parallel loop in this process: each is an ordinary cast in its own working tree. */
export function createItemRunner(options: ItemRunnerOptions): ItemRunner {
  const { trees } = options;
  const budgets = new Map<number, SharedBudget>();
  const budgetOf = ({ fork, parent }: ItemRequest): SharedBudget => {
    const budget = budgets.get(fork) ?? createSharedBudget(parent);
    budgets.set(fork, budget);
    return budget;
  };
  return {
    findBase: trees.findBase,
    run: (request) => runItem({ ...options, budget: budgetOf(request) }, request),
    merge: trees.merge,
    join: trees.join,
  };
}

type ItemRunnerContext = ItemRunnerOptions & { readonly budget: SharedBudget };

async function runItem(runner: ItemRunnerContext, request: ItemRequest): Promise<ItemOutcome> {
  const { store } = runner.context;
  const { child } = request.work;
  const { aborted } = request.signal;
  const found = await store.find(child);
  if (!found.ok) return aborted ? { kind: "aborted" } : startItem(runner, request);
  const cast = await store.load(child);
  if (!cast.ok) return brokenOutcome(cast.issues);
  const { state } = cast.value;
  // [V14] The killed owner of an unfinished item may have left programs running: claiming the item ends them.
  if (aborted && state.phase.kind === "ended") return { kind: "aborted" };
  return isItemFinished(cast.value, request)
    ? itemOutcome(runner, request, state)
    : resumeItem(runner, request, cast.value);
}

/** Whether an ended cast has nothing left to do: it reached its end, or failed again after its parent resumed it. */
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

async function startItem(runner: ItemRunnerContext, request: ItemRequest): Promise<ItemOutcome> {
  const { context, file: parent } = runner;
  const { start } = request;
  const tree = await runner.trees.prepare(request.work.child, windowOf(start), "not begun");
  if (tree.kind === "broken") return tree;
  // Create the tree before the cast: a kill in between leaves a tree that the next run replaces.
  const file = itemCastFile(parent, start, tree.cwd);
  const owned = await context.store.create({ file }, writeOptionsFor(context));
  if (!owned.ok) return brokenOutcome(owned.issues);
  const state = initialState(castStartOf(file));
  runner.budget.registerItem(state, NO_USAGE);
  return runOwnedItem(runner, request, owned.value, { state, file, cwd: tree.cwd });
}

function windowOf({ window }: CastStart): ItemCastInput {
  if (!window) throw new Error("the cast of an item has a window");
  return window;
}

/** [V29] What the cast of an item is started with: everything of its parent, with a window on the item. */
export function itemCastFile({ ownWorktree: _own, ...parent }: CastFile, start: CastStart, cwd: string): CastFile {
  const { castId, budget, data } = start;
  const state = withTreeRoot(data, parent.cwd, cwd);
  return { ...parent, castId, budget, state, cwd, window: windowOf(start), startedAt: new Date().toISOString() };
}

/** [V46] The root of the repository that was noted for the person's tree, as the path of the item's tree. */
function withTreeRoot(data: JsonObject, project: string, cwd: string): JsonObject {
  const { vcs } = data;
  const root = isJsonObject(vcs) ? vcs["root"] : undefined;
  if (!isJsonObject(vcs) || typeof root !== "string") return data;
  const below = relative(root, project);
  if (below.startsWith("..") || (below !== "" && !cwd.endsWith(`${sep}${below}`))) return data;
  return { ...data, vcs: { ...vcs, root: below === "" ? cwd : cwd.slice(0, -below.length - 1) } };
}

async function resumeItem(runner: ItemRunnerContext, request: ItemRequest, known: CurrentCast): Promise<ItemOutcome> {
  const { context } = runner;
  const hasWorked = known.state.done.visits > 0 || phaseBeforeEnd(known.state.phase).kind === "visiting";
  const progress = { checkpoint: known.state.files?.last, hasWorked };
  const tree = await runner.trees.prepare(known.castId, windowOf(request.start), progress);
  if (tree.kind === "broken") return tree;
  const owned = await context.store.claim(known.castId, writeOptionsFor(context));
  if (!owned.ok) return brokenOutcome(owned.issues);
  const cast = await owned.value.load(known);
  if (!cast.ok) {
    await owned.value.release();
    return brokenOutcome(cast.issues);
  }
  const { state, file } = cast.value;
  runner.budget.registerItem(state, request.countedUsage);
  return runOwnedItem(runner, request, owned.value, { state, file, cwd: tree.cwd });
}

/** [V12] Raised limits of the parent apply to its items; extra rounds only to items that a limit stopped. */
export function itemResumeEvents(
  state: CastState,
  { start, resume }: Pick<ItemRequest, "start" | "resume">,
  found: StoppedCastFacts = {},
): readonly EventBody[] {
  if (state.phase.kind === "unstarted") return [];
  const { maxTokens, maxCostUsd } = start.budget;
  const { waitForProvider } = start.limits;
  const isRaised = JSON.stringify(state.budget) !== JSON.stringify(start.budget);
  const decision = resume?.decision ?? null;
  const raised = withoutUndefined({
    ...(isRaised ? { maxTokens, maxCostUsd } : {}),
    allow: resume !== null && resume.allow > 0 && state.phase.kind === "ended" ? resume.allow : undefined,
    hint: decision?.kind === "hint" && reworkLimitOf(state) ? decision.text : undefined,
    waitForProvider: waitForProvider === state.limits.waitForProvider ? undefined : waitForProvider,
  });
  const by = resume === null ? "its parent" : resumerName(resume.seq);
  return [
    ...(Object.keys(raised).length === 0 ? [] : [{ type: "limits_raised" as const, ...raised }]),
    { type: "cast_resumed", by, ...found },
    // Written once: after a kill the cast continues behind it.
    ...reworkDecisionEvents(state, decision),
  ];
}

async function runOwnedItem(
  runner: ItemRunnerContext,
  request: ItemRequest,
  owned: OwnedCast,
  { cwd, ...cast }: Pick<CurrentCast, "file" | "state"> & { readonly cwd: string },
): Promise<ItemOutcome> {
  try {
    const context = itemRunContext(runner, request, cwd);
    const end = await runner.runOwnedCast(owned, cast, context, (found) =>
      itemResumeEvents(cast.state, request, found),
    );
    if (end.kind === "broken") return { kind: "broken", problem: end.problem };
    if (end.kind === "waiting") return { kind: "broken", problem: `${owned.castId} waits for a person` };
    const { phase } = end.state;
    if (phase.kind === "sleeping") return { kind: "asleep", sleep: phase };
    if (end.kind === "paused") return { kind: "aborted" };
    if (phase.kind === "ended" && phase.outcome === "aborted" && request.signal.aborted) return { kind: "aborted" };
    return await itemOutcome(runner, request, end.state);
  } finally {
    await owned.release();
  }
}

/** Like its parent, in its own tree; observers receive the events of items separately. */
function itemRunContext(
  { context, trees, budget }: ItemRunnerContext,
  { signal, work }: ItemRequest,
  cwd: string,
): RunContext {
  const { onSteps: _steps, onProgress: _progress, ...parent } = context;
  return {
    ...parent,
    signal,
    cwd,
    leavesSleep: true,
    cachedWorktree: trees.cachedWorktree?.(work.child),
    admit: budget.admit,
    ...withoutUndefined({ onSteps: parent.onItemSteps, onProgress: parent.onItemProgress }),
  };
}

/** Saves the work before the parent learns that the item is done. */
async function itemOutcome(
  { trees }: ItemRunnerOptions,
  { work, start, title }: ItemRequest,
  state: CastState,
): Promise<ItemOutcome> {
  const { phase } = state;
  const isDone = phase.kind === "ended" && (phase.outcome === "completed" || phase.outcome === "not_satisfied");
  if (!isDone || !start.window) return { kind: "ended", end: itemResultOf(state) };
  const { window } = start;
  const kept = await trees.saveWork({ child: work.child, window, title, checkpoint: state.files?.last });
  return kept.kind === "broken" ? kept : { kind: "ended", end: itemResultOf(state, kept) };
}

function brokenOutcome(issues: readonly Issue[]): ItemsFailure {
  return { kind: "broken", problem: issuesText(issues) };
}
