import type { Options } from "../../core/command/options.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { line, type Line } from "../../core/view/line.ts";
import type { CommandOutput } from "../../shell/commands/command-output.ts";
import { runCommand, type ImmediateCommand } from "../../shell/commands/run-command.ts";
import type { CommandContext } from "./casts/session-state.ts";
import type { SessionProject } from "./session/project.ts";

/** Runs a command that answers at once, and shows the answer. */
export async function answerCommand(
  context: CommandContext,
  { workspace, from, left }: SessionProject,
  { command, options }: { readonly command: ImmediateCommand; readonly options: Options },
): Promise<Result<undefined>> {
  const found = await runCommand(command, workspace, from);
  if (!found.ok) return found;
  showAnswer(context, found.value, options);
  if (left) context.screen.note(left.hint === undefined ? left.message : `${left.message}: ${left.hint}`, "warning");
  return ok(undefined);
}

export function showAnswer({ screen }: CommandContext, { code, data, lines }: CommandOutput, { json }: Options): void {
  screen.showAnswer({ lines: json ? jsonLines(data) : lines(screen.width()), data, code });
}

function jsonLines(data: unknown): readonly Line[] {
  return JSON.stringify(data, undefined, 2)
    .split("\n")
    .map((text) => line(text));
}
