import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it } from "vitest";
import { afterFile } from "../harness/after-file.ts";
import { castsIn, envOf, journalOf, newPlace, PROGRAM, run } from "../harness/cli.ts";

const config = {
  activeLoadout: "Line",
  budget: { maxTokens: 50_000 },
  materia: {
    Writer: { prompt: "Write.", tools: "none" },
    Ask: { type: "person", question: "Is it good?" },
  },
  loadouts: {
    Line: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Writer" } } },
    Gate: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Writer", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Ask",
          edges: [
            { when: "satisfied", to: "end" },
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
          ],
        },
      },
    },
  },
};
const replies = { replies: { Writer: [{ text: "the draft" }] }, onEmpty: "repeat-last" };
const slow = { replies: { Writer: [{ text: "late", delayMs: 3_600_000 }] } };

const ARGS = ["mcp", "--config", "line.json", "--rehearse", "replies.json"];

function place(scripted: object = replies): string {
  return newPlace({ "line.json": config, "replies.json": scripted });
}

type Answer = { readonly action: "accept" | "decline"; readonly content?: Record<string, string | boolean> };

interface McpConnection {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  readonly questions: string[];
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolAnswer>;
}

interface ToolAnswer {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly isError: boolean;
}

async function connect(cwd: string, mode: "legacy" | "auto", answer?: Answer, args = ARGS): Promise<McpConnection> {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: answer ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode } },
  );
  const questions: string[] = [];
  if (answer)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return answer;
    });
  const command = [process.execPath, PROGRAM, ...args];
  const transport = new StdioClientTransport({
    command: command[0] ?? "",
    args: command.slice(1),
    cwd,
    env: envOf(cwd),
    stderr: "ignore",
  });
  await client.connect(transport);
  afterFile(() => client.close());
  const callOnce: McpConnection["call"] = async (name, given = {}) => {
    const result = await client.callTool({ name, arguments: given }, { timeout: 120_000 });
    const content = result.content as { text?: string }[];
    return {
      text: content.map(({ text = "" }) => text).join("\n"),
      data: (result.structuredContent ?? {}) as Record<string, unknown>,
      isError: result.isError === true,
    };
  };
  // [MC2] On a busy machine a call may return before the cast has stopped.
  const call: McpConnection["call"] = async (name, given) => {
    let answer = await callOnce(name, given);
    if (!["cast", "link", "wait"].includes(name) || given?.["seconds"] !== undefined) return answer;
    while (answer.data["status"] === "running") answer = await callOnce("wait", { castId: answer.data["castId"] });
    return answer;
  };
  return { client, transport, questions, call };
}

it("[MC1, MC4] an older client casts, and answers through its own question to the person", async () => {
  const { client, call, questions } = await connect(place(), "legacy", {
    action: "accept",
    content: { approve: true },
  });
  expect(client.getServerVersion()?.name).toBe("pi-materia");
  expect((await client.listTools()).tools).toHaveLength(10);
  const waiting = await call("cast", { request: "Write", loadout: "Gate" });
  expect(waiting.data).toMatchObject({ status: "waiting" });
  await call("answer", { castId: waiting.data["castId"] });
  expect(questions).toEqual([expect.stringContaining("Is it good?")]);
  expect((await call("wait", { castId: waiting.data["castId"] })).data).toMatchObject({ status: "completed" });
});

