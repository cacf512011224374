import type { TraceSpan, SpanAttributes } from "./span.ts";

/** The body of an OTLP/JSON request: ids are lower-case hexadecimal digits, 64-bit integers are strings. */
export interface OtlpTraces {
  readonly resourceSpans: readonly object[];
}

/** [TM1] Spans as OTLP/JSON. */
export function otlpTraces(spans: readonly TraceSpan[], version: string): OtlpTraces {
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
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
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
