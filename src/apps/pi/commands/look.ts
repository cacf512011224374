import type { Options } from "../../../core/command/options.ts";
import { ok, type Issue, type Result } from "../../../core/model/issue.ts";
import { line, type Line } from "../../../core/view/text/line.ts";
import type { Answer } from "../../../shell/commands/answer/answer.ts";
import { answer, type AnsweredCommand } from "../../../shell/commands/run-command.ts";
import type { CommandContext } from "../casts/state.ts";
import type { SessionPlace } from "../session/place.ts";

/** A command that is answered at once, and its answer on the screen. */
export async function lookIn(
  context: CommandContext,
  { workspace, from, left }: SessionPlace,
  { command, options }: { readonly command: AnsweredCommand; readonly options: Options },
): Promise<Result<undefined>> {
  const found = await answer(command, workspace, from);
  if (!found.ok) return found;
  showAnswer(context, found.value, options);
  if (left) context.screen.note(noteOf(left), "warning");
  return ok(undefined);
}

export function showAnswer({ screen }: CommandContext, { code, data, lines }: Answer, { json }: Options): void {
  screen.answer({ lines: json ? jsonLines(data) : lines(screen.width()), data, code });
}

function jsonLines(data: unknown): readonly Line[] {
  return JSON.stringify(data, undefined, 2)
    .split("\n")
    .map((text) => line(text));
}

function noteOf({ message, hint }: Issue): string {
  return hint === undefined ? message : `${message}: ${hint}`;
}
