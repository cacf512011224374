import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadPi, EMPTY_CREDENTIALS, createSettings } from "../../src/shell/agents/pi-sdk.ts";
import { createPiHost } from "../../src/shell/agents/pi-host.ts";
import { SCRIPTED_MODEL, createScriptedProvider } from "../../src/shell/agents/scripted-provider.ts";
import { runPiTurn } from "../../src/shell/agents/pi-turn.ts";
import { servePi } from "../harness/agent-bodies.ts";
import { ask, conversation, handTimer } from "../harness/agents.ts";
import type { ModelServer } from "../harness/model-server.ts";

const tools = (server: ModelServer, index = 0) =>
  server.requests[index]?.tools?.map((tool) => tool.function.name) ?? [];
const roles = (server: ModelServer, index: number) => server.requests[index]?.messages.map(({ role }) => role);

describe("what a provider is sent", () => {
  it("[A2] our system text, our prompt and our tools, and nothing else", async () => {
    const server = await servePi([{ text: "ok" }]);
    const { request } = ask({ tools: ["read", "bash"] });
    await createPiHost({ defaultModel: "local/small" }).runTurn(request);
    expect(server.requests[0]?.messages).toEqual([
      { role: "system", content: `You build.\n\n<cwd>\n${request.cwd}\n</cwd>` },
      { role: "user", content: [{ type: "text", text: "Build it." }] },
    ]);
    expect(tools(server)).toEqual(["read", "bash"]);
  });

  it("[A2] an empty system text is not replaced by Pi's own", async () => {
    const server = await servePi([{ text: "ok" }]);
    const { request } = ask({ system: "" });
    await createPiHost({ defaultModel: "local/small" }).runTurn(request);
    expect(server.requests[0]?.messages[0]?.content).toBe(` \n\n<cwd>\n${request.cwd}\n</cwd>`);
    expect(tools(server)).toEqual([]);
  });

  it("[A24] nothing else of the user's: no skill, extension, template or system text", async () => {
    const server = await servePi([{ text: "ok" }], {
      settings: { defaultTools: ["bash"] },
      files: { "AGENTS.md": "Shout." },
    });
    const { request } = ask({ prompt: "/loud hello" });
    writeFileSync(join(request.cwd, "AGENTS.md"), "Shout louder.");
    for (const [name, content] of [
      ["extensions/noise.js", "throw new Error('loaded')"],
      ["skills/loud/SKILL.md", "---\nname: loud\ndescription: Shout.\n---\nShout."],
      ["prompts/loud.md", "Shout $1"],
      ["SYSTEM.md", "Shout."],
      ["APPEND_SYSTEM.md", "Shout."],
    ] as const) {
      for (const folder of [server.folder, join(request.cwd, ".pi")]) {
        mkdirSync(join(folder, name, ".."), { recursive: true });
        writeFileSync(join(folder, name), content);
      }
    }
    expect(await createPiHost({ defaultModel: "local/small" }).runTurn(request)).toMatchObject({ kind: "said" });
    expect(JSON.stringify(server.requests)).not.toMatch(/shout/i);
    expect(JSON.stringify(server.requests)).toContain("/loud hello");
  });

  it("[A2] the materia's model and thinking level; a model's id may hold slashes", async () => {
    const server = await servePi([{ text: "ok" }, { text: "ok" }]);
    const host = createPiHost({ defaultModel: "local/small" });
    const outcome = await host.runTurn(ask({ model: "local/org/deep", thinking: "high" }).request);
    await host.runTurn(ask({ model: "local/small", thinking: "high" }).request);
    expect(outcome).toMatchObject({ kind: "said", model: "local/org/deep" });
    expect(server.requests.map(({ model, reasoning_effort: effort }) => [model, effort])).toEqual([
      ["org/deep", "high"],
      ["small", undefined],
    ]);
  });

  it("[A3] without a name, the model that Pi starts with", async () => {
    const settings = { defaultProvider: "local", defaultModel: "org/deep", defaultThinkingLevel: "low" };
    const server = await servePi([{ text: "ok" }, { text: "ok" }], { settings });
    await createPiHost().runTurn(ask().request);
    await createPiHost({ defaultModel: "local/small" }).runTurn(ask().request);
    expect(server.requests.map(({ model, reasoning_effort: effort }) => [model, effort])).toEqual([
      ["org/deep", "low"],
      ["small", undefined],
    ]);
  });

  it("[A15] the whole conversation when a turn continues one, and a new system text in the place of the old", async () => {
    const server = await servePi([{ call: { name: "ls", arguments: {} } }, { text: "one" }, { text: "two" }]);
    const host = createPiHost({ defaultModel: "local/small" });
    const { request } = ask({ tools: ["ls"] });
    await host.runTurn(request);
    await host.runTurn({ ...request, history: "continued", prompt: "Go on.", system: "You mend.", tools: [] });
    expect(roles(server, 2)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
    expect(server.requests[2]?.messages[0]?.content).toBe(`You mend.\n\n<cwd>\n${request.cwd}\n</cwd>`);
    expect(tools(server, 2)).toEqual([]);
  });

  it("[A15] a conversation that was killed in the middle of a tool can be continued", async () => {
    const server = await servePi([{ call: { name: "ls", arguments: {} } }, { text: "one" }, { text: "two" }]);
    const host = createPiHost({ defaultModel: "local/small" });
    const { request } = ask({ tools: ["ls"] });
    await host.runTurn(request);
    // As a kill would leave it: the call is on disk, its result is not.
    const lines = readFileSync(request.transcript, "utf8").split("\n");
    writeFileSync(
      request.transcript,
      lines
        .slice(
          0,
          lines.findIndex((line) => line.includes('"toolResult"')),
        )
        .join("\n"),
    );
    expect(conversation(request.transcript)).toEqual(["user: Build it.", "assistant: ls"]);
    const again = await host.runTurn({ ...request, history: "continued", prompt: "Go on." });
    expect(again).toMatchObject({ kind: "said", text: "two" });
    expect(roles(server, 2)).toEqual(["system", "user", "assistant", "tool", "user"]);
  });
});

describe("what a provider does", () => {
  it("[A19] cached tokens count as input, and the price is that of the model", async () => {
    await servePi([
      { call: { name: "ls", arguments: {} }, usage: { input: 1000, output: 10, cached: 400 } },
      { text: "ok", usage: { input: 2000, output: 20 } },
    ]);
    const outcome = await createPiHost({ defaultModel: "local/small" }).runTurn(ask({ tools: ["ls"] }).request);
    expect(outcome.usage).toEqual({
      input: 3000,
      output: 30,
      cost: expect.closeTo((2600 * 1 + 400 * 0.1 + 30 * 2) / 1e6),
    });
  });

  it("[A22] a dropped connection is tried again", async () => {
    const server = await servePi([{ drop: true }, { text: "ok" }]);
    const { request, progress } = ask();
    const outcome = await createPiHost({ defaultModel: "local/small", baseDelayMs: 0 }).runTurn(request);
    expect(outcome).toMatchObject({ kind: "said", text: "ok" });
    expect(progress.filter(({ kind }) => kind === "retrying")).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  });

  it("[A22] what cannot get better is not tried again", async () => {
    const server = await servePi([{ status: 401, message: "no such key" }]);
    const outcome = await createPiHost({ defaultModel: "local/small", baseDelayMs: 0 }).runTurn(ask().request);
    expect(outcome).toMatchObject({
      kind: "failed",
      reason: "provider",
      message: expect.stringContaining("no such key"),
    });
    expect(server.requests).toHaveLength(1);
  });

  it("[A22] Pi's own retry settings hold where no others are given", async () => {
    const down = { status: 503, message: "down" };
    const server = await servePi([down, down, down], { settings: { retry: { maxRetries: 1, baseDelayMs: 0 } } });
    expect(await createPiHost({ defaultModel: "local/small" }).runTurn(ask().request)).toMatchObject({
      kind: "failed",
    });
    expect(server.requests).toHaveLength(2);
  });

  it("[A20] an abort ends a stream that has begun", async () => {
    await servePi([{ hang: "after text" }]);
    const { request, abort } = ask();
    const onProgress = ({ kind }: { readonly kind: string }) => void (kind === "text" && abort());
    const outcome = await createPiHost({ defaultModel: "local/small" }).runTurn({ ...request, onProgress });
    expect(outcome).toMatchObject({ kind: "failed", reason: "aborted" });
  });

  it("[A20] an agent that does not obey is left behind after a while", async () => {
    const pi = await loadPi();
    const runtime = await pi.ModelRuntime.create({
      credentials: EMPTY_CREDENTIALS,
      modelsPath: null,
      refreshOnCreate: false,
    });
    const asked = Promise.withResolvers<void>();
    const deaf = createScriptedProvider(new Map(), (_ms, _fire) => () => {});
    runtime.registerNativeProvider({
      ...deaf,
      streamSimple: (...call) => {
        asked.resolve();
        return Object.assign(deaf.streamSimple(...call), {
          [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
        });
      },
    });
    const timer = handTimer();
    const { request, abort } = ask();
    const settings = createSettings(pi, {}, { maxRetries: 0, baseDelayMs: 0 });
    const turn = runPiTurn(
      { pi, runtime, settings, model: SCRIPTED_MODEL, after: timer.after, silenceMs: undefined },
      request,
    );
    await asked.promise;
    abort();
    timer.fire(5000);
    expect(await turn).toMatchObject({ kind: "failed", reason: "aborted" });
  });

  it("[A18] a context that became too long is shortened once, and the turn goes on", async () => {
    const tooLong = { status: 400, message: "this model's maximum context length is 8000 tokens" };
    const server = await servePi(
      [
        { call: { name: "read", arguments: { path: "long.txt" } }, usage: { input: 1, output: 1 } },
        tooLong,
        { text: "Goal: build.", usage: { input: 5, output: 5 } },
        { text: "built", usage: { input: 7, output: 7 } },
      ],
      { settings: { compaction: { keepRecentTokens: 10 } } },
    );
    const { request, progress } = ask({ tools: ["read"] });
    writeFileSync(join(request.cwd, "long.txt"), "long ".repeat(1000));
    const outcome = await createPiHost({ defaultModel: "local/small", baseDelayMs: 0 }).runTurn(request);
    expect(outcome).toMatchObject({ kind: "said", text: "built", usage: { input: 13, output: 13 } });
    expect(progress.filter(({ kind }) => kind === "retrying")).toHaveLength(1);
    expect(JSON.stringify(server.requests[3])).toContain("Goal: build.");
  });

  it("[A18] a context that stays too long is an overflow", async () => {
    const tooLong = { status: 400, message: "this model's maximum context length is 8000 tokens" };
    await servePi(
      [
        { call: { name: "read", arguments: { path: "long.txt" } }, usage: { input: 1, output: 1 } },
        tooLong,
        { text: "Goal: build." },
        tooLong,
      ],
      {
        settings: { compaction: { keepRecentTokens: 10 } },
      },
    );
    const { request } = ask({ tools: ["read"] });
    writeFileSync(join(request.cwd, "long.txt"), "long ".repeat(1000));
    const outcome = await createPiHost({ defaultModel: "local/small", baseDelayMs: 0 }).runTurn(request);
    expect(outcome).toMatchObject({
      kind: "failed",
      reason: "overflow",
      message: expect.stringContaining("8000 tokens"),
    });
  });

  it("[A18] a reply that was cut off is not taken for a whole one", async () => {
    await servePi([{ text: "and then", cutOff: true, usage: { input: 5, output: 1000 } }]);
    const outcome = await createPiHost({ defaultModel: "local/small" }).runTurn(ask().request);
    expect(outcome).toMatchObject({
      kind: "failed",
      reason: "overflow",
      message: "the reply was cut off after 1000 tokens",
    });
  });
});
