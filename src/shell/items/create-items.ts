import { startedEvent } from "../../core/cast/next.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import type { CheckpointSession } from "../git/checkpoint-session.ts";
import { createGitWorktrees } from "../git/worktrees/git-worktrees.ts";
import { createSharedBudget } from "./shared-budget.ts";
import { createItemRunner, type ItemCastRun } from "./item-runner.ts";
import type { ItemRunner, Ports } from "../ports.ts";
import type { RunOutcome } from "../run/run-cast.ts";
import { runSetupCommand } from "../run/run-utility.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore, OwnedCast } from "../store/cast-store.ts";
import { worktreePool } from "../store/layout.ts";
import { openCastCheckpoints } from "../run/visit-checkpoints.ts";
import { writeOptionsFor, type RunContext } from "../run/run-context.ts";
import { readInterruptedVisit } from "../run/interrupted-visit.ts";

/** Where a cast is kept, and what it was started with: what its items are made from. */
export interface ItemsContext {
  readonly store: CastStore;
  readonly file: CastFile;
}

/** Drives the cast of one item, as any cast is driven. */
export type RunItemCast = (
  owned: OwnedCast,
  run: Omit<ItemCastRun, "signal"> & Pick<Ports, "checkpoints" | "admit">,
  driver: RunContext,
) => Promise<RunOutcome>;

/** [V6] What a cast with a parallel loop needs for its items; nothing for any other. */
export function createItems(
  { store, file }: ItemsContext,
  { owned, cwd, driver }: { readonly owned: OwnedCast; readonly cwd: string; readonly driver: RunContext },
  drive: RunItemCast,
): ItemRunner | undefined {
  const isParallel = Object.values(file.graph.loops).some(({ parallel }) => parallel !== undefined);
  if (!isParallel || file.window !== undefined) return undefined;
  if (driver.fleetHooks) return driver.fleetHooks.items?.({ owned, file, cwd });
  const place = {
    castId: file.castId,
    cwd,
    artifacts: store.location,
    worktreesFolder: owned.worktreesFolder,
    pool: worktreePool(store.location),
    worktree: file.worktree ?? {},
  };
  const setUp = (command: readonly string[], at: string) =>
    runSetupCommand({ setting: "worktree.setup", command, cwd: at, signal: driver.signal });
  const trees = createGitWorktrees({ ...place, runSetup: setUp });
  return createItemRunner({
    store,
    trees,
    file,
    writing: writeOptionsFor(driver),
    budgetOf: createSharedBudget,
    readInterruptedVisit: (cast, at) => readInterruptedVisit(store, cast, { cwd: at, meanwhile: undefined }),
    runItemCast: (child, { signal, ...run }) => {
      const files = openCastCheckpoints(
        store,
        child,
        { ...run.file, cwd: run.cwd },
        trees.cachedWorktree(child.castId),
      );
      return runItemWithCheckpoints(child, { run, driver: itemRunContext(driver, signal), files }, drive);
    },
  });
}

interface ItemRunParts {
  readonly run: Omit<ItemCastRun, "signal">;
  readonly driver: RunContext;
  readonly files: CheckpointSession | undefined;
}

/** With checkpoints of its own, where its parent has them. */
async function runItemWithCheckpoints(
  owned: OwnedCast,
  { run, driver, files }: ItemRunParts,
  drive: RunItemCast,
): Promise<RunOutcome> {
  try {
    const begun: readonly EventBody[] =
      files && run.state.phase.kind === "unstarted" ? [startedEvent(run.state, await files.takeFirst())] : [];
    return await drive(
      owned,
      { ...run, first: [...begun, ...(run.first ?? [])], ...(files ? { checkpoints: files } : {}) },
      driver,
    );
  } finally {
    files?.close();
  }
}

/** Who listens to the cast hears its items apart from it. */
function itemRunContext(
  { onSteps: _steps, onProgress: _progress, ...driver }: RunContext,
  signal: AbortSignal,
): RunContext {
  const { onItemSteps, onItemProgress } = driver;
  return {
    ...driver,
    signal,
    ...(onItemSteps ? { onSteps: onItemSteps } : {}),
    ...(onItemProgress ? { onProgress: onItemProgress } : {}),
  };
}
