import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { Issue } from "../../src/core/model/issue.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { prepareCast } from "../../src/shell/casting/start-cast.ts";
import { prepareResume, type Resumption } from "../../src/shell/casting/resume-cast.ts";
import { loadWorkspace, type Workspace } from "../../src/shell/workspace/workspace.ts";
import type { TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import type { RunOutcome } from "../../src/shell/context/run-context.ts";
import { envOf, eventsOf, newPlace } from "./cli.ts";

/** A cast with real files whose agents are functions. */
export interface HostedCast {
  readonly castId: CastId;
  readonly runDir: string;
  readonly workspace: Workspace;
  readonly end: RunOutcome;
}

export type Agent = (request: TurnRequest, abort: (reason?: unknown) => void) => Promise<TurnOutcome> | TurnOutcome;

export function workspaceWith(config: object): Workspace {
  const cwd = newPlace({ "materia.json": config });
  const workspace = loadWorkspace({ cwd, env: envOf(cwd), explicitFile: join(cwd, "materia.json") });
  if (!workspace.ok) throw new Error(JSON.stringify(workspace.issues));
  return workspace.value;
}

export async function startHosted(workspace: Workspace, materia: string, agent: Agent): Promise<HostedCast> {
  const { agents, signal } = hosting(agent);
  const link = { targets: [{ kind: "materia", name: materia } as const], prompt: "Do it." };
  const ready = await prepareCast(workspace, link, agents);
  if (!ready.ok) throw new Error(JSON.stringify(ready.issues));
  const { castId } = ready.value;
  const end = await ready.value.run({ signal });
  if (!end.ok) throw new Error(JSON.stringify(end.issues));
  return { castId, runDir: workspace.store.locationOf(castId), workspace, end: end.value };
}

export async function resumeHosted(
  { workspace, castId }: HostedCast,
  agent: Agent,
  how: Resumption = { kind: "recast" },
): Promise<RunOutcome | readonly Issue[]> {
  const { agents, signal } = hosting(agent);
  const ready = await prepareResume(workspace, { castId, how, by: "test" }, agents);
  if (!ready.ok) return ready.issues;
  const done = await ready.value.run({ signal });
  return done.ok ? done.value : done.issues;
}

function hosting(agent: Agent) {
  const controller = new AbortController();
  const abort = (reason?: unknown): void => controller.abort(reason);
  const host = { preflight: async () => [], runTurn: async (request: TurnRequest) => agent(request, abort) };
  return { agents: { openReal: async () => host }, signal: controller.signal };
}

export function journalIn({ runDir }: Pick<HostedCast, "runDir">): readonly CastEvent[] {
  return eventsOf(readFileSync(join(runDir, "journal.jsonl"), "utf8"));
}

export function saying(text: string, usage = { input: 10, output: 5, cost: 0.25 }): TurnOutcome {
  return { kind: "said", text, usage, model: "test" };
}
