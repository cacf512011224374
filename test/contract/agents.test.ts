import { appendFileSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BODIES, HANG, type Replies } from "../harness/agent-bodies.ts";
import { ask, conversation, scratchFolder } from "../harness/agents.ts";

describe.each(BODIES)("agents %s", (_name, play) => {
  it("[A1] a turn answers with text, usage and model", async () => {
    const { host } = await play([{ text: "built", usage: { input: 30, output: 7 } }]);
    const { request, progress } = ask();
    expect(await host.runTurn(request)).toEqual({
      kind: "said",
      text: "built",
      usage: { input: 30, output: 7, cost: expect.any(Number) },
      model: expect.stringMatching(/^\w+\/\w+$/),
    });
    expect(progress).toContainEqual({ kind: "text", delta: "built" });
  });

  it("[A17] the whole prompt is known before the agent is asked", async () => {
    const { host } = await play([{ text: "ok" }]);
    const { request, progress } = ask({ system: "You plan.\nIn few words." });
    await host.runTurn(request);
    expect(progress[0]).toEqual({
      kind: "asked",
      system: `You plan.\nIn few words.\n\n<cwd>\n${request.cwd}\n</cwd>`,
      prompt: "Build it.",
    });
  });

  it("[A9] tools really run, one after another, where the project is", async () => {
    const tools = [
      { name: "write", arguments: { path: "a.txt", content: "one\n" } },
      { name: "bash", arguments: { command: "echo two >> a.txt; pwd" } },
      { name: "read", arguments: { path: "a.txt" } },
    ];
    const { host } = await play([{ tools, text: "done" }]);
    const { request, progress } = ask({ tools: ["read", "write", "bash"] });
    expect(await host.runTurn(request)).toMatchObject({ kind: "said", text: "done" });
    expect(readFileSync(join(request.cwd, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(conversation(request.transcript)).toEqual([
      "user: Build it.",
      "assistant: write",
      expect.stringMatching(/^toolResult: /),
      "assistant: bash",
      `toolResult: ${request.cwd}\n`,
      "assistant: read",
      "toolResult: one\ntwo\n",
      "assistant: done",
    ]);
    expect(progress.flatMap((event) => ("name" in event ? [`${event.kind} ${event.name}`] : []))).toEqual([
      "tool_started write",
      "tool_ended write",
      "tool_started bash",
      "tool_ended bash",
      "tool_started read",
      "tool_ended read",
    ]);
  });

  it("[B56] when the tools of a reply have ended, the transcript has their results", async () => {
    const { host } = await play([{ tools: [{ name: "bash", arguments: { command: "echo one" } }], text: "done" }]);
    const { request, progress } = ask({ tools: ["bash"] });
    const seen: (readonly string[])[] = [];
    await host.runTurn({
      ...request,
      onProgress: (event) => {
        request.onProgress(event);
        if (event.kind === "tools_over") seen.push(conversation(request.transcript));
      },
    });
    expect(seen[0]).toEqual(["user: Build it.", "assistant: bash", "toolResult: one\n"]);
    expect(progress.filter(({ kind }) => kind === "tools_over")).toHaveLength(2);
  });

  it("[B56] a reply whose results did not reach the transcript does not count as over", async () => {
    const { request, progress } = ask({ tools: ["bash"] });
    const { transcript } = request;
    const command = `mv ${transcript} ${transcript}.old; mkdir ${transcript}`;
    const { host } = await play([{ tools: [{ name: "bash", arguments: { command } }], text: "done" }]);
    const onProgress: typeof request.onProgress = (event) => {
      request.onProgress(event);
      // The disk has room again when Pi writes down that it failed.
      if (event.kind !== "used" || !statSync(transcript).isDirectory()) return;
      rmdirSync(transcript);
      renameSync(`${transcript}.old`, transcript);
    };
    expect(await host.runTurn({ ...request, onProgress })).toMatchObject({ kind: "failed", reason: "disk" });
    expect(progress.map(({ kind }) => kind)).toContain("tool_ended");
    expect(progress.map(({ kind }) => kind)).not.toContain("tools_over");
  });

  it("[A5] a tool outside the scope does not run, and the agent gets an error", async () => {
    const tools = [{ name: "write", arguments: { path: "a.txt", content: "x" } }];
    const { host } = await play([{ tools, text: "done" }]);
    const { request, progress } = ask({ tools: ["read"] });
    expect(await host.runTurn(request)).toMatchObject({ kind: "said", text: "done" });
    expect(progress).toContainEqual(expect.objectContaining({ kind: "tool_ended", name: "write", failed: true }));
    expect(conversation(request.transcript)[2]).toMatch(/not found/);
  });

  it("[A2] a fresh turn forgets what its transcript held", async () => {
    const { host } = await play([{ text: "one" }, { text: "two" }]);
    const { request } = ask();
    await host.runTurn(request);
    await host.runTurn({ ...request, earlierTurns: () => [{ ...request, turns: 1, turnsFor: () => 0 }] });
    expect(conversation(request.transcript)).toEqual(["user: Build it.", "assistant: two"]);
  });

  it("[A15] a continued turn goes on with the same conversation, and costs only itself", async () => {
    const { host } = await play([
      { text: "one", usage: { input: 10, output: 1 } },
      { text: "two", usage: { input: 20, output: 2 } },
    ]);
    const { request } = ask();
    await host.runTurn(request);
    const again = {
      ...request,
      history: "continued" as const,
      prompt: "Go on.",
      earlierTurns: () => [{ ...request, turns: 1, turnsFor: () => 0 }],
    };
    expect(await host.runTurn(again)).toMatchObject({ text: "two", usage: { input: 20, output: 2 } });
    expect(conversation(request.transcript)).toEqual([
      "user: Build it.",
      "assistant: one",
      "user: Go on.",
      "assistant: two",
    ]);
  });

  it("[A33] an agent that continues in another folder learns that paths into the old one are wrong, once", async () => {
    const { host } = await play([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const { request, progress } = ask();
    await host.runTurn(request);
    const moved = { ...request, cwd: scratchFolder(), history: "continued" as const };
    await host.runTurn({ ...moved, prompt: "Go on." });
    const prompt =
      "You work in another folder now, named in your instructions: use no path into the earlier one.\n\nGo on.";
    expect(progress).toContainEqual(expect.objectContaining({ kind: "asked", prompt }));
    await host.runTurn({ ...moved, prompt: "And on." });
    expect(conversation(request.transcript).filter((line) => line.startsWith("user"))).toEqual([
      "user: Build it.",
      `user: ${prompt}`,
      "user: And on.",
    ]);
  });

  it.each<[title: string, damage: (path: string) => void, kept: readonly string[]]>([
    [
      "[A15] a torn last line is dropped",
      (path) => appendFileSync(path, '{"type":"mess'),
      ["user: Build it.", "assistant: one"],
    ],
    [
      "[A15] what follows a damaged line is dropped",
      (path) => writeFileSync(path, readFileSync(path, "utf8").replace(/\n(.*"role":"assistant")/, "\n###$1")),
      ["user: Build it."],
    ],
    ["[A15] garbage begins anew", (path) => writeFileSync(path, "\u0000garbage\n{}\n"), []],
    [
      "[A15] JSON that is no transcript begins anew",
      (path) => writeFileSync(path, '5\nnull\n[]\n{"type":"session"}\n'),
      [],
    ],
    ["[A15] an empty transcript begins anew", (path) => writeFileSync(path, ""), []],
  ])("%s", async (_title, damage, kept) => {
    const { host } = await play([{ text: "one" }, { text: "two" }]);
    const { request } = ask();
    await host.runTurn(request);
    damage(request.transcript);
    const again = {
      ...request,
      history: "continued" as const,
      prompt: "Go on.",
      earlierTurns: () => [{ ...request, turns: 1, turnsFor: () => 0 }],
    };
    expect(await host.runTurn(again)).toMatchObject({ kind: "said", text: "two" });
    expect(conversation(request.transcript)).toEqual([...kept, "user: Go on.", "assistant: two"]);
  });

  it("[A15] a missing transcript begins anew", async () => {
    const { host } = await play([{ text: "one" }]);
    const { request } = ask({ history: "continued" });
    expect(await host.runTurn(request)).toMatchObject({ kind: "said", text: "one" });
    expect(conversation(request.transcript)).toEqual(["user: Build it.", "assistant: one"]);
  });

  it("[A16] the transcript is on disk before the answer is there", async () => {
    const { host, hanging } = await play([{ text: "late", delayMs: HANG }]);
    const { request, abort } = ask();
    const asked = hanging();
    const turn = host.runTurn(request);
    await asked;
    expect(conversation(request.transcript)).toEqual(["user: Build it."]);
    abort();
    await turn;
  });

  it("[A22] a failed request is sent again, and everybody sees it", async () => {
    const { host } = await play([{ error: "provider" }, { error: "timeout" }, { text: "built" }]);
    const { request, progress } = ask();
    expect(await host.runTurn(request)).toMatchObject({ kind: "said", text: "built" });
    expect(progress.filter(({ kind }) => kind === "retrying")).toEqual([
      { kind: "retrying", attempt: 1, delayMs: 0, error: expect.stringContaining("503") },
      { kind: "retrying", attempt: 2, delayMs: 0, error: expect.stringContaining("timed out") },
    ]);
  });

  it("[A7] when the retries are used up the turn fails in the provider's words, with what it cost", async () => {
    const tools = [{ name: "ls", arguments: {} }];
    const replies: Replies = [
      { error: "provider", tools },
      { error: "provider" },
      { error: "provider" },
      { text: "too late" },
    ];
    const { host } = await play(replies, { maxRetries: 2 });
    const { request, progress } = ask({ tools: ["ls"] });
    expect(await host.runTurn(request)).toMatchObject({
      kind: "failed",
      reason: "provider",
      message: expect.stringContaining("503"),
      usage: expect.any(Object),
    });
    expect(progress.filter(({ kind }) => kind === "retrying")).toHaveLength(2);
  });

  it.each(["provider", "timeout", "overflow"] as const)("[A18] %s is a separate reason", async (error) => {
    const { host } = await play([{ error }], { maxRetries: 0 });
    expect(await host.runTurn(ask().request)).toMatchObject({ kind: "failed", reason: error });
  });
});