it("[MC1, MC2, MC6] a client lists tools, casts, links, and reads what happened", async () => {
  const { client, call } = await connect(place(), "auto");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    "cast link wait status show diff answer abort check loadouts".split(" "),
  );
  const done = await call("cast", { request: "Write a line" });
  expect(done).toMatchObject({ isError: false, data: { status: "completed", loadout: "Line" } });
  const { castId } = done.data;
  expect((await call("show", { castId })).text).toContain("the draft");
  expect((await call("status", { castId: "nobody" })).data).toMatchObject({ issues: [{ code: "unknown_cast" }] });
  expect((await call("loadouts")).text).toContain("Gate");
  expect((await call("check")).data).toHaveProperty("issues");
  const { resources } = await client.listResources();
  expect(resources[0]).toMatchObject({ uri: `materia://casts/${String(castId)}`, description: "completed" });
  const read = await client.readResource({ uri: resources[0]?.uri ?? "" });
  expect(JSON.stringify(read.contents)).toContain("the draft");
  await expect(client.readResource({ uri: "materia://casts/../../etc/passwd" })).rejects.toThrow(/not found|unknown/i);
  await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toThrow(/not found|unknown/i);
  const linked = await call("link", { targets: ["Writer", "Writer"], request: "twice" });
  expect(linked.data).toMatchObject({ status: "completed", visits: 2 });
});

it("[MC4] answer takes nothing but the person's answer; who cannot be asked or declines leaves the cast waiting", async () => {
  const cwd = place();
  const blind = await connect(cwd, "auto");
  const waiting = await blind.call("cast", { request: "Write", loadout: "Gate" });
  const { castId } = waiting.data;
  const refused = await blind.call("answer", { castId }).catch((thrown: Error) => thrown.message);
  expect(JSON.stringify(refused)).toMatch(/elicit|isError":true/i);
  const declining = await connect(cwd, "auto", { action: "decline" });
  expect((await declining.call("answer", { castId })).data).toMatchObject({ issues: [{ code: "not_answered" }] });
  expect((await blind.call("status", { castId })).data).toMatchObject({ status: "waiting" });
  const refusing = { action: "accept", content: { approve: false, message: "too dry" } } as const;
  const { call, questions } = await connect(cwd, "auto", refusing);
  const tried = await call("answer", { castId, approve: true });
  expect([tried.isError, questions]).toEqual([true, []]);
  expect((await call("answer", { castId })).isError).toBe(false);
  await call("wait", { castId });
  const judged = journalOf(cwd, String(castId)).find(({ type }) => type === "person_judged");
  expect(judged).toMatchObject({ satisfied: false, text: "too dry" });
});

it("[MC3] a request may lower the budget and never raise it", async () => {
  const cwd = place();
  const { call } = await connect(cwd, "auto", undefined, [...ARGS, "--cost", "2"]);
  const raised = await call("cast", { request: "Write", budget: 60_000, cost: 5 });
  expect(raised).toMatchObject({
    isError: true,
    data: { issues: [{ code: "budget_above_limit" }, { code: "budget_above_limit" }] },
  });
  expect(castsIn(cwd)).toEqual([]);
  const lowered = await call("cast", { request: "Write", budget: 1_000 });
  const { stdout } = await run(["budget", String(lowered.data["castId"]), "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ maxTokens: 1_000 });
});

it("[MC4] a project that is not trusted is refused, and no tool can trust it", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": config, "replies.json": replies });
  const { client, call } = await connect(cwd, "auto", undefined, ["mcp", "--rehearse", "replies.json"]);
  const refused = await call("cast", { request: "Write" });
  expect(refused.data).toMatchObject({ issues: [{ code: "untrusted_project" }] });
  expect(castsIn(cwd)).toEqual([]);
  const { tools } = await client.listTools();
  expect(JSON.stringify(tools)).not.toMatch(/"(trust|allow|anyway|approve)"/);
});

it("[MC2] a cast outlives a killed server, and another client aborts it", async () => {
  const cwd = place(slow);
  const first = await connect(cwd, "auto");
  const running = await first.call("cast", { request: "Write", seconds: 0 });
  expect(running.data).toMatchObject({ status: "running" });
  process.kill(first.transport.pid ?? 0, "SIGKILL");
  const second = await connect(cwd, "legacy");
  expect((await second.call("status", { castId: running.data["castId"] })).data).toMatchObject({ status: "running" });
  expect((await second.call("abort", { castId: running.data["castId"] })).isError).toBe(false);
  expect((await second.call("wait", { castId: running.data["castId"] })).data).toMatchObject({ status: "aborted" });
});

type Reply = Readonly<Record<string, unknown>>;

interface RawServer {
  /** Resolves with so many replies, one for each message if no number is given. */
  readonly ask: (messages: readonly string[], replies?: number) => Promise<readonly Reply[]>;
  /** Resolves with what it still had to say. */
  readonly close: () => Promise<readonly Reply[]>;
}

/** A server without the client's library: one message a line, as the protocol has it. */
function openRaw(cwd: string): RawServer {
  const server = spawn(process.execPath, [PROGRAM, ...ARGS], {
    cwd,
    env: envOf(cwd),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  return {
    ask: async (messages, replies = messages.length) => {
      for (const message of messages) server.stdin.write(`${message}\n`);
      const all: Reply[] = [];
      while (all.length < replies) all.push(JSON.parse(String((await lines.next()).value)) as Reply); // a message of the server
      return all;
    },
    close: async () => {
      server.stdin.end();
      const rest: Reply[] = [];
      for (let line = await lines.next(); !line.done; line = await lines.next())
        rest.push(JSON.parse(line.value) as Reply); // as above
      if (server.exitCode === null) await once(server, "exit");
      expect(server.exitCode).toBe(0);
      return rest;
    },
  };
}

/** What one server answers that is then closed. */
async function raw(cwd: string, messages: readonly string[], replies: number): Promise<readonly Reply[]> {
  const server = openRaw(cwd);
  return [...(await server.ask(messages, replies)), ...(await server.close())];
}

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const modern = (id: number, method: string, params: object, capabilities: object = TASKS) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      },
    },
  });

