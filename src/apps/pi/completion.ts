import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../core/model/text.ts";
import { lineText } from "../../core/view/line.ts";
import { suggestCompletions } from "../../shell/commands/completion-suggestions.ts";
import { fitWords } from "./screen/card.ts";
import { runUnlessReplacedAsync } from "./session/user-session.ts";
import { resolveProject } from "./session/project.ts";

interface Completion {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

const MAX_COMPLETIONS = 40;
/** Pi draws what a completion is after a column of the words, and would cut it anywhere. */
const WORD_COLUMNS = 36;

/** [X28] Completes the word at the cursor. Pi replaces all typed text with the chosen value. */
export async function completeCommand(typed: string, ctx: ExtensionContext | undefined): Promise<Completion[] | null> {
  const start = typed.search(/\S*$/);
  const [before, partial] = [typed.slice(0, start), typed.slice(start)];
  const offers = (await runUnlessReplacedAsync(() => offersAtCursor(before, partial, ctx))) ?? [];
  // With an open list Enter selects from it, so a complete word would need two.
  if (offers.some(({ word }) => word.trim() === partial)) return null;
  const room = (process.stdout.columns ?? 100) - WORD_COLUMNS;
  const items = offers
    .filter(({ word }) => word.toLowerCase().startsWith(partial.toLowerCase()))
    .slice(0, MAX_COMPLETIONS)
    .map(({ word, description }) => ({
      value: `${before}${word}`,
      label: word.trim(),
      ...(description === undefined
        ? {}
        : { description: lineText(fitWords([{ text: oneLine(description, 200) }], room)) }),
    }));
  return items.length > 0 ? items : null;
}

async function offersAtCursor(before: string, partial: string, ctx: ExtensionContext | undefined) {
  const words = before.split(/\s+/).filter((word) => word !== "");
  const ofPi = words.length === 0 ? [{ word: "detach", description: "continue this cast in the background" }] : [];
  const suggestions = await suggestCompletions(words, partial, {
    open: () => {
      const place = ctx && resolveProject(ctx, {});
      return place?.ok ? place.value.workspace : undefined;
    },
    models: () =>
      (ctx?.modelRegistry.getAvailable() ?? []).map(({ provider, id, name }) => ({
        word: `${provider}/${id} `,
        description: name,
      })),
  });
  return [...suggestions, ...ofPi];
}
