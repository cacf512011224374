import * as v from "valibot";
import type { CastEvent, EventOf } from "../cast/state/event.ts";
import { ownTranscriptLines } from "../cast/transcript.ts";
import type { Graph } from "../compile/graph.ts";
import { advanceVisits, NO_VISITS, resultText, visitKey, type VisitFold, type VisitRecord } from "../history/visits.ts";
import { itemKeyOfCast, parentCastId, type CastId } from "../model/ids.ts";
import { notBefore, type TraceSpan, type SpanEvent, type SpanOptions } from "./span.ts";
import { parseJson } from "../model/json.ts";
import { reportedAmount } from "../cast/state/usage.ts";

const MessageUsage = v.looseObject({ input: v.unknown(), output: v.unknown(), cacheRead: v.unknown() });
const TimedMessage = v.looseObject({
  type: v.literal("message"),
  timestamp: v.string(),
  message: v.looseObject({
    role: v.string(),
    content: v.fallback(v.unknown(), ""),
    provider: v.optional(v.fallback(v.string(), "")),
    model: v.optional(v.fallback(v.string(), "")),
    usage: v.optional(v.fallback(MessageUsage, { input: 0, output: 0, cacheRead: 0 })),
    stopReason: v.optional(v.unknown()),
    toolCallId: v.optional(v.unknown()),
    isError: v.optional(v.unknown()),
  }),
});
type TimedMessage = v.InferOutput<typeof TimedMessage>;
const ToolCallPart = v.looseObject({ type: v.literal("toolCall"), id: v.string(), name: v.string() });
type ToolCallPart = v.InferOutput<typeof ToolCallPart>;

/** [TM1] A span for each request to a model and for each tool call of a visit. A damaged line has none. */
function requestSpans(lines: readonly string[], visit: TraceSpan, options: SpanOptions): readonly TraceSpan[] {
  const spans: TraceSpan[] = [];
  const calls = new Map<string, { readonly part: ToolCallPart; readonly at: string }>();
  let askedAt: string | undefined;
  for (const line of lines) {
    const entry = v.safeParse(TimedMessage, parseJson(line));
    if (!entry.success) continue;
    const { timestamp, message } = entry.output;
    if (message.role === "assistant") {
      spans.push(chatSpan(entry.output, askedAt ?? timestamp, child(visit, spans.length, options)));
      const parts = Array.isArray(message.content) ? message.content : [];
      for (const part of parts.filter((each) => v.is(ToolCallPart, each))) calls.set(part.id, { part, at: timestamp });
    } else if (message.role === "toolResult" && typeof message.toolCallId === "string") {
      const call = calls.get(message.toolCallId);
      if (call) spans.push(toolSpan(entry.output, call.part, call.at, child(visit, spans.length, options)));
    }
    askedAt = timestamp;
  }
  return spans;
}

interface ChildSpan extends Pick<TraceSpan, "traceId" | "spanId" | "parentSpanId"> {
  readonly contents: boolean;
}

/** Transcripts only grow, so that the place in one is a stable id. */
function child({ traceId, spanId }: TraceSpan, index: number, { digest, contents }: SpanOptions): ChildSpan {
  return { traceId, spanId: digest(`${spanId}:${index}`).slice(0, 16), parentSpanId: spanId, contents };
}

function chatSpan({ message, timestamp }: TimedMessage, asked: string, own: ChildSpan): TraceSpan {
  const { contents, ...ids } = own;
  const { provider, model, usage, stopReason } = message;
  const startMs = notBefore(0, asked);
  return {
    ...ids,
    name: `chat ${model ?? "unknown"}`,
    kind: "client",
    startMs,
    endMs: notBefore(startMs, timestamp),
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
      "gen_ai.response.model": model,
      "gen_ai.usage.input_tokens": usage && inputTokens(usage),
      "gen_ai.usage.output_tokens": usage && reportedAmount(usage.output),
      "gen_ai.usage.cache_read.input_tokens": usage && reportedAmount(usage.cacheRead),
      "gen_ai.output.messages": contents ? JSON.stringify(message.content) : undefined,
    },
    ...(stopReason === "error" ? { failed: "error" } : {}),
  };
}