/** The task of a cast that has ended or waits, once its process has gone. */
async function settledTask(cwd: string, { ask }: RawServer, taskId: string): Promise<Reply> {
  await run(["watch", taskId], { cwd });
  let reply: Reply = {};
  const read = async () => ([reply = {}] = await ask([modern(900, "tasks/get", { taskId })]));
  await expect.poll(read).not.toMatchObject([{ result: { status: "working" } }]);
  return reply;
}

it("[MC7] a client with tasks gets one, which another server knows", async () => {
  const cwd = place();
  const [created] = await raw(cwd, [modern(1, "tools/call", { name: "cast", arguments: { request: "Write" } })], 1);
  const task = created?.["result"] as Record<string, unknown>;
  expect(task).toMatchObject({ resultType: "task", taskId: castsIn(cwd)[0], pollIntervalMs: 2_000 });
  const { taskId } = task;
  const server = openRaw(cwd);
  const got = await settledTask(cwd, server, String(taskId));
  const wrong = [modern(2, "tasks/get", { taskId: "last" }), modern(3, "tasks/cancel", { taskId: "../x" })];
  const [unknown, cancelled] = (await server.ask(wrong)).toSorted((a, b) => Number(a["id"]) - Number(b["id"]));
  await server.close();
  expect(got).toMatchObject({ result: { taskId, status: "completed", result: { content: [{ type: "text" }] } } });
  expect(unknown).toMatchObject({ error: { code: -32602 } });
  expect(cancelled).toMatchObject({ error: { code: -32602 } });
});

it("[MC7] a cancelled task aborts its cast in the middle of a turn", async () => {
  const cwd = place(slow);
  const server = openRaw(cwd);
  const [created] = await server.ask([modern(1, "tools/call", { name: "cast", arguments: { request: "Write" } })]);
  const { taskId } = (created?.["result"] ?? {}) as { taskId: string };
  expect(created).toMatchObject({ result: { status: "working" } });
  await server.ask([modern(2, "tasks/cancel", { taskId })]);
  const cancelled = await settledTask(cwd, server, taskId);
  await server.close();
  expect(cancelled).toMatchObject({ result: { taskId, status: "cancelled" } });
});

