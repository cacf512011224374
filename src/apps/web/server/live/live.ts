import type { FolderWatch } from "../../../../shell/system/folder-watch.ts";
import type { Runs } from "./runs.ts";

/** What the streams hear of the world. */
export interface Live {
  readonly watch: FolderWatch;
  readonly runs: Runs;
  /** Calls back each second until stopped. */
  readonly everySecond: (listener: () => void) => () => void;
}
