import { createHash } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { otlpTraces, type TraceSpan } from "../../src/core/telemetry/span.ts";
import { castSpan, createVisitSplitter, visitSpans } from "../../src/core/telemetry/cast-spans.ts";
import { spansIn } from "../harness/collector.ts";
import { compiled, play, type TestConfig } from "../harness/play.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { sendSpans } from "../../src/shell/casting/telemetry.ts";

const config: TestConfig = {
  materia: { Writer: { prompt: "Write.", tools: "none" } },
  loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Writer" } } } },
};
const options = { contents: false, digest: (text: string) => createHash("sha256").update(text).digest("hex") };

async function spansOf(change: (events: readonly CastEvent[]) => readonly CastEvent[], transcript = "", id = "one") {
  const played = await play(config, { says: { Writer: ["done"] } });
  const events = change(played.events);
  const cast = { castId: id as CastId, request: "r", graph: compiled(config).graph, fromCastId: null };
  const splitter = createVisitSplitter();
  const visits = events.flatMap((event) => splitter.push(event) ?? []);
  const spans: TraceSpan[] = [castSpan(cast, { first: events[0], last: events.at(-1) }, options)];
  return [...spans, ...visits.flatMap((visit) => visitSpans(cast, visit, transcript, options))];
}

it("[TM3] no span ends before it starts when the clock went back", async () => {
  const spans = await spansOf((events) =>
    events.map((event, index) => ({ ...event, at: new Date(1_700_000_000_000 - index * 60_000).toISOString() })),
  );
  expect(spans).toHaveLength(2);
  for (const { startMs, endMs } of spans) expect(endMs).toBeGreaterThanOrEqual(startMs);
});

it("[TM3] damaged lines and absurd figures of a transcript harm no span", async () => {
  const message = (timestamp: string, said: object) => JSON.stringify({ type: "message", timestamp, message: said });
  const transcript = [
    "{ not json",
    message("no time", {
      role: "assistant",
      content: "x",
      usage: { input: Number.NaN, output: -4, cacheRead: "1e999" },
    }),
    message("2026-01-01T00:00:00Z", {
      role: "assistant",
      content: [{ type: "toolCall", id: "1", name: "ls" }],
      usage: 7,
    }),
    message("2025-01-01T00:00:00Z", { role: "toolResult", toolCallId: "1", content: null, isError: true }),
    message("2026-01-01T00:00:00Z", { role: "toolResult", toolCallId: "unknown", content: [] }),
    "null",
  ].join("\n");
  const spans = await spansOf((events) => events, transcript);
  expect(spans.map(({ name }) => name).slice(2)).toEqual(["chat unknown", "chat unknown", "execute_tool ls"]);
  expect(spansIn(JSON.parse(JSON.stringify(otlpTraces(spans, "1"))))).toHaveLength(5);
});

it("[TM6] a collector that never answers is asked once", async () => {
  const spans = await spansOf((events) => events);
  const isLate = () => AbortSignal.abort(new DOMException("late", "TimeoutError"));
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(isLate);
  onTestFinished(() => timeout.mockRestore());
  let pauses = 0;
  const pause = async () => (pauses += 1);
  const sent = await sendSpans({ url: "http://127.0.0.1:9/v1/traces", headers: {} }, spans, { version: "1", pause });
  expect([pauses, sent]).toMatchObject([0, { ok: false, issues: [{ message: expect.stringContaining("no answer") }] }]);
});

it("[TM2] an item is in the trace of its cast, below the span of the cast", async () => {
  const [parent] = await spansOf((events) => events);
  const [item] = await spansOf((events) => events, "", "one_1_WI-2_2");
  expect([item?.traceId, item?.parentSpanId]).toEqual([parent?.traceId, parent?.spanId]);
  expect(item?.spanId).not.toBe(parent?.spanId);
});
