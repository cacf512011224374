import { expect, it } from "vitest";
import type { TurnOutcome } from "../../src/shell/ports.ts";
import { describeContext } from "../../src/shell/run/context-parts.ts";
import { castOnce } from "../harness/effects.ts";
import { graph, seat } from "../harness/seats.ts";

const message = (id: string, value: object): string => JSON.stringify({ type: "message", id, message: value });
const call = (id: string, path?: string): string =>
  message(`c-${id}`, {
    role: "assistant",
    content: [{ type: "toolCall", id, name: "read", arguments: path === undefined ? { command: "ls" } : { path } }],
  });
const result = (id: string, toolName: string, length: number): string =>
  message(`r-${id}`, {
    role: "toolResult",
    toolCallId: id,
    toolName,
    content: [{ type: "text", text: "x".repeat(length) }],
  });

const TRANSCRIPT = [
  JSON.stringify({ type: "session", id: "s" }),
  message("p", { role: "user", content: "y".repeat(400) }),
  call("1", "big.txt"),
  result("1", "read", 40_000),
  call("2", "big.txt"),
  result("2", "read", 40_000),
  call("3"),
  result("3", "bash", 8_000),
  "{ half a line",
].join("\n");

it("[Z13] the parts of a context are named with their size, the largest first", () => {
  expect(describeContext("z".repeat(4_000), TRANSCRIPT)).toBe(
    "What fills the context, in tokens, estimated: results of read big.txt: 20 k in 2 parts; results of bash: 2.01 k; " +
      "system text: 1 k; prompts: 100; replies and tool calls: 57 in 3 parts",
  );
});

it("[Z13] what Pi has summarised is no part any more", () => {
  const compaction = JSON.stringify({ type: "compaction", id: "k", summary: "s".repeat(400), firstKeptEntryId: "c-3" });
  const text = describeContext("", `${TRANSCRIPT}\n${compaction}\n${result("4", "grep", 800)}`);
  expect(text).toContain("results of bash: 2.01 k");
  expect(text).toContain("summary of earlier work: 100");
  expect(text).not.toContain("big.txt");
});

it("[Z13] a turn that no larger model can continue fails with the largest parts", async () => {
  const overflow: TurnOutcome = {
    kind: "failed",
    reason: "overflow",
    message: "prompt is too long",
    usage: { input: 0, output: 0, cost: 0 },
  };
  const asked: object[] = [];
  const readTranscript = async (place: object) => {
    asked.push(place);
    return TRANSCRIPT;
  };
  const { end, events } = await castOnce(graph({ "Socket-1": seat("Build") }), () => overflow, { readTranscript });
  expect(end.state.phase).toMatchObject({ outcome: "failed" });
  expect(asked).toMatchObject([{ socket: "Socket-1", visit: 1 }]);
  expect(events.find(({ type }) => type === "turn_failed")).toMatchObject({
    reason: "overflow",
    message: expect.stringMatching(
      /^prompt is too long\nWhat fills the context.* results of read big\.txt: 20 k in 2 parts/,
    ),
  });
});
