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
  /** Root spans of the casts that this one continues. */
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
