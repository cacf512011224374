import { createHash } from "node:crypto";
import { appendAll } from "../../core/model/lists.ts";
import type { CastId } from "../../core/model/ids.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import {
  castSpan,
  createVisitSplitter,
  visitSpans,
  type TracedCast,
  type TracedVisit,
} from "../../core/telemetry/cast-spans.ts";
import type { TraceSpan, SpanOptions } from "../../core/telemetry/span.ts";
import { readArtifactText, type CastStore } from "../store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

export function spanOptions(contents: boolean): SpanOptions {
  return { contents, digest: (text) => createHash("sha256").update(text).digest("hex") };
}

/** [TM1, TM2] All spans of a cast and of its items. */
export async function readCastSpans(
  store: CastStore,
  castId: CastId,
  options: SpanOptions,
): Promise<Result<readonly TraceSpan[]>> {
  const loaded = await store.load(castId);
  if (!loaded.ok) return loaded;
  const { file: cast, events } = loaded.value;
  const spans: TraceSpan[] = [castSpan(cast, { first: events[0], last: events.at(-1) }, options)];
  const splitter = createVisitSplitter();
  const isEnded = events.at(-1)?.type === "cast_ended";
  for (const event of events) {
    const visit = splitter.push(event);
    if (visit) appendAll(spans, await readVisitSpans(store, cast, visit, options));
    if (event.type !== "item_started") continue;
    // An item whose cast is gone or damaged must not hide the others.
    const item = await readCastSpans(store, event.child, options);
    if (item.ok) appendAll(spans, item.value);
  }
  const current = isEnded ? undefined : splitter.current();
  if (current) appendAll(spans, await readVisitSpans(store, cast, current, options));
  return ok(spans);
}

export async function readVisitSpans(
  store: CastStore,
  cast: TracedCast,
  visit: TracedVisit,
  options: SpanOptions,
): Promise<readonly TraceSpan[]> {
  const at = { socket: visit.visit.socket, visit: visit.visit.visit, name: TRANSCRIPT_FILE };
  return visitSpans(cast, visit, (await readArtifactText(store, cast.castId, at)) ?? "", options);
}
