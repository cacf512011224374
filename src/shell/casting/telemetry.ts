import {
  castSpan,
  createVisitSplitter,
  visitSpans,
  type TracedCast,
  type TracedVisit,
} from "../../core/telemetry/cast-spans.ts";
import { type TraceSpan, type SpanOptions, otlpTraces } from "../../core/telemetry/span.ts";
import { appendAll } from "../../core/model/lists.ts";
import type { Telemetry } from "../context/run-context.ts";
import { cursorNote, type EventSender, type JournalSource, type JournalReceiver } from "./follow-journal.ts";
import { createHash } from "node:crypto";
import type { CastId } from "../../core/model/ids.ts";
import { ok, type Result, error, fail } from "../../core/model/issue.ts";
import { readArtifactText, type CastStore } from "../store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";
import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { oneLine } from "../../core/model/text.ts";
import { parseJson } from "../../core/model/json.ts";
import { errorText } from "../system/files.ts";

/** More unsent spans are read from the journal again later. */
const MAX_HELD_SPANS = 4_096;

/** [TM5] The collector of a user. */
export function createSpanReceiver(telemetry: Telemetry): JournalReceiver {
  const { pending, collector, version, contents } = telemetry;
  return {
    pending,
    open: (cast) => createSpanSender(telemetry, cast),
    resend: async (store, castId, signal) => {
      const spans = await readCastSpans(store, castId, spanOptions(contents));
      // A cast that was removed has nothing left to send.
      const answer = spans.ok ? await sendSpans(collector, spans.value, { version, retries: 0, signal }) : undefined;
      if (answer && !answer.ok) return false;
      cursorNote(pending, castId, store.location).remove();
      return true;
    },
  };
}

function createSpanSender(
  { collector, version, contents }: Telemetry,
  { store, file, note, signal }: JournalSource,
): EventSender {
  const options = spanOptions(contents);
  const splitter = createVisitSplitter();
  const cursor = note.read() ?? 0;
  let spans: TraceSpan[] = [];
  let reached = cursor;
  /** Set when spans were not held: a later process reads them from the journal. */
  let isCursorFrozen = false;
  let isEnded = false;
  note.write(cursor);
  return {
    cursor,
    push: async (event) => {
      const visit = splitter.push(event);
      if (visit && spans.length >= MAX_HELD_SPANS) isCursorFrozen = true;
      else if (visit) appendAll(spans, await readVisitSpans(store, file, visit, options));
      if (visit) reached = visit.visit.firstSeq - 1;
      if (event.type !== "cast_ended") return;
      isEnded = true;
      const { first } = await store.readEnds(file.castId, () => true);
      spans.push(castSpan(file, { first, last: event }, options));
    },
    flush: async () => {
      if (spans.length === 0) return;
      const held = spans;
      const sent = reached;
      const answer = await sendSpans(collector, held, { version, retries: 0, signal });
      if (!answer.ok) return;
      spans = spans.slice(held.length);
      if (isCursorFrozen) return;
      if (isEnded) note.remove();
      else note.write(sent);
    },
  };
}

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

interface SendOptions {
  readonly version: string;
  readonly signal?: AbortSignal;
  /** How often a refusal that may pass is sent again; 3 if unset. */
  readonly retries?: number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

const MAX_BATCH = 256;
const TIMEOUT_MS = 10_000;
const NO_ANSWER = "the collector gives no answer within 10 seconds";
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
const MAX_ANSWER_CHARS = 65_536;

/** [TM6] Sends spans in batches. A batch that is too large is split, a refusal that may pass is sent again. */
export async function sendSpans(collector: Telemetry["collector"], spans: readonly TraceSpan[], options: SendOptions) {
  let sent = 0;
  // Spans that the collector refused, or that are too large for it.
  let rejected = 0;
  const waiting: (readonly TraceSpan[])[] = [];
  for (let at = 0; at < spans.length; at += MAX_BATCH) waiting.push(spans.slice(at, at + MAX_BATCH));
  for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
    const answer = await sendBatch(collector, batch, options);
    if (answer.kind === "failed") return fail(error("collector_failed", "telemetry.otlp", answer.message, CHECK_IT));
    if (answer.kind === "taken") {
      rejected += Math.min(batch.length, answer.rejected);
      sent += Math.max(0, batch.length - answer.rejected);
    } else if (batch.length === 1) rejected += 1;
    else waiting.unshift(batch.slice(0, batch.length >> 1), batch.slice(batch.length >> 1));
  }
  return ok({ sent, rejected });
}

const CHECK_IT = "check the address and the headers; the spans can be sent again later";

type BatchAnswer =
  | { readonly kind: "taken"; readonly rejected: number }
  | { readonly kind: "too_large" }
  | { readonly kind: "failed"; readonly message: string };

const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);

async function sendBatch(
  collector: Telemetry["collector"],
  batch: readonly TraceSpan[],
  options: SendOptions,
): Promise<BatchAnswer> {
  const { version, signal, retries = 3, pause = (ms) => sleep(ms, undefined, { signal }) } = options;
  const body = JSON.stringify(otlpTraces(batch, version));
  for (let attempt = 0; ; attempt += 1) {
    const answer = await post(collector, body, signal);
    if (typeof answer === "string" || TRANSIENT.has(answer.status)) {
      const message = typeof answer === "string" ? answer : `the collector answered ${answer.status}`;
      // Each further attempt would take as long as this one.
      if (attempt >= retries || signal?.aborted || answer === NO_ANSWER) return { kind: "failed", message };
      const wait = typeof answer === "string" ? undefined : retryAfterMs(answer.retryAfter);
      await pause(Math.min(wait ?? FIRST_PAUSE_MS * 4 ** attempt, MAX_PAUSE_MS)).catch(() => undefined);
      continue;
    }
    if (answer.status === 413) return { kind: "too_large" };
    const why = oneLine(answer.text, 120);
    // A page, such as that of a login in front of the collector, has taken nothing.
    if (isTaken(answer) && !why.startsWith("<")) return { kind: "taken", rejected: rejectedCount(answer.text) };
    return { kind: "failed", message: `the collector answered ${answer.status}${why === "" ? "" : `: ${why}`}` };
  }
}

/** The answer, or why there is none. A redirect is not followed: the headers may hold a key. */
export async function post({ url, headers }: Telemetry["collector"], body: string, signal: AbortSignal | undefined) {
  try {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const text = await readBounded(response);
    return { status: response.status, text, retryAfter: response.headers.get("retry-after") };
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === "TimeoutError") return NO_ANSWER;
    return `the collector cannot be reached: ${errorText(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown)}`;
  }
}

/** [YN2] */
export function isTaken(answer: Awaited<ReturnType<typeof post>>): boolean {
  return typeof answer !== "string" && answer.status >= 200 && answer.status < 300;
}

/** A collector that answers for ever must not fill the memory. */
async function readBounded(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length >= MAX_ANSWER_CHARS) break;
  }
  return text.slice(0, MAX_ANSWER_CHARS);
}

function retryAfterMs(value: string | null): number | undefined {
  const seconds = value === null ? Number.NaN : Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const at = Date.parse(value ?? "");
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

const PartialSuccess = v.object({
  partialSuccess: v.object({ rejectedSpans: v.pipe(v.union([v.string(), v.number()]), v.transform(Number)) }),
});

function rejectedCount(text: string): number {
  const read = v.safeParse(PartialSuccess, parseJson(text));
  const rejected = read.success ? read.output.partialSuccess.rejectedSpans : 0;
  return Number.isFinite(rejected) ? Math.max(0, rejected) : 0;
}
