import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as v from "valibot";
import { afterFile } from "./after-file.ts";

const attribute = v.strictObject({
  key: v.pipe(v.string(), v.minLength(1)),
  value: v.union([
    v.strictObject({ stringValue: v.string() }),
    v.strictObject({ boolValue: v.boolean() }),
    v.strictObject({ intValue: v.pipe(v.string(), v.regex(/^-?\d+$/)) }),
    v.strictObject({ doubleValue: v.pipe(v.number(), v.finite()) }),
  ]),
});
const hex = (digits: number) => v.pipe(v.string(), v.regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`)));
const nano = v.pipe(v.string(), v.regex(/^\d+$/));
const SpanJson = v.strictObject({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: v.optional(hex(16)),
  name: v.pipe(v.string(), v.minLength(1)),
  kind: v.picklist([1, 3]),
  startTimeUnixNano: nano,
  endTimeUnixNano: nano,
  attributes: v.array(attribute),
  events: v.array(v.strictObject({ name: v.string(), timeUnixNano: nano, attributes: v.array(attribute) })),
  links: v.array(v.strictObject({ traceId: hex(32), spanId: hex(16) })),
  status: v.strictObject({ code: v.optional(v.literal(2)), message: v.optional(v.string()) }),
});
export type SpanJson = v.InferOutput<typeof SpanJson>;
/** OTLP/JSON as the protocol has it, and nothing else. */
const OtlpJson = v.strictObject({
  resourceSpans: v.array(
    v.strictObject({
      resource: v.strictObject({ attributes: v.array(attribute) }),
      scopeSpans: v.array(
        v.strictObject({ scope: v.strictObject({ name: v.string(), version: v.string() }), spans: v.array(SpanJson) }),
      ),
    }),
  ),
});

export function spansIn(body: unknown): readonly SpanJson[] {
  return v.parse(OtlpJson, body).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

export interface CollectorStandIn {
  readonly url: string;
  /** The spans of each request that was taken. */
  readonly batches: readonly (readonly SpanJson[])[];
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage["headers"] }[];
}

/** Answers a request; the default takes it. */
export type Answer = (response: ServerResponse, body: string) => void;

/** A collector that holds everything to the schema; `answers` are used in turn, then everything is taken. */
export async function standInCollector(answers: Answer[] = []): Promise<CollectorStandIn> {
  const batches: (readonly SpanJson[])[] = [];
  const requests: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("utf8");
      requests.push({ url: request.url ?? "", headers: request.headers });
      const answer = answers.shift();
      if (answer) return answer(response, body);
      batches.push(spansIn(JSON.parse(body)));
      return response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, batches, requests };
}
