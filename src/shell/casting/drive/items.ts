import { started } from "../../../core/cast/next.ts";
import type { EventBody } from "../../../core/cast/state/event.ts";
import type { OpenCheckpoints } from "../../git/cast-checkpoints.ts";
import { openGitTrees } from "../../git/items/git-trees.ts";
import { sharedBudget } from "../../items/budget.ts";
import { openItems, type ItemDrive } from "../../items/items.ts";
import type { Items, Ports } from "../../ports.ts";
import type { RunEnd } from "../../run/run-cast.ts";
import { runSetup } from "../../run/utility/run-setup.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { CastStore, OwnedCast } from "../../store/cast-store.ts";
import { treePool } from "../../store/layout.ts";
import { checkpointsOf } from "./checkpoints.ts";
import { writingOf, type Driver } from "./driver.ts";
import { cutOffOf } from "./interruption.ts";

/** Where a cast is kept, and what it was started with: what its items are made from. */
export interface Family {
  readonly store: CastStore;
  readonly file: CastFile;
}

/** Drives the cast of one item, as any cast is driven. */
export type DriveItem = (
  owned: OwnedCast,
  run: Omit<ItemDrive, "signal"> & Pick<Ports, "files" | "admit">,
  driver: Driver,
) => Promise<RunEnd>;

/** [V6] What a cast with a parallel loop needs for its items; nothing for any other. */
export function itemsOf(
  { store, file }: Family,
  { owned, cwd, driver }: { readonly owned: OwnedCast; readonly cwd: string; readonly driver: Driver },
  drive: DriveItem,
): Items | undefined {
  const isParallel = Object.values(file.graph.loops).some(({ parallel }) => parallel !== undefined);
  if (!isParallel || file.window !== undefined) return undefined;
  if (driver.travels) return driver.travels.items?.({ owned, file, cwd });
  const place = {
    castId: file.castId,
    cwd,
    artifacts: store.place,
    trees: owned.trees,
    pool: treePool(store.place),
    worktree: file.worktree ?? {},
  };
  const setUp = (command: readonly string[], at: string) =>
    runSetup({ setting: "worktree.setup", command, cwd: at, signal: driver.signal });
  const trees = openGitTrees({ ...place, setUp });
  return openItems({
    store,
    trees,
    file,
    writing: writingOf(driver),
    budgetOf: sharedBudget,
    cutOff: (cast, at) => cutOffOf(store, cast, { cwd: at, meanwhile: undefined }),
    drive: (child, { signal, ...run }) => {
      const files = checkpointsOf(store, child, { ...run.file, cwd: run.cwd }, trees.known(child.castId));
      return driveItem(child, { run, driver: listening(driver, signal), files }, drive);
    },
  });
}

interface ItemParts {
  readonly run: Omit<ItemDrive, "signal">;
  readonly driver: Driver;
  readonly files: OpenCheckpoints | undefined;
}

/** With checkpoints of its own, where its parent has them. */
async function driveItem(owned: OwnedCast, { run, driver, files }: ItemParts, drive: DriveItem): Promise<RunEnd> {
  try {
    const begun: readonly EventBody[] =
      files && run.state.phase.kind === "unstarted" ? [started(run.state, await files.begin())] : [];
    return await drive(owned, { ...run, first: [...begun, ...(run.first ?? [])], ...(files ? { files } : {}) }, driver);
  } finally {
    files?.close();
  }
}

/** Who listens to the cast hears its items apart from it. */
function listening({ onSteps: _steps, onProgress: _progress, ...driver }: Driver, signal: AbortSignal): Driver {
  const { onItemSteps, onItemProgress } = driver;
  return {
    ...driver,
    signal,
    ...(onItemSteps ? { onSteps: onItemSteps } : {}),
    ...(onItemProgress ? { onProgress: onItemProgress } : {}),
  };
}
