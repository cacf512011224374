import type { ExtensionContext, ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../core/model/json.ts";
import type { Rehearsal } from "../../core/model/rehearsal.ts";
import { readJsonFile } from "../config/config-file.ts";
import type { PreflightPlace, TurnRequest } from "../ports.ts";
import { wrapInSandbox } from "../process/sandbox.ts";
import type { Pi } from "./pi-sdk.ts";
import type { Timer } from "./turn-guard.ts";

export interface McpServer {
  readonly name: string;
  readonly config: JsonObject;
  readonly scope: "global" | "project";
  readonly source: string;
}

export type ScriptedTools = NonNullable<Rehearsal["tools"]>;

const FIRST_VERSION = "0.99.0";
const START_MS = 30_000;
/** Each tool costs tokens in every request. */
const MAX_TOOLS = 100;
/** What a project may change of a server of the user. */
const OVERRIDES: readonly string[] = ["enabled", "exposure", "toolExposure"];

/** What newer versions of Pi have for servers. */
interface McpPi {
  readonly createMcpExtension?: (options: object) => ExtensionFactory;
}

/** [YP12] Why this Pi can start no server, if so. */
export function describeMissingMcp(pi: Pi): string | undefined {
  const { createMcpExtension } = pi as Pi & McpPi; // absent in older ones
  return createMcpExtension ? undefined : `servers need Pi ${FIRST_VERSION} or newer, and this is Pi ${pi.VERSION}`;
}

/** [YP11] The servers by name, as Pi reads them: an entry of the project replaces one of the user. Throws for a file that is no JSON. */
export function readMcpServers(
  agentDir: string,
  { cwd, withoutProject }: PreflightPlace,
): ReadonlyMap<string, McpServer> {
  const servers = new Map<string, McpServer>();
  const files = [
    { scope: "global", source: join(agentDir, "mcp.json") } as const,
    ...(withoutProject ? [] : [{ scope: "project", source: join(cwd, ".pi", "mcp.json") } as const]),
  ];
  for (const { scope, source } of files.filter((file) => existsSync(file.source)))
    for (const [name, entry] of Object.entries(readEntries(source))) {
      if (!isJsonObject(entry)) continue;
      const base = servers.get(name);
      const isOverride = !["command", "url", "type"].some((key) => key in entry);
      if (!isOverride) servers.set(name, { name, config: entry, scope, source });
      else if (base) servers.set(name, { ...base, config: { ...base.config, ...pickKeys(entry, OVERRIDES) } });
    }
  return servers;
}

function readEntries(file: string): JsonObject {
  const raw = readJsonFile(file);
  if (!raw?.ok) throw new Error(`${file} is no JSON`);
  const servers = isJsonObject(raw.value) ? raw.value["mcpServers"] : undefined;
  return isJsonObject(servers) ? servers : {};
}

function pickKeys(entry: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => keys.includes(key)));
}

/** [YP11] Why Pi would not start this server, if so. */
export function describeUnusableServer({ config, scope, source }: McpServer): string | undefined {
  if (config["enabled"] === false) return `it is disabled in ${source}`;
  if ((typeof config["command"] === "string") === (typeof config["url"] === "string"))
    return `${source} gives it no command and no url, or both`;
  // A project must not choose where a key of the user goes.
  if (scope === "project" && config["auth"] !== undefined) return `${source} may not have "auth" for it`;
  return undefined;
}

/** [YP11] The tools of a request. A server whose tools it does not name gives all of them. */
export function requestedTools(
  { tools, mcp = [] }: Pick<TurnRequest, "tools" | "mcp">,
  scripted: ScriptedTools | undefined,
): readonly string[] {
  const unnamed = mcp.map(toolPrefix).filter((prefix) => !tools.some((tool) => tool.startsWith(prefix)));
  const all = scripted
    ? Object.keys(scripted).filter((tool) => unnamed.some((prefix) => tool.startsWith(prefix)))
    : unnamed.map((prefix) => `${prefix}*`);
  return [...tools, ...all];
}

export function isToolOfServer(server: string, tool: string): boolean {
  return tool.startsWith(toolPrefix(server));
}

