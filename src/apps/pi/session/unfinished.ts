import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { oneLine } from "../../../core/model/text.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import { castIds, summaryOf } from "../../../shell/store/casts.ts";
import { openPlace } from "./place.ts";

const LOOKED_AT = 20;

/** The newest cast that was interrupted or waits, with the command that goes on with it. */
export function unfinishedText(ctx: ExtensionContext): string | undefined {
  const place = openPlace(ctx, {});
  if (!place.ok) return undefined;
  const { root } = place.value.workspace;
  const unfinished = castIds(root)
    .slice(0, LOOKED_AT)
    .flatMap((castId) => summaryOf(root, castId) ?? [])
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
