import type { AgentSession, ExtensionFactory, ResourceLoader } from "@earendil-works/pi-coding-agent";
import type { TurnRequest } from "../ports.ts";
import { loadExtensionFiles, resolveEquipment } from "./equipment.ts";
import { requestedTools, scriptServerTools, startServers, type ScriptedTools } from "./mcp-servers.ts";
import { bareResources, type Pi, type PiContext, type SessionHooks, type SessionTurn } from "./pi-sdk.ts";
import type { Timer } from "./turn-guard.ts";

export interface EquippedSetup {
  readonly pi: Pi;
  readonly hooks?: SessionHooks;
  readonly after: Timer;
  /** [YP13] Set in a rehearsal, which starts no server. */
  readonly scripted?: ScriptedTools;
}

/** [YP2, YP6, YP11] The skills, extensions and servers that the materia names; a face may add its own extensions. */
export async function equippedResources(
  { pi, hooks, after, scripted }: EquippedSetup,
  bare: ResourceLoader,
  request: TurnRequest,
): Promise<ResourceLoader> {
  const { mcp = [], cwd } = request;
  const found = await resolveEquipment(pi, scripted ? { ...request, mcp: [] } : request, request);
  const [issue] = found.issues;
  if (issue) throw new Error(issue.message);
  const problems: { path: string; error: string }[] = [];
  const report = (error: string): void => void problems.push({ path: "mcp", error });
  const factories: ExtensionFactory[] = [];
  if (scripted && mcp.length > 0) factories.push(scriptServerTools(scripted, mcp));
  if (found.servers.length > 0) factories.push(startServers(pi, found.servers, { request, report, after }));
  const extensions = { files: found.extensionFiles, factories };
  if (!hooks && extensions.files.length > 0) printToStandardError();
  const isBare = extensions.files.length + factories.length === 0;
  const loaded = isBare ? bare.getExtensions() : await loadExtensionFiles(pi, cwd, extensions, after);
  const own: ResourceLoader = {
    ...bare,
    getSkills: () => ({ skills: [...found.skills], diagnostics: [] }),
    getExtensions: () => loaded,
  };
  const shown = (await hooks?.resources?.(own, request, extensions)) ?? own;
  return { ...shown, getExtensions: () => ({ ...shown.getExtensions(), errors: problems }) };
}

/** [YP16] What an extension prints would break the output of a command. Inside Pi, Pi sees to it. */
function printToStandardError(): void {
  const { error } = console;
  Object.assign(console, { log: error, info: error, debug: error });
}

/** [YP1, YP12] Extensions may register tools only now. The result says why nothing may be asked, if so. */
export async function bindSession(
  hooks: SessionHooks | undefined,
  session: AgentSession,
  turn: SessionTurn,
): Promise<string | undefined> {
  const { extensions = [], mcp = [], tools } = turn.request;
  if (hooks?.opened) await hooks.opened(session, turn);
  else if (extensions.length + mcp.length > 0)
    await session.bindExtensions({ mode: "print", onError: () => undefined });
  const [problem] = session.resourceLoader.getExtensions().errors;
  if (problem) return problem.error;
  const offered = session.getActiveToolNames();
  const absent = tools.filter((tool) => !tool.endsWith("*") && !offered.includes(tool)).map((tool) => `"${tool}"`);
  if (absent.length === 0) return undefined;
  return `the agent's session does not offer ${absent.join(", ")}, so that no model was asked`;
}

const SHUTDOWN_MS = 5_000;

/** [YP12] Extensions and servers end with their session; one that never ends is left behind. */
export async function endSession(session: AgentSession, after: Timer): Promise<void> {
  const { extensionRunner: runner } = session;
  if (runner.hasHandlers("session_shutdown")) {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = after(SHUTDOWN_MS, resolve);
    const ended = runner.emit({ type: "session_shutdown", reason: "quit" }).then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([ended, late]).finally(cancel);
  }
  session.dispose();
}

/** [YP1] The tools that a session for this request would offer. It asks no model. */
export async function probeTools(setup: PiContext & EquippedSetup, request: TurnRequest): Promise<readonly string[]> {
  const resources = await equippedResources(setup, bareResources(setup.pi, ""), request);
  const { session } = await setup.pi.createAgentSession({
    cwd: request.cwd,
    modelRuntime: setup.runtime,
    settingsManager: setup.settings,
    // All tools of its servers: a name that is misspelt gets the nearest one.
    tools: [...request.tools, ...requestedTools({ ...request, tools: [] }, setup.scripted)],
    resourceLoader: resources,
    sessionManager: setup.pi.SessionManager.inMemory(request.cwd),
  });
  try {
    await bindSession(setup.hooks, session, { request, suspendTimeout: () => () => undefined });
    const [problem] = session.resourceLoader.getExtensions().errors;
    if (problem) throw new Error(problem.error);
    return session.getActiveToolNames();
  } finally {
    await endSession(session, setup.after);
  }
}
