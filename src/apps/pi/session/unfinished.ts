import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../../core/model/values/text.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { openPlace } from "./place.ts";

const LOOKED_AT = 20;

/** The newest cast that was interrupted or waits, with the command that goes on with it. */
export async function unfinishedText(ctx: ExtensionContext): Promise<string | undefined> {
  const place = openPlace(ctx, {});
  if (!place.ok) return undefined;
  const { store } = place.value.workspace;
  const ids = await store.ids();
  if (!ids.ok) return undefined;
  const looked = await Promise.all(ids.value.slice(0, LOOKED_AT).map(store.summary));
  const unfinished = looked
    .flatMap((cast) => cast ?? [])
    .filter(({ status }) => status === "interrupted" || status === "waiting");
  const [newest] = unfinished;
  if (!newest) return undefined;
  const more = unfinished.length > 1 ? ` (${unfinished.length - 1} more: /materia casts)` : "";
  return `${sentence(newest)}${more}`;
}

function sentence({ castId, status, request }: CastSummary): string {
  const what = `“${oneLine(request, 60)}”`;
  return status === "waiting"
    ? `The cast ${what} waits for you: /materia show ${castId}, then /materia continue ${castId}`
    : `The cast ${what} was interrupted: /materia recast ${castId} goes on where it stopped`;
}
