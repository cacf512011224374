import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../../core/model/values/text.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { openPlace } from "./place.ts";

const LOOKED_AT = 20;
const NAMED = 3;

/** [X27] The newest casts that were left, however they were left, each with the command that goes on with it. */
export async function unfinishedText(ctx: ExtensionContext): Promise<string | undefined> {
  const place = openPlace(ctx, {});
  if (!place.ok) return undefined;
  const { store } = place.value.workspace;
  const ids = await store.ids();
  if (!ids.ok) return undefined;
  const looked = await Promise.all(ids.value.slice(0, LOOKED_AT).map(store.summary));
  const left = looked.flatMap((cast) => (cast ? sentence(cast) : []));
  if (left.length === 0) return undefined;
  const more = left.length > NAMED ? [`${left.length - NAMED} more: /materia casts`] : [];
  return [...left.slice(0, NAMED), ...more].join("\n");
}

function sentence({ castId, status, request }: CastSummary): readonly string[] {
  const what = `The cast “${oneLine(request, 60)}”`;
  if (status === "waiting") return [`${what} waits for you: /materia continue ${castId}`];
  if (status === "interrupted") return [`${what} was interrupted: /materia recast ${castId} goes on where it stopped`];
  if (status === "running") return [`${what} runs in another process: /materia watch ${castId}`];
  return [];
}
