import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { isError } from "../../src/core/model/issue.ts";
import { resolveEquipment } from "../../src/shell/agents/equipment.ts";
import { readMcpServers, requestedTools, startServers } from "../../src/shell/agents/mcp-servers.ts";
import { loadPi, type Pi } from "../../src/shell/agents/pi-sdk.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import { setToolsUser } from "../../src/shell/process/tools-user.ts";
import { ask, need, piFolder, rehearsal } from "../harness/agents.ts";
import { newPlace } from "../harness/cli.ts";

const SERVERS = {
  mcpServers: { db: { command: "db", args: ["-v"] }, "the-docs": { url: "https://docs" }, off: { command: "x" } },
};
const PROJECT = {
  mcpServers: { db: { exposure: "hidden", url2: 1 }, off: { enabled: false }, own: { url: "https://own", auth: {} } },
};

function place(config: unknown = {}): string {
  piFolder({ "mcp.json": SERVERS });
  return newPlace({ ".pi/mcp.json": PROJECT, ".pi/pi-materia.json": { materia: { P: config } } });
}

/** A Pi with servers, whose extension does what `play` does when the session starts. */
async function piWithServers(play: (api: FakeApi, options: { loadConfig: () => unknown }) => void): Promise<Pi> {
  const createMcpExtension = (options: { loadConfig: () => unknown }) => (api: FakeApi) =>
    api.on("session_start", (_event, ctx) => play({ ...api, ui: ctx.ui }, options));
  return { ...(await loadPi()), createMcpExtension } as unknown as Pi;
}

interface FakeApi {
  readonly on: (event: string, handler: (event: unknown, ctx: { ui: FakeApi["ui"] }) => unknown) => void;
  readonly registerTool: (tool: { name: string }) => void;
  readonly ui: { readonly notify: (notice: string) => void };
}

/** What a session hears of its servers until it is open. */
async function startSession(play: Parameters<typeof piWithServers>[0], tools: readonly string[] = []) {
  const problems: string[] = [];
  const pi = await piWithServers(play);
  const cwd = newPlace();
  piFolder({ "mcp.json": SERVERS });
  const servers = [...readMcpServers(pi.getAgentDir(), { cwd }).values()].slice(0, 1);
  const { request } = ask({ mcp: ["db"], tools, env: { MARK: "1" }, sandbox: { name: "s", command: ["box"] } });
  const after = (_ms: number, fire: () => void) => {
    setImmediate(fire);
    return () => undefined;
  };
  let start: (event: unknown, ctx: unknown) => unknown = () => undefined;
  const api = { on: (_name: string, handler: typeof start) => (start = handler), registerTool: () => undefined };
  const report = (problem: string) => void problems.push(problem);
  await startServers(pi, servers, { request, report, after })(api as never);
  await start({}, { ui: {} });
  return problems;
}

afterEach(() => setToolsUser(undefined as never));

it("[YP11] servers are read as Pi reads them, and refused with what exists", async () => {
  const cwd = place({ mcp: ["own"] });
  const pi = await piWithServers(() => undefined);
  const servers = readMcpServers(pi.getAgentDir(), { cwd });
  expect(servers.get("db")).toMatchObject({ config: { command: "db", exposure: "hidden" }, scope: "global" });
  expect(servers.get("db")?.config).not.toHaveProperty("url2");
  expect(readMcpServers(pi.getAgentDir(), { cwd, withoutProject: true }).has("own")).toBe(false);
  const refusal = async (name: string) => {
    const { issues } = await resolveEquipment(pi, { materia: "P", tools: [], mcp: [name] }, { cwd });
    return issues.map(({ message, hint }) => `${message} → ${hint}`).join("");
  };
  expect(await refusal("db")).toBe("");
  expect(await refusal("dv")).toMatch(/no server "dv".*did you mean "db"/);
  expect(await refusal("off")).toContain("it is disabled in");
  expect(await refusal("own")).toContain(`may not have "auth"`);
});

