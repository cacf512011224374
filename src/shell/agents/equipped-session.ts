import type { AgentSession, ResourceLoader } from "@earendil-works/pi-coding-agent";
import type { TurnRequest } from "../ports.ts";
import { loadExtensionFiles, resolveEquipment, withEquipment } from "./equipment.ts";
import { bareResources, type Pi, type PiContext, type SessionHooks, type SessionTurn } from "./pi-sdk.ts";
import type { Timer } from "./turn-guard.ts";

export interface EquippedSetup {
  readonly pi: Pi;
  readonly hooks?: SessionHooks;
  readonly after: Timer;
}

/** [YP2, YP6] The skills and extensions that the materia names; a face may add its own. */
export async function equippedResources(
  { pi, hooks, after }: EquippedSetup,
  bare: ResourceLoader,
  request: TurnRequest,
): Promise<ResourceLoader> {
  const found = await resolveEquipment(pi, request, request);
  const [issue] = found.issues;
  if (issue) throw new Error(issue.message);
  const own = await withEquipment(bare, found, (files) => loadExtensionFiles(pi, request.cwd, files, after));
  return (await hooks?.resources?.(own, request, found.extensionFiles)) ?? own;
}

/** Extensions may register tools only now. */
export async function bindSession(
  hooks: SessionHooks | undefined,
  session: AgentSession,
  turn: SessionTurn,
): Promise<void> {
  if (hooks?.opened) return hooks.opened(session, turn);
  if (turn.request.extensions?.length) await session.bindExtensions({ mode: "print", onError: () => undefined });
}

/** [YP1] Why nothing may be asked: tools that are named and that the opened session does not offer. */
export function describeAbsentTools(session: AgentSession, { tools }: Pick<TurnRequest, "tools">): string | undefined {
  const offered = session.getActiveToolNames();
  const absent = tools.filter((tool) => !offered.includes(tool)).map((tool) => `"${tool}"`);
  return absent.length === 0
    ? undefined
    : `the agent's session does not offer ${absent.join(", ")}, so that no model was asked`;
}

/** [YP1] The tools that a session for this request would offer. It asks no model. */
export async function probeTools(setup: PiContext & EquippedSetup, request: TurnRequest): Promise<readonly string[]> {
  const resources = await equippedResources(setup, bareResources(setup.pi, ""), request);
  const { session } = await setup.pi.createAgentSession({
    cwd: request.cwd,
    modelRuntime: setup.runtime,
    settingsManager: setup.settings,
    tools: [...request.tools],
    resourceLoader: resources,
    sessionManager: setup.pi.SessionManager.inMemory(request.cwd),
  });
  try {
    await bindSession(setup.hooks, session, { request, suspendTimeout: () => () => undefined });
    return session.getActiveToolNames();
  } finally {
    session.dispose();
  }
}
