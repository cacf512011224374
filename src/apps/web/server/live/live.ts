import type { FolderWatcher } from "../../../../shell/system/folder-watch.ts";
import type { CastRuns } from "./runs.ts";

/** What the streams hear of the world. */
export interface LiveSources {
  readonly watch: FolderWatcher;
  readonly runs: CastRuns;
  /** Calls back each second until stopped. */
  readonly everySecond: (listener: () => void) => () => void;
}
