import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { oneLine } from "../../core/model/text.ts";
import { parseJson } from "../../core/model/json.ts";
import { otlpTraces, type TraceSpan } from "../../core/telemetry/span.ts";
import type { Collector } from "../context/run-context.ts";
import { errorText } from "../system/files.ts";

export interface SendOptions {
  readonly version: string;
  readonly signal?: AbortSignal;
  /** How often a refusal that may pass is sent again; 3 if unset. */
  readonly retries?: number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

const MAX_BATCH = 256;
const TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
const MAX_ANSWER_CHARS = 65_536;

/** [TM6] Sends spans in batches. A batch that is too large is split, a refusal that may pass is sent again. */
export async function sendSpans(
  collector: Collector,
  spans: readonly TraceSpan[],
  options: SendOptions,
): Promise<Result<{ readonly sent: number; readonly rejected: number }>> {
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
  collector: Collector,
  batch: readonly TraceSpan[],
  options: SendOptions,
): Promise<BatchAnswer> {
  const { version, signal, retries = 3, pause = (ms) => sleep(ms, undefined, { signal }) } = options;
  const body = JSON.stringify(otlpTraces(batch, version));
  for (let attempt = 0; ; attempt += 1) {
    const answer = await post(collector, body, signal);
    if (typeof answer === "string" || TRANSIENT.has(answer.status)) {
      const message = typeof answer === "string" ? answer : `the collector answered ${answer.status}`;
      if (attempt >= retries || signal?.aborted) return { kind: "failed", message };
      const wait = typeof answer === "string" ? undefined : retryAfterMs(answer.retryAfter);
      await pause(Math.min(wait ?? FIRST_PAUSE_MS * 4 ** attempt, MAX_PAUSE_MS)).catch(() => undefined);
      continue;
    }
    if (answer.status === 413) return { kind: "too_large" };
    if (answer.status >= 200 && answer.status < 300) return { kind: "taken", rejected: rejectedCount(answer.text) };
    const why = oneLine(answer.text, 120);
    return { kind: "failed", message: `the collector answered ${answer.status}${why === "" ? "" : `: ${why}`}` };
  }
}

/** The answer, or why there is none. A redirect is not followed: the headers may hold a key. */
export async function post({ url, headers }: Collector, body: string, signal: AbortSignal | undefined) {
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
  return read.success && Number.isFinite(read.output.partialSuccess.rejectedSpans)
    ? Math.max(0, read.output.partialSuccess.rejectedSpans)
    : 0;
}
