import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createPiHost } from "../../src/shell/agents/pi-host.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import { readConversation, readTranscript } from "../../src/shell/agents/transcript.ts";
import { readTurns } from "../../src/core/cast/transcript.ts";
import { servePi } from "../harness/agent-bodies.ts";
import { ask, rehearsal } from "../harness/agents.ts";
import type { ServerReply } from "../harness/model-server.ts";

const handOver = {
  description: "Hands over.",
  parameters: {
    type: "object",
    properties: { satisfied: { type: "boolean" }, context: { type: "string" } },
    required: ["satisfied"],
  },
};
const call = (args: Record<string, unknown>) => ({ name: "hand_over", arguments: args });
const YES = { satisfied: true, context: "fine" };

async function turnWith(...replies: readonly ServerReply[]) {
  const server = await servePi(replies);
  const { request } = ask({ tools: ["ls"], handOver });
  const outcome = await createPiHost({ defaultModel: "local/small" }).runTurn(request);
  return { outcome, server, transcript: readFileSync(request.transcript, "utf8") };
}

it("[H24, H25] the tool is offered with its schema, and a call of it ends the turn", async () => {
  const { outcome, server, transcript } = await turnWith({ call: call(YES) });
  expect(outcome).toMatchObject({ kind: "said", text: JSON.stringify(YES), byTool: true });
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.tools?.map((tool) => tool.function)).toMatchObject([
    { name: "ls" },
    { name: "hand_over", description: handOver.description, parameters: handOver.parameters },
  ]);
  expect(readTranscript(transcript)).toMatchObject({
    requests: 1,
    replies: [{ text: JSON.stringify(YES), byTool: true }],
    model: "local/small",
  });
  expect(readConversation(transcript)).toMatchObject({ model: "local/small" });
  expect(readTurns(transcript).replies).toEqual([{ text: JSON.stringify(YES), byTool: true, tools: [] }]);
});

it("[H24] it is not offered where no handoff is due", async () => {
  const server = await servePi([{ text: "done" }]);
  await createPiHost({ defaultModel: "local/small" }).runTurn(ask({ tools: ["ls"] }).request);
  expect(server.requests[0]?.tools?.map((tool) => tool.function.name)).toEqual(["ls"]);
});

it("[H25] called twice in one reply, the last call counts", async () => {
  const { outcome, server, transcript } = await turnWith({ calls: [call({ satisfied: false }), call(YES)] });
  expect(outcome).toMatchObject({ text: JSON.stringify(YES), byTool: true });
  expect(server.requests).toHaveLength(1);
  expect(readTranscript(transcript).replies).toHaveLength(1);
  expect(readConversation(transcript)).toMatchObject({ model: "local/small" });
});

it("[H25] words beside the call are no handoff", async () => {
  const { outcome, transcript } = await turnWith({ words: '{"satisfied":false,"context":"words"}', call: call(YES) });
  expect(outcome).toMatchObject({ kind: "said", text: JSON.stringify(YES), byTool: true });
  expect(readTranscript(transcript).replies).toEqual([{ text: JSON.stringify(YES), byTool: true }]);
});

it("[H25] beside another tool it is refused, and the turn goes on: here with text", async () => {
  const { outcome, server } = await turnWith(
    { calls: [{ name: "ls", arguments: {} }, call(YES)] },
    { text: '{"satisfied":false,"context":"ls shows nothing"}' },
  );
  expect(outcome).toMatchObject({ kind: "said", text: '{"satisfied":false,"context":"ls shows nothing"}' });
  expect(outcome).not.toHaveProperty("byTool");
  expect(JSON.stringify(server.requests[1]?.messages)).toContain("call hand_over alone");
});

it.each<[what: string, args: Record<string, unknown>]>([
  ["wrong types", { satisfied: "perhaps", context: 7 }],
  ["a missing field", {}],
  ["unknown fields", { passed: true }],
])("[H25] %s reach the engine as they are", async (_what, args) => {
  const { outcome, server } = await turnWith({ call: call(args) });
  expect(outcome).toMatchObject({ kind: "said", text: JSON.stringify(args), byTool: true });
  expect(server.requests).toHaveLength(1);
});

it("[H25, A13] a rehearsal calls it like any tool", async () => {
  const script = rehearsal({ Build: [{ tools: [{ name: "ls" }, call(YES)], usage: { input: 20, output: 4 } }] });
  const outcome = await createRehearsalHost(script).runTurn(ask({ tools: ["ls"], handOver }).request);
  expect(outcome).toMatchObject({
    kind: "said",
    text: JSON.stringify(YES),
    byTool: true,
    usage: { input: 20, output: 4 },
  });
});
