import type { Options } from "../../../core/command/options.ts";
import type { Workspace } from "../../../shell/casting/workspace/workspace.ts";
import type { Io } from "./io.ts";

/** What surrounds a command. */
export interface CliContext {
  readonly options: Options;
  readonly io: Io;
  readonly workspace: Workspace;
}