/** The convention counts cached tokens as input; Pi counts them apart. */
function inputTokens({ input, cacheRead, cacheWrite }: v.InferOutput<typeof MessageUsage>): number {
  return [input, cacheRead, cacheWrite].reduce<number>((sum, part) => sum + (reportedAmount(part) ?? 0), 0);
}

function toolSpan({ message, timestamp }: TimedMessage, part: ToolCallPart, at: string, own: ChildSpan): TraceSpan {
  const { contents, ...ids } = own;
  const startMs = notBefore(0, at);
  return {
    ...ids,
    name: `execute_tool ${part.name}`,
    kind: "internal",
    startMs,
    endMs: notBefore(startMs, timestamp),
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": part.name,
      "gen_ai.tool.call.id": part.id,
      "gen_ai.tool.call.arguments": contents ? JSON.stringify(part["arguments"] ?? {}) : undefined,
      "gen_ai.tool.call.result": contents ? JSON.stringify(message.content) : undefined,
    },
    ...(message.isError === true ? { failed: "error" } : {}),
  };
}

export interface TracedCast {
  readonly castId: CastId;
  readonly request: string;
  readonly graph: Graph;
  readonly fromCastId: CastId | null;
}

/** A visit that no further event changes, with the edge that was taken after it. */
export interface TracedVisit {
  readonly visit: VisitRecord;
  readonly route: EventOf<"edge_taken"> | null;
  readonly lastAt: string;
}

/** Splits a journal into visits. A visit is complete when the next one starts, or when the cast ends. */
export function createVisitSplitter() {
  let fold: VisitFold = NO_VISITS;
  let route: TracedVisit["route"] = null;
  let lastAt = "";
  let forkedAt = "";
  // [T37] Visits that a fork reuses ran in another cast, which has their spans.
  const current = (): TracedVisit | undefined =>
    fold.visit && fold.visit.startedAt >= forkedAt ? { visit: fold.visit, route, lastAt } : undefined;
  return {
    current,
    push: (event: CastEvent): TracedVisit | undefined => {
      if (event.type === "cast_started") forkedAt = event.forkedFrom?.at ?? "";
      const before = event.type === "visit_started" ? current() : undefined;
      fold = advanceVisits(fold, event);
      if (event.type === "visit_started") route = null;
      if (event.type === "edge_taken") route = event;
      lastAt = event.at;
      return event.type === "cast_ended" ? current() : before;
    },
  };
}

/** [TM2] Items of a parallel loop are in the trace of their parent, on any machine. */
function traceIdOf(castId: CastId, digest: SpanOptions["digest"]): string {
  const parent = parentCastId(castId);
  return parent === undefined ? digest(castId).slice(0, 32) : traceIdOf(parent, digest);
}

function castSpanId(castId: CastId, digest: SpanOptions["digest"]): string {
  return digest(`${castId}:cast`).slice(0, 16);
}

/** [TM1] The span of a whole cast, from its first and its last event. */
export function castSpan(
  { castId, request, graph, fromCastId }: TracedCast,
  ends: { readonly first: CastEvent | undefined; readonly last: CastEvent | undefined },
  { digest, contents }: SpanOptions,
): TraceSpan {
  const started = ends.first?.type === "cast_started" ? ends.first : undefined;
  const ended = ends.last?.type === "cast_ended" ? ends.last : undefined;
  const parent = parentCastId(castId);
  const startMs = notBefore(0, started?.forkedFrom?.at ?? ends.first?.at);
  const earlier = [fromCastId, started?.forkedFrom?.castId].filter((id) => id !== null && id !== undefined);
  return {
    traceId: traceIdOf(castId, digest),
    spanId: castSpanId(castId, digest),
    ...(parent === undefined ? {} : { parentSpanId: castSpanId(parent, digest) }),
    name: `invoke_workflow ${graph.name}`,
    kind: "internal",
    startMs,
    endMs: notBefore(startMs, ends.last?.at),
    attributes: {
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": graph.name,
      "materia.cast.id": castId,
      "materia.item": itemKeyOfCast(castId),
      "materia.outcome": ended?.outcome ?? "unfinished",
      "materia.visits": ended?.totals.visits,
      "materia.items.done": ended?.totals.itemsDone,
      "materia.items.given_up": ended?.totals.itemsGivenUp,
      "materia.tokens": ended?.totals.tokens,
      "materia.cost_usd": ended?.totals.cost,
      "materia.rehearsed": started?.rehearsed,
      "materia.request": contents ? request : undefined,
    },
    ...(ended?.outcome === "failed" ? { failed: contents ? ended.reason : ended.outcome } : {}),
    links: earlier.map((id) => ({ traceId: traceIdOf(id, digest), spanId: castSpanId(id, digest) })),
  };
}

