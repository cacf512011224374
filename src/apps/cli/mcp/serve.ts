import * as v from "valibot";
import { inputRequired, Server, type ServerContext, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { toJsonSchema } from "@valibot/to-json-schema";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { error } from "../../../core/model/issue.ts";
import { figuresText } from "../../../core/view/numbers.ts";
import { VERSION } from "../../../shell/system/package.ts";
import { findCast, type Workspace } from "../../../shell/workspace/workspace.ts";
import { outputResult, refusalResult, waitForCast, type ToolResult } from "./cast-results.ts";
import { questionRequest, readAnswer, readQuestion, registerTasks, taskHandle, TASKS_EXTENSION } from "./tasks.ts";
import {
  immediateCommand,
  newCastCommand,
  READ_ONLY_TOOLS,
  runImmediate,
  startDetached,
  TOOL_DESCRIPTIONS,
  TOOL_INPUTS,
  type McpProject,
  type ToolInput,
  type ToolName,
} from "./tools.ts";
import { plainText } from "../../../core/view/line.ts";
import { oneLine } from "../../../core/model/text.ts";

const CAST_URI = "materia://casts/";
const MAX_LISTED = 50;
const MAX_CHARS = 200_000;
const TEXT_WIDTH = 100;

/** [MC6] The newest casts as resources. */
async function listCastResources({ open }: McpProject) {
  const workspace = open();
  const casts = workspace.ok ? await workspace.value.store.list() : workspace;
  const newest = casts.ok ? casts.value.slice(0, MAX_LISTED) : [];
  return {
    resources: newest.map(({ castId, loadout, status, request }) => ({
      uri: `${CAST_URI}${castId}`,
      name: castId,
      title: `${loadout}: ${oneLine(request, 80)}`,
      description: status,
      mimeType: "text/markdown",
    })),
  };
}

/** [MC6] The story of a cast as Markdown. */
async function readCastResource({ open }: McpProject, uri: string) {
  const workspace = open();
  const castId = uri.startsWith(CAST_URI) ? uri.slice(CAST_URI.length) : "";
  if (!workspace.ok || castId === "") throw new ResourceNotFoundError(uri);
  const output = await runImmediate({ kind: "show", castId, markdown: true }, workspace.value);
  if (!output.ok) throw new ResourceNotFoundError(uri);
  const text = plainText(output.value.lines(TEXT_WIDTH)).slice(0, MAX_CHARS);
  return { contents: [{ uri, mimeType: "text/markdown", text }] };
}

/** [MC1] Serves the project on standard input and output. True if the client closed it, false after a fatal message. */
export async function serveMcp(project: McpProject, onProblem: (text: string) => void): Promise<boolean> {
  const { promise: closed, resolve } = Promise.withResolvers<boolean>();
  const handle = serveStdio(() => createServer(project), { onerror: ({ message }) => onProblem(message) });
  process.stdin.once("end", () => resolve(true));
  process.stdin.once("close", () => resolve(true));
  // [MC5] After a message that is too large the library stops reading, and nothing is left to do.
  process.once("beforeExit", () => resolve(false));
  const isRegular = await closed;
  await handle.close();
  return isRegular;
}

const INSTRUCTIONS =
  "pi-materia runs workflows of agents. Start one with cast or link, follow it with wait, look at it with status, show and diff. " +
  "When a cast waits for a person, call answer: the person is asked, and only their answer counts.";

function createServer(project: McpProject): Server {
  const server = new Server(
    { name: "pi-materia", version: VERSION },
    { capabilities: { tools: {}, resources: {}, extensions: { [TASKS_EXTENSION]: {} } }, instructions: INSTRUCTIONS },
  );
  const names = Object.keys(TOOL_INPUTS) as ToolName[]; // its own keys
  server.setRequestHandler("tools/list", () => ({ tools: names.map(toolJson) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const name = names.find((each) => each === params.name);
    if (!name) return refusalResult([error("unknown_mcp_tool", params.name, `there is no tool "${params.name}"`)]);
    const input = v.safeParse(TOOL_INPUTS[name], params.arguments ?? {});
    if (!input.success)
      return refusalResult(input.issues.map((issue) => error("bad_value", v.getDotPath(issue) ?? "", issue.message)));
    const workspace = project.open();
    if (!workspace.ok) return refusalResult(workspace.issues);
    return callTool({ ...project, workspace: workspace.value, context }, name, input.output);
  });
  server.setRequestHandler("resources/list", () => listCastResources(project));
  server.setRequestHandler("resources/read", ({ params }) => readCastResource(project, params.uri));
  registerTasks(server, project);
  return server;
}

function toolJson(name: ToolName) {
  const { properties, required } = toJsonSchema(TOOL_INPUTS[name], { errorMode: "ignore" });
  return {
    name,
    description: TOOL_DESCRIPTIONS[name],
    // Plain JSON, which the types of the two packages describe differently.
    inputSchema: {
      type: "object" as const,
      properties: properties as never,
      required: [...(required ?? [])],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: READ_ONLY_TOOLS.has(name), openWorldHint: !READ_ONLY_TOOLS.has(name) },
  };
}

interface CallContext extends McpProject {
  readonly workspace: Workspace;
  readonly context: ServerContext;
}

async function callTool(call: CallContext, name: ToolName, input: object) {
  const { workspace } = call;
  const command = immediateCommand(name, input);
  if (command) return outputResult(await runImmediate(command, workspace));
  if (name === "cast" || name === "link") return startCast(call, input as ToolInput<"cast" | "link">);
  const { castId, seconds } = input as ToolInput<"wait">;
  const found = await findCast(workspace.store, castId);
  if (!found.ok) return refusalResult(found.issues);
  return name === "answer" ? answerCast(call, found.value) : waitAndReport(call, found.value, seconds);
}

/** [MC2] Starts a cast. A client with tasks gets one; others get the result, or the id of the running cast. */
async function startCast(call: CallContext, input: ToolInput<"cast"> | ToolInput<"link">) {
  const { workspace, limits, context } = call;
  const command = newCastCommand(input, limits);
  if (!command.ok) return refusalResult(command.issues);
  const options = { ...limits.options, ...(input.worktree ? { worktree: true as const } : {}) };
  const started = await startDetached(command.value, workspace, options);
  if (!started.ok) return refusalResult(started.issues);
  const found = await findCast(workspace.store, started.value);
  if (!found.ok) return refusalResult(found.issues);
  return (await taskHandle(workspace, found.value, context)) ?? waitAndReport(call, found.value, input.seconds);
}

const DEFAULT_WAIT_SECONDS = 45;

async function waitAndReport(
  { workspace, context }: CallContext,
  castId: Parameters<typeof waitForCast>[1],
  seconds = DEFAULT_WAIT_SECONDS,
): Promise<ToolResult> {
  const { signal } = context.mcpReq;
  await waitForCast(workspace.store, castId, { ms: seconds * 1_000, signal, onChange: progressReporter(context) });
  return outputResult(await runImmediate({ kind: "status", castId }, workspace));
}

/** A client that sent a progress token sees each step; it also keeps the call alive. */
function progressReporter({ mcpReq }: ServerContext): (summary: CastSummary) => void {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  if (token === undefined) return () => undefined;
  let progress = 0;
  return (summary) => {
    progress += 1;
    const params = { progressToken: token, progress, message: `${summary.status}: ${figuresText(summary)}` };
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

/** [MC4] Asks the person through the client. A model cannot answer: its arguments hold no answer. */
async function answerCast(call: CallContext, castId: Parameters<typeof waitForCast>[1]) {
  const { workspace, limits, context } = call;
  const question = await readQuestion(workspace.store, castId);
  if (!question.ok) return refusalResult(question.issues);
  const given = readAnswer(question.value, context.mcpReq.inputResponses?.[question.value.key]);
  if (given === "declined")
    return refusalResult([
      error("not_answered", castId, "the person did not answer", "they can answer in a terminal: materia continue"),
    ]);
  if (!given) return inputRequired({ inputRequests: { [question.value.key]: questionRequest(question.value) } });
  const started = await startDetached({ kind: "continue", castId, ...given, literal: true }, workspace, limits.options);
  return started.ok ? waitAndReport(call, castId) : refusalResult(started.issues);
}
