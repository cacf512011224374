import type { CompletionCommand } from "../../../core/command/command.ts";
import { oneLine } from "../../../core/model/values/text.ts";
import { line } from "../../../core/view/text/line.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import type { CommandOutput } from "../answer/answer.ts";
import { suggestCompletions } from "./offers.ts";
import { COMPLETION_SCRIPTS } from "./scripts.ts";

/** [C34] The script for a shell, or one line for each word that could stand there: the word, a tab, what it is. */
export async function runCompletion(workspace: Workspace, { wants }: CompletionCommand): Promise<CommandOutput> {
  if ("shell" in wants) {
    const script = COMPLETION_SCRIPTS[wants.shell];
    return {
      code: 0,
      data: { shell: wants.shell, script },
      lines: () =>
        script
          .trimEnd()
          .split("\n")
          .map((text) => line(text)),
    };
  }
  const before = wants.words.slice(0, -1);
  const partial = wants.words.at(-1) ?? "";
  const offers = (await suggestCompletions(before, partial, { open: () => workspace }))
    .map(({ word, description }) => ({ word: unquoteWord(word), description: oneLine(description ?? "", 80) }))
    .filter(({ word }) => word.toLowerCase().startsWith(partial.toLowerCase()));
  return {
    code: 0,
    data: offers,
    lines: () => offers.map(({ word, description }) => line(description === "" ? word : `${word}\t${description}`)),
  };
}

/** A shell quotes by itself. */
function unquoteWord(word: string): string {
  const text = word.trim();
  return text.startsWith('"')
    ? text.replaceAll(/"([^"]*)"|'"'/g, (_, inner: string | undefined) => inner ?? '"')
    : text;
}
