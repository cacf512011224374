import { ok, type Result } from "../../core/model/issue.ts";
import type { Line } from "../../core/view/line.ts";
import type { ReviewProblem } from "../../core/view/issues.ts";

/** The result of a command that starts no cast: a value for programs and lines for people. The face prints it. */
export interface CommandOutput {
  readonly code: number;
  readonly data: unknown;
  readonly lines: (width: number) => readonly Line[];
  /** [C56] The same as problems at places of files, for `--format`. */
  readonly findings?: () => readonly ReviewProblem[];
  /** Output for another program in place of the lines, byte for byte. */
  readonly piped?: Uint8Array;
}

export type CommandResult = Promise<Result<CommandOutput>>;

/** A successful output; exit code 0 unless `more` has another. */
export function answer(
  data: unknown,
  lines: CommandOutput["lines"],
  more: Partial<CommandOutput> = {},
): Result<CommandOutput> {
  return ok({ code: 0, data, lines, ...more });
}