it("[MC5] a client that never reads does not hold up its cast", async () => {
  const cwd = place();
  const server = spawn(process.execPath, [PROGRAM, ...ARGS], {
    cwd,
    env: envOf(cwd),
    stdio: ["pipe", "pipe", "ignore"],
  });
  server.stdout.pause();
  for (let id = 1; id <= 500; id += 1) server.stdin.write(`${modern(id, "tools/list", {})}\n`);
  server.stdin.write(`${modern(501, "tools/call", { name: "cast", arguments: { request: "Write" } })}\n`);
  const listed = async () => JSON.parse((await run(["casts", "--json"], { cwd })).stdout) as { status: string }[];
  await expect.poll(async () => (await listed())[0]?.status, { timeout: 60_000 }).toBe("completed");
  server.kill("SIGKILL");
  await once(server, "exit");
});

it("[MC7] a waiting task shows its question, and takes the answer of the person", async () => {
  const cwd = place();
  const call = { name: "cast", arguments: { request: "Write", loadout: "Gate" } };
  const [created] = await raw(cwd, [modern(1, "tools/call", call)], 1);
  const { taskId } = (created?.["result"] ?? {}) as { taskId: string };
  // [MC7] Another server knows the task.
  const server = openRaw(cwd);
  const { ask, close } = server;
  const asked = await settledTask(cwd, server, taskId);
  expect(asked).toMatchObject({
    result: { status: "input_required", inputRequests: { "Socket-2#1": { params: { message: expect.any(String) } } } },
  });
  const wrong = { "Socket-2#7": { action: "accept", content: { approve: true } } };
  const right = { "Socket-2#1": { action: "accept", content: { approve: true } } };
  await ask([modern(2, "tasks/update", { taskId, inputResponses: wrong })]);
  expect(journalOf(cwd, taskId).map(({ type }) => type)).not.toContain("person_finished");
  await ask([modern(3, "tasks/update", { taskId, inputResponses: right })]);
  await close();
  await run(["watch", taskId], { cwd });
  expect(journalOf(cwd, taskId).at(-1)).toMatchObject({ type: "cast_ended", outcome: "completed" });
});

it("[MC5] malformed messages and unknown methods are answered or dropped, and the server goes on", async () => {
  const cwd = place();
  const answers = await raw(
    cwd,
    [
      "{ not json",
      "[]",
      '"text"',
      JSON.stringify({ jsonrpc: "2.0", id: 8, method: "tools/call" }),
      modern(5, "nonsense/method", {}),
      modern(6, "tools/call", { name: "rm", arguments: {} }),
      modern(7, "tools/call", { name: "cast", arguments: { request: "x", trust: true } }),
      modern(9, "tools/list", {}),
    ],
    4,
  );
  const byId = new Map(answers.map((answer) => [answer["id"], answer]));
  expect(byId.get(5)).toMatchObject({ error: { code: -32601 } });
  expect(byId.get(6)).toMatchObject({ result: { isError: true } });
  expect(byId.get(7)).toMatchObject({ result: { isError: true } });
  expect(byId.get(9)).toMatchObject({ result: { tools: expect.any(Array) } });
  expect(castsIn(cwd)).toEqual([]);
});

it("[MC5] a message that is too large ends the server plainly, and no cast begins", async () => {
  const cwd = place();
  const server = spawn(process.execPath, [PROGRAM, ...ARGS], {
    cwd,
    env: envOf(cwd),
    stdio: ["pipe", "ignore", "pipe"],
  });
  let errors = "";
  server.stderr.on("data", (part) => (errors += String(part)));
  server.stdin.on("error", () => undefined);
  server.stdin.write(modern(1, "tools/call", { name: "cast", arguments: { request: "x".repeat(11_000_000) } }));
  const [code] = (await once(server, "exit")) as [number];
  expect([code, errors]).toEqual([1, expect.stringMatching(/^mcp: .*exceeded.*\n$/)]);
  expect(castsIn(cwd)).toEqual([]);
});