function toolPrefix(server: string): string {
  return `mcp__${server.replaceAll("-", "_")}__`;
}

/** [YP13] Plays the tools of servers; starts none. */
export function scriptServerTools(scripted: ScriptedTools, names: readonly string[]): ExtensionFactory {
  return (pi) => {
    for (const [name, { result, fails }] of Object.entries(scripted)) {
      if (!names.some((server) => isToolOfServer(server, name))) continue;
      const text = typeof result === "string" ? result : JSON.stringify(result);
      pi.registerTool({
        name,
        label: name,
        description: "Played by the rehearsal.",
        parameters: { type: "object", properties: {} },
        execute: async () => {
          if (fails) throw new Error(text);
          return { content: [{ type: "text", text }], details: {} };
        },
      });
    }
  };
}

/** [YP11, YP12] Starts the servers with the session, which opens when all have their tools. `report` hears why one has none. */
export function startServers(
  pi: Pi,
  servers: readonly McpServer[],
  { request, report, after }: { request: TurnRequest; report: (problem: string) => void; after: Timer },
): ExtensionFactory {
  const { createMcpExtension } = pi as Pi & McpPi; // absent in older ones
  const waiting = new Set(servers.map(({ name }) => name));
  const counts = new Map<string, number>();
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const end = (problem?: string): void => {
    if (problem !== undefined) report(problem);
    resolve();
  };
  const onTool = (tool: string): void => {
    const name = servers.find((server) => isToolOfServer(server.name, tool))?.name;
    if (name === undefined) return;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count === MAX_TOOLS + 1 && requestedTools(request, undefined).includes(`${toolPrefix(name)}*`))
      report(`the server "${name}" has more than ${MAX_TOOLS} tools; name those that the agent needs under "tools"`);
    waiting.delete(name);
    if (waiting.size === 0) end();
  };
  const entries = servers.map((server) => ({ ...server, config: startedConfig(server.config, request) }));
  const extension = createMcpExtension?.({ loadConfig: () => ({ servers: entries, errors: [] }) });
  return (api) =>
    extension?.({
      ...api,
      registerTool: (tool: Parameters<typeof api.registerTool>[0]) => {
        api.registerTool(tool);
        onTool(tool.name);
      },
      on: (event: string, handler: (...given: readonly unknown[]) => unknown) =>
        api.on(event as "session_start", async (...[given, ctx]) => {
          if (event !== "session_start") return handler(given, ctx) as undefined;
          const late = () => `the server ${[...waiting].join(", ")} offered no tool within ${START_MS / 1000} s`;
          const cancel = after(START_MS, () => end(late()));
          // Pi says once in a notice what has failed.
          const notify = (notice: string) => end(startProblem(notice));
          const heard = Object.create(ctx, { ui: { value: { ...ctx.ui, notify } } }) as ExtensionContext;
          await handler(given, heard);
          await started.finally(cancel);
        }),
    } as typeof api);
}

function startProblem(notice: string): string {
  const lines = notice.split("\n").filter((line) => line.startsWith("  "));
  return lines.map((line) => `the server ${line.trim()}`).join("; ") || notice;
}

/** Every tool is declared, unless it is hidden; programs run in the sandbox and belong to the visit. */
function startedConfig(config: JsonObject, { sandbox, cwd, env }: TurnRequest): JsonObject {
  const { command, args, toolExposure } = config;
  const declared = (exposure: Json | undefined): string => (exposure === "hidden" ? "hidden" : "direct");
  const single = isJsonObject(toolExposure) ? Object.entries(toolExposure) : [];
  const exposed = {
    ...config,
    exposure: declared(config["exposure"]),
    toolExposure: Object.fromEntries(single.map(([tool, exposure]) => [tool, declared(exposure)])),
  };
  if (typeof command !== "string") return exposed;
  const given = Array.isArray(args) ? args.map(String) : [];
  const [program, ...words] = wrapInSandbox(sandbox, [command, ...given], cwd);
  const own = isJsonObject(config["env"]) ? config["env"] : {};
  return { ...exposed, command: program, args: words, env: { ...own, ...env } };
}
