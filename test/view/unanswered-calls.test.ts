import { expect, it } from "vitest";
import { countEqualCalls, parseTranscript, type TranscriptBlock } from "../../src/apps/web/cast-replay/transcript.ts";
import { toolSummaryLine } from "../../src/core/view/report/visit-detail.ts";
import { lineText } from "../../src/core/view/line.ts";

it("[C39] the story marks a tool that never answered", () => {
  const call = { name: "write", arguments: {}, said: "" };
  const tools = [
    { ...call, failed: false },
    { ...call, failed: null },
    { ...call, failed: true },
  ];
  expect(toolSummaryLine({ replies: [{ tools, text: "" }] }).map(lineText)).toEqual([
    "tools: write, write without answer, write failed",
  ]);
});

it("[W34] a call that never answered does not run for ever in the page", () => {
  const message = (content: object) => JSON.stringify({ type: "message", message: content });
  const calls = ["call-1", "call-2"].map((id) => ({ type: "toolCall", id, name: "write", arguments: {} }));
  const transcript = [
    message({ role: "assistant", content: calls }),
    message({ role: "toolResult", toolCallId: "call-1", content: [{ type: "text", text: "done" }] }),
    message({ role: "assistant", content: [{ type: "text", text: "Finished." }] }),
  ];
  expect(parseTranscript(transcript.join("\n"))).toMatchObject([
    { id: "call-1", result: "done", failed: false },
    { id: "call-2", result: null, failed: true },
    { kind: "text" },
  ]);
});

it("[Z15] the page counts equal calls with equal results in a row, words between them or not", () => {
  const call = (path: string, result: string | null): TranscriptBlock => ({
    kind: "tool",
    id: path,
    name: "read",
    args: { path },
    failed: false,
    result,
  });
  const words: TranscriptBlock = { kind: "text", text: "Again." };
  const blocks = [
    call("a", "x"),
    words,
    call("a", "x"),
    call("a", "y"),
    call("b", "y"),
    call("b", "y"),
    call("b", null),
  ];
  const counts = countEqualCalls(blocks).map((block) => (block.kind === "tool" ? block.inRow : "words"));
  expect(counts).toEqual([1, "words", 2, 1, 1, 2, undefined]);
});
