import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../../core/model/values/text.ts";
import { offersFor, type Offer } from "../../../shell/commands/completion/offers.ts";
import { unlessReplacedAsync } from "../session/user-session.ts";
import { openPlace } from "../session/place.ts";

interface Item {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

const SHOWN = 40;

/** [X28] What the word at the cursor could become. Pi puts the chosen value in the place of all that was typed. */
export async function complete(typed: string, ctx: ExtensionContext | undefined): Promise<Item[] | null> {
  const start = typed.search(/\S*$/);
  const [before, partial] = [typed.slice(0, start), typed.slice(start)];
  const offers = (await unlessReplacedAsync(() => offersIn(before, partial, ctx))) ?? [];
  // With a list open Enter takes from it, so that a finished word would need two of them.
  if (offers.some(({ word }) => word.trim() === partial)) return null;
  const items = offers
    .filter(({ word }) => word.toLowerCase().startsWith(partial.toLowerCase()))
    .slice(0, SHOWN)
    .map(({ word, description }) => ({
      value: `${before}${word}`,
      label: word.trim(),
      ...(description === undefined ? {} : { description: oneLine(description, 100) }),
    }));
  return items.length > 0 ? items : null;
}

async function offersIn(before: string, partial: string, ctx: ExtensionContext | undefined): Promise<readonly Offer[]> {
  const words = before.split(/\s+/).filter((word) => word !== "");
  return offersFor(words, partial, {
    open: () => {
      const place = ctx && openPlace(ctx, {});
      return place?.ok ? place.value.workspace : undefined;
    },
    models: () =>
      (ctx?.modelRegistry.getAvailable() ?? []).map(({ provider, id, name }) => ({
        word: `${provider}/${id} `,
        description: name,
      })),
  });
}