/** [TM1] The span of a visit, and those of its requests to models and of its tools. */
export function visitSpans(
  { castId, graph }: TracedCast,
  { visit, route, lastAt }: TracedVisit,
  transcript: string,
  options: SpanOptions,
): readonly TraceSpan[] {
  const { digest, contents } = options;
  const type = graph.materia[visit.materia]?.type ?? "agent";
  const startMs = notBefore(0, visit.startedAt);
  const span: TraceSpan = {
    traceId: traceIdOf(castId, digest),
    spanId: digest(`${castId}:${visit.firstSeq}`).slice(0, 16),
    parentSpanId: castSpanId(castId, digest),
    name: `${VISIT_OPERATIONS[type]} ${visit.materia}`,
    kind: "internal",
    startMs,
    endMs: notBefore(startMs, visit.endedAt ?? lastAt),
    attributes: {
      ...(type === "agent" ? agentAttributes(castId, visit) : {}),
      "materia.cast.id": castId,
      "materia.materia": visit.materia,
      "materia.visit": visitKey(visit.socket, visit.visit),
      "materia.item": visit.item?.key,
      "materia.item.title": contents ? visit.item?.title : undefined,
      "materia.outcome": visit.outcome,
      "materia.sent_back_from": visit.sentBackFrom ?? undefined,
      "materia.route.to": route?.to,
      "materia.route.when": route?.when ?? undefined,
      "materia.files.changed": visit.files && "changed" in visit.files.now ? visit.files.now.changed : undefined,
      "materia.result": contents ? (resultText(visit) ?? undefined) : undefined,
    },
    ...(visit.outcome === "failed" ? { failed: visit.outcome } : {}),
    events: evaluationEvents(visit, contents),
  };
  return [span, ...requestSpans(ownTranscriptLines(transcript.split("\n")), span, options)];
}

const VISIT_OPERATIONS = { agent: "invoke_agent", utility: "run_utility", person: "ask_person" } as const;

function agentAttributes(castId: CastId, visit: VisitRecord): TraceSpan["attributes"] {
  const { socket, conversation, usage } = visit;
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": visit.materia,
    // A continued conversation has the id of the visit that it continues.
    "gen_ai.conversation.id": `${conversation.continuesFrom ?? castId}/${visitKey(socket, conversation.continues ?? visit.visit)}`,
    "gen_ai.response.model": visit.model ?? undefined,
    "gen_ai.usage.input_tokens": usage.input,
    "gen_ai.usage.output_tokens": usage.output,
    "materia.cost_usd": usage.cost,
    "materia.turns": visit.turns,
    "materia.repairs": visit.repairs === 0 ? undefined : visit.repairs,
  };
}

function evaluationEvents(visit: VisitRecord, contents: boolean): readonly SpanEvent[] {
  const { outcome, endedAt, materia, result } = visit;
  if ((outcome !== "satisfied" && outcome !== "not_satisfied") || endedAt === null) return [];
  const reason = contents && result?.kind === "handoff" ? result.handoff["context"] : undefined;
  const attributes = {
    "gen_ai.evaluation.name": materia,
    "gen_ai.evaluation.score.label": outcome,
    "gen_ai.evaluation.score.value": outcome === "satisfied" ? 1 : 0,
    "gen_ai.evaluation.explanation": typeof reason === "string" ? reason : undefined,
  };
  return [{ name: "gen_ai.evaluation.result", atMs: notBefore(0, endedAt), attributes }];
}
