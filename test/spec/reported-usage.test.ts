import { isPlainJson } from "../../src/core/model/json.ts";
import { expect, it } from "vitest";
import { soundUsage, type Usage } from "../../src/core/cast/state/usage.ts";
import { parseTranscriptLine } from "../../src/core/cast/transcript.ts";
import { eventLines } from "../../src/core/view/report/event-lines.ts";
import { lineText } from "../../src/core/view/line.ts";
import { turnOutcome } from "../../src/shell/agents/pi-turn.ts";
import { createTurnRecord } from "../../src/shell/agents/turn-record.ts";
import { planCast, startCast } from "../../src/shell/casting/start-cast.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import type { CastStep } from "../../src/core/cast/timeline.ts";
import { compiled } from "../harness/play.ts";
import { always, graph, seat } from "../harness/seats.ts";
import { memoryStore } from "../harness/store/memory-store.ts";

const twoSockets = graph({ "Socket-1": seat("Build", always("Socket-2")), "Socket-2": seat("Tell") });

async function castWith(said: object, budget: object = {}) {
  const { store } = memoryStore();
  const { file } = planCast(compiled(twoSockets).graph, { request: "do it", cwd: "/project", budget });
  const steps: CastStep[] = [];
  const host: AgentHost = {
    preflight: async () => [],
    runTurn: async () => ({
      kind: "said",
      text: "done",
      model: "a/b",
      usage: { input: 1, output: 1, cost: 0 },
      ...said,
    }),
  };
  const signal = new AbortController().signal;
  const ran = await startCast({ file }, { store, host, signal, onSteps: (more) => void steps.push(...more) });
  if (!ran.ok) throw new Error(JSON.stringify(ran.issues));
  return { ...ran.value, steps };
}

it.each<[what: string, given: unknown, counted: Usage]>([
  ["no number", { input: Number.NaN, output: 5, cost: 1 }, { input: 0, output: 5, cost: 1, estimated: true }],
  ["endless", { input: 3, output: Infinity, cost: 1 }, { input: 3, output: 0, cost: 1, estimated: true }],
  ["impossible", { input: 1e300, output: 5, cost: 1e11 }, { input: 0, output: 5, cost: 0, estimated: true }],
  ["text", { input: "12", output: 5, cost: "1" }, { input: 0, output: 5, cost: 0, estimated: true }],
  ["negative", { input: -2_000_000, output: 5, cost: -4 }, { input: 0, output: 5, cost: 0 }],
])("[A30] usage that is %s is counted soundly, and the journal stays readable", async (_what, given, counted) => {
  expect(soundUsage(given as Usage)).toEqual(counted);
  const { state } = await castWith({ usage: given });
  expect(state.phase).toMatchObject({ kind: "ended", outcome: "completed" });
  expect(state.usage.input + state.usage.output).toBe(2 * (counted.input + counted.output));
});

const reply = (usage: object, more: object = {}) => ({
  type: "message_end",
  message: {
    role: "assistant",
    content: [{ type: "text", text: "x".repeat(400) }],
    stopReason: "stop",
    provider: "real",
    usage,
    ...more,
  },
});
const PI_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };

it.each<[what: string, event: object, expected: Partial<Usage>]>([
  ["is estimated when a model reports none", reply(PI_USAGE), { input: 200, estimated: true }],
  [
    "is estimated when it is no number",
    reply({ ...PI_USAGE, input: Number.NaN, output: 7 }),
    { input: 200, output: 7, estimated: true },
  ],
  ["of a request that failed is not estimated", reply(PI_USAGE, { stopReason: "error" }), { input: 0, output: 0 }],
  ["of a rehearsal is not estimated", reply(PI_USAGE, { provider: "rehearsal" }), { input: 0, output: 0 }],
])("[A30] usage %s", (_what, event, expected) => {
  const request = { system: "s".repeat(400), prompt: "p".repeat(400), onProgress: () => undefined };
  const seen = createTurnRecord(request, { input: 1_000_000, output: 0 });
  seen.hear(event as Parameters<typeof seen.hear>[0]);
  expect(seen.usage()).toMatchObject(expected);
  expect(seen.usage().cost).toBe(expected.estimated ? 200 : 0);
});

it("[A30] an estimate counts against the budget, and is said once", async () => {
  const usage = { input: 900, output: 200, cost: 0, estimated: true };
  const stopped = await castWith({ usage }, { maxTokens: 1_000 });
  expect(stopped.state.phase).toMatchObject({ outcome: "failed", limit: { limit: "maxTokens" } });
  const { steps } = await castWith({ usage });
  const said = steps.flatMap(({ before, event }) => eventLines(before, event, 120).map(lineText));
  expect(said.filter((text) => text.includes("estimated"))).toHaveLength(1);
});

it("[A30] a figure that is no number does not hide the reply in a transcript", () => {
  const message = { role: "assistant", content: "hi", usage: { ...PI_USAGE, input: null, cost: null } };
  expect(parseTranscriptLine(JSON.stringify({ type: "message", message }))).toMatchObject({ usage: { input: 0 } });
});

it.each<[what: string, value: unknown, isPlain: boolean]>([
  ["texts, numbers, lists and fields without a value", { a: ["x", 1, null, { b: true }], c: undefined }, true],
  ["a number that JSON does not have", { a: [{ b: Number.NaN }] }, false],
  ["a list with a gap", [Array(1)], false],
  ["a value with another form in JSON", { at: new Date(0) }, false],
  ["a function", { a: () => 1 }, false],
])("[J28] without a round trip through text: %s", (_what, value, isPlain) => {
  expect(isPlainJson(value)).toBe(isPlain);
  const cycle: Record<string, unknown> = { value };
  cycle["self"] = cycle;
  expect(isPlainJson(cycle)).toBe(false);
});

it("[J28] a result that could not be read again fails its turn, and the cast can be read and resumed", async () => {
  const { state } = await castWith({ model: 7 });
  expect(state.phase).toMatchObject({ outcome: "failed", reason: expect.stringContaining("cannot be stored") });
});

it.each<[error: string, words: string]>([
  ["terminated", "the provider cut off its reply (terminated)"],
  ["Unexpected token } in JSON at position 5", "the provider sent a reply that cannot be read"],
  ["503 service unavailable", "503 service unavailable"],
])("[A31] the error %s is said in plain words", (error, words) => {
  const seen = record(reply(PI_USAGE, { stopReason: "error", errorMessage: error }));
  expect(turnOutcome(seen, undefined, { provider: "a", id: "b" })).toMatchObject({
    kind: "failed",
    message: expect.stringContaining(words),
  });
});

it("[A31] an empty reply is a failed turn, unless its agent has acted", () => {
  const empty = reply(PI_USAGE, { content: [{ type: "text", text: " \n" }] });
  const called = { type: "tool_execution_start", toolCallId: "1", toolName: "write", args: {} };
  const outcomes = [record(empty), record(called, empty)].map((seen) =>
    turnOutcome(seen, undefined, { provider: "a", id: "b" }),
  );
  expect(outcomes).toMatchObject([{ kind: "failed", message: "the model gave an empty reply" }, { kind: "said" }]);
});

function record(...events: readonly object[]) {
  const seen = createTurnRecord({ system: "", prompt: "", onProgress: () => undefined }, undefined);
  for (const event of events) seen.hear(event as Parameters<typeof seen.hear>[0]);
  return seen;
}
