import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../../core/model/text.ts";
import { resolveProject } from "./project.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";

const MAX_CASTS_CHECKED = 20;
const MAX_CASTS_NAMED = 3;

/** [X27] The newest unfinished casts, each with the command that continues it. */
export async function unfinishedCastsText(ctx: ExtensionContext): Promise<string | undefined> {
  const place = resolveProject(ctx, {});
  if (!place.ok) return undefined;
  const { store } = place.value.workspace;
  const ids = await store.listIds();
  if (!ids.ok) return undefined;
  const looked = await Promise.all(ids.value.slice(0, MAX_CASTS_CHECKED).map(store.summary));
  const left = looked.flatMap((cast) => (cast ? castSentences(cast) : []));
  if (left.length === 0) return undefined;
  const more = left.length > MAX_CASTS_NAMED ? [`${left.length - MAX_CASTS_NAMED} more: /materia casts`] : [];
  return [...left.slice(0, MAX_CASTS_NAMED), ...more].join("\n");
}

function castSentences({ castId, status, request }: CastSummary): readonly string[] {
  const what = `The cast “${oneLine(request, 60)}”`;
  if (status === "waiting") return [`${what} waits for you: /materia continue ${castId}`];
  if (status === "interrupted") return [`${what} was interrupted: /materia recast ${castId} continues it`];
  if (status === "running") return [`${what} runs in another process: /materia watch ${castId}`];
  return [];
}