it("[YP11] an older Pi has no servers, and the refusal names the version", async () => {
  const { issues } = await resolveEquipment(await loadPi(), { materia: "P", tools: [], mcp: ["db"] }, { cwd: place() });
  expect(issues.map(({ message }) => message)).toEqual([
    expect.stringMatching(/need Pi 0\.99\.0 or newer.*is Pi 0\.87/),
  ]);
});

it("[YP11] a server gives all its tools, or those that are named", () => {
  const asked = (...tools: string[]) => requestedTools({ tools, mcp: ["db", "the-docs"] }, undefined);
  expect(asked("read")).toEqual(["read", "mcp__db__*", "mcp__the_docs__*"]);
  expect(asked("mcp__db__query")).toEqual(["mcp__db__query", "mcp__the_docs__*"]);
});

it("[YP12] a server starts in the sandbox with the variables of the visit, and its tools are declared", async () => {
  let config: unknown;
  const problems = await startSession((api, { loadConfig }) => {
    config = loadConfig();
    api.registerTool({ name: "mcp__db__query" });
  });
  expect(problems).toEqual([]);
  expect(config).toMatchObject({
    servers: [{ config: { command: "box", args: ["db", "-v"], env: { MARK: "1" }, exposure: "direct" } }],
  });
});

it("[YP12] a server that fails, never answers or has too many tools is named", async () => {
  const failed = "MCP servers need attention:\n  db: failed: no such file\nRun /mcp to fix.";
  expect(await startSession(({ ui }) => ui.notify(failed))).toEqual(["the server db: failed: no such file"]);
  expect(await startSession(() => undefined)).toEqual(["the server db offered no tool within 30 s"]);
  const many = ({ registerTool }: FakeApi) => {
    for (let tool = 0; tool < 500; tool += 1) registerTool({ name: `mcp__db__t${tool}` });
  };
  expect(await startSession(many)).toEqual([expect.stringContaining('"db" has more than 100 tools')]);
  expect(await startSession(many, ["mcp__db__t1"])).toEqual([]);
});

it("[YP13] a rehearsal plays the tools of servers with any Pi", async () => {
  piFolder({});
  const calls = ["query", "drop"].map((tool) => ({ name: `mcp__db__${tool}`, arguments: {} }));
  const tools = {
    mcp__db__query: { result: { rows: 2 } },
    mcp__db__drop: { result: "no rights", fails: true as const },
  };
  const host = createRehearsalHost({ ...rehearsal({ Build: [{ text: "done", tools: calls }] }), tools });
  const refused = await host.preflight([need({ mcp: ["db"], tools: ["mcp__db__quary"] })], { cwd: place() });
  expect(refused.filter(isError)).toMatchObject([{ hint: 'did you mean "mcp__db__query"?' }]);
  const { request, progress } = ask({ mcp: ["db"] });
  expect(await host.runTurn(request)).toMatchObject({ kind: "said", text: "done" });
  expect(progress.filter(({ kind }) => kind === "tool_ended")).toMatchObject([
    { said: '{"rows":2}', failed: false },
    { said: "no rights", failed: true },
  ]);
});

it("[YP14] an extension or server of the project that its configuration does not name is refused", async () => {
  const clock = { ".pi/extensions/clock.ts": "export default () => undefined;", ".pi/mcp.json": PROJECT };
  piFolder({});
  const pi = await piWithServers(() => undefined);
  const refusals = async (cwd: string) => {
    const wanted = { materia: "P", tools: [], extensions: ["clock"], mcp: ["own"] };
    return (await resolveEquipment(pi, wanted, { cwd })).issues.map(({ message }) => message);
  };
  expect(await refusals(newPlace(clock))).toEqual([
    expect.stringContaining('extension "clock" belongs to the project, whose configuration does not name it'),
    expect.stringContaining('server "own" belongs to the project, whose configuration does not name it'),
  ]);
  const named = newPlace({ ...clock, ".pi/pi-materia.json": { materia: { P: { extensions: ["clock"] } } } });
  expect(await refusals(named)).toEqual([expect.stringContaining('server "own" belongs')]);
  setToolsUser({ name: "agents", uid: 1, gid: 1, home: join(named, "home") });
  expect(await refusals(named)).toContainEqual(expect.stringContaining("would not run as agents"));
});
