/** One span of OpenTelemetry. Absent attributes are left out. */
export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** A client waits for an answer from another service. */
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  /** Why it failed; absent if it did not. */
  readonly failed?: string;
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly Pick<TraceSpan, "traceId" | "spanId">[];
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanEvent {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: SpanAttributes;
}

export interface SpanOptions {
  /** A SHA-256 in hexadecimal digits. Ids come from the cast and `seq`, so that spans can be sent again without doubles. */
  readonly digest: (text: string) => string;
  /** [TM4] Whether requests, replies and tool arguments are part of the spans. */
  readonly contents: boolean;
}

/** [TM3] A clock that went back must not give a span that ends before it starts. */
export function notBefore(startMs: number, at: string | undefined): number {
  const endMs = Date.parse(at ?? "");
  return Number.isNaN(endMs) ? startMs : Math.max(startMs, endMs);
}

/** [TM1] The body of an OTLP/JSON request: ids are lower-case hexadecimal digits, 64-bit integers are strings. */
export function otlpTraces(spans: readonly TraceSpan[], version: string) {
  const resource = { attributes: keyValues({ "service.name": "pi-materia", "service.version": version }) };
  const scope = { name: "pi-materia", version };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(otlpSpan) }] }] };
}

const SPAN_KINDS = { internal: 1, client: 3 } as const satisfies Record<TraceSpan["kind"], number>;
const ERROR_STATUS = 2;

function otlpSpan({ traceId, spanId, parentSpanId, name, kind, ...span }: TraceSpan): object {
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: keyValues(span.attributes),
    events: (span.events ?? []).map((event) => ({
      name: event.name,
      timeUnixNano: nanoseconds(event.atMs),
      attributes: keyValues(event.attributes),
    })),
    links: span.links ?? [],
    status: span.failed === undefined ? {} : { code: ERROR_STATUS, message: span.failed },
  };
}

/** A time that is no number would make the whole request invalid. */
function nanoseconds(ms: number): string {
  return `${Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0}000000`;
}

function keyValues(attributes: SpanAttributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean): object {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "string") return { stringValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
