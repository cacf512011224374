import { type GraphSocket, type Graph, materiaOf, socketsOf } from "../../core/compile/graph.ts";
import { ok, type Issue, type KeyPath, type Result, error, fail } from "../../core/model/issue.ts";
import { equipmentOf, splitModels, type ThinkingLevel, toolsInScope } from "../../core/model/materia.ts";
import { Rehearsal } from "../../core/model/rehearsal.ts";
import type { Settings } from "../../core/catalog/settings.ts";
import type { AgentLimits } from "../../core/model/config.ts";
import type { PiHostOptions } from "../agents/pi-host.ts";
import type { AgentHost, AgentRequirement } from "../ports.ts";
import type { Workspace } from "./workspace.ts";
import { resolve } from "node:path";
import { sandboxOf } from "../../core/compile/sandboxes.ts";
import { readSandboxes, type ConfigContext } from "../config/config.ts";
import { findSandbox, type SandboxProfiles } from "../process/sandbox.ts";
import { validate } from "../../core/catalog/validate.ts";
import { parseJson, readJsonFile } from "../config/config-file.ts";
import { withoutUndefined } from "../../core/model/json.ts";

/** What answers for the agents of a cast: a model, or a file of replies. */
export interface AgentChoice {
  readonly model?: string;
  /** [A4] The setting that names the model, when no option does. */
  readonly modelAt?: KeyPath;
  /** [A27] For materia that set no thinking level. */
  readonly thinking?: ThinkingLevel;
  /** [Z6] How long the cast may sleep in all, in milliseconds. */
  readonly waitForProvider?: number;
  /** The name of a file, or the replies that came with the command. */
  readonly rehearsal?: string | Rehearsal;
}

/** The choice, and the face's host for real models. */
export interface AgentSource extends AgentChoice {
  readonly openReal: OpenAgentHost;
  /** [B10] Workers check what agents need, and have the sandboxes. */
  readonly runsElsewhere?: true;
}

/** Opens the face's host for real models; rehearsals need none. */
export type OpenAgentHost = (choice: AgentChoice, patience: AgentRetryOptions) => Promise<AgentHost>;

/** How long and how often a host tries before a turn fails. */
export type AgentRetryOptions = Pick<PiHostOptions, "silenceMs" | "maxRetries" | "baseDelayMs">;

/** [D18] Uses the current settings: a cast that failed after too few retries can resume with more. */
export async function openAgentHost({ place, catalog }: Workspace, agents: AgentSource): Promise<Result<AgentHost>> {
  const { openReal, ...choice } = agents;
  const patience = retryOptionsFrom(catalog.settings.limits);
  const guarded = (host: AgentHost) => ok(place.withoutProject ? withoutProjectInstructions(host) : host);
  if (choice.rehearsal === undefined)
    return guarded(await openReal(withDefaultModel(choice, catalog.settings), patience));
  const { cwd } = place;
  const rehearsal =
    typeof choice.rehearsal === "string" ? readRehearsalFile(cwd, choice.rehearsal) : ok(choice.rehearsal);
  if (!rehearsal.ok) return rehearsal;
  const { createRehearsalHost: rehearsalHost } = await import("../agents/rehearsal-host.ts");
  return guarded(rehearsalHost(rehearsal.value, patience));
}

/** [A3] The host uses it for materia that name no model. */
function withDefaultModel(choice: AgentChoice, { model }: Settings): AgentChoice {
  return choice.model !== undefined || model === null ? choice : { ...choice, model, modelAt: ["model"] };
}

/** [X24] In an untrusted project no agent gets the project's instructions. */
function withoutProjectInstructions(host: AgentHost): AgentHost {
  return {
    ...host,
    preflight: (needs, place) => host.preflight(needs, place && { ...place, withoutProject: true }),
    runTurn: (request) =>
      host.runTurn({
        ...request,
        withoutProject: true,
        instructions: request.instructions === "project" ? "user" : request.instructions,
      }),
  };
}

function retryOptionsFrom({ agentSilenceMs, maxRetries, retryBaseMs }: AgentLimits): AgentRetryOptions {
  return {
    ...(agentSilenceMs === 0 ? {} : { silenceMs: agentSilenceMs }),
    ...withoutUndefined({ maxRetries, baseDelayMs: retryBaseMs }),
  };
}

/** [X52] The model of the Pi session that a cast was detached from, for agents to which nothing else gives one. */
export const SESSION_MODEL_VARIABLE = "MATERIA_SESSION_MODEL";

export async function openPiHost(choice: AgentChoice, patience: AgentRetryOptions): Promise<AgentHost> {
  const { createPiHost: piAgentHost } = await import("../agents/pi-host.ts");
  const { model = process.env[SESSION_MODEL_VARIABLE], modelAt, thinking } = choice;
  return piAgentHost({
    ...patience,
    ...withoutUndefined({ defaultModel: model, defaultModelAt: modelAt, defaultThinking: thinking }),
  });
}

/** What the agents of a graph require from the host. */
export function agentNeeds(
  graph: Graph,
  model: string | undefined,
  env: ConfigContext["env"] = process.env,
): readonly AgentRequirement[] {
  const sandboxes = readSandboxes(env);
  return socketsOf(graph).flatMap((socket) => agentNeedOf({ graph, socket, model, sandboxes }));
}

interface AgentNeed {
  readonly graph: Graph;
  readonly socket: GraphSocket;
  readonly model: string | undefined;
  readonly sandboxes: SandboxProfiles;
}

function agentNeedOf({ graph, socket, model, sandboxes }: AgentNeed): readonly AgentRequirement[] {
  const materia = materiaOf(graph, socket);
  if (materia.type !== "agent") return [];
  // [A3] A typed model replaces all others: the host checks it, and no materia is reported for it.
  const wanted = model === undefined ? materia.model : undefined;
  const name = sandboxOf(graph, materia);
  const sandbox = name === undefined ? undefined : findSandbox(sandboxes, name);
  return [
    {
      socket: socket.id,
      materia: socket.materia,
      tools: toolsInScope(materia.tools),
      ...withoutUndefined({ model: wanted, sandbox, ...equipmentOf(materia) }),
    },
  ];
}

/** [Z19] Known before the cast: one model alone may answer a judge and the materia that it must differ from. */
export async function sameModelIssues(
  { agents: { model, rehearsal }, graph }: { readonly agents: AgentSource; readonly graph: Graph },
  host: AgentHost,
): Promise<readonly Issue[]> {
  if (rehearsal !== undefined) return [];
  const seated = new Map(socketsOf(graph).map((socket) => [socket.materia, materiaOf(graph, socket)]));
  const onlyModel = async (name: string): Promise<string | undefined> => {
    const materia = seated.get(name);
    if (materia?.type !== "agent") return undefined;
    const named = model ?? materia.model;
    const models = named === undefined ? ((await host.defaultModels?.()) ?? []) : splitModels(named);
    return models.length === 1 ? models[0] : undefined;
  };
  const issues: Issue[] = [];
  for (const [name, materia] of seated) {
    const builder = materia.type === "agent" ? materia.notModelOf : undefined;
    const only = builder === undefined ? undefined : await onlyModel(name);
    if (builder === undefined || only === undefined || only !== (await onlyModel(builder))) continue;
    const message = `only ${only} can answer ${name}, and it also answers ${builder}`;
    issues.push(
      error(
        "same_model",
        ["materia", name, "notModelOf"],
        message,
        `set "model" of ${name} to another one, or name several with --model a/x,b/y`,
      ),
    );
  }
  return issues;
}

/** [A14] The replies of a file, or every fault with its position. */
export function readRehearsalFile(cwd: string, name: string): Result<Rehearsal> {
  const file = resolve(cwd, name);
  const raw = readJsonFile(file) ?? fail({ ...error("missing_file", "", "there is no such rehearsal file"), file });
  return raw.ok ? validateRehearsal(file, raw.value) : raw;
}

/** Replies that came with the command; the cast stores them in its folder. */
export function parseRehearsalText(file: string, text: string): Result<Rehearsal> {
  const raw = parseJson(file, text);
  return raw.ok ? validateRehearsal(file, raw.value) : raw;
}

function validateRehearsal(file: string, raw: unknown): Result<Rehearsal> {
  const { value, issues } = validate(Rehearsal, raw, []);
  return value === undefined ? fail(...issues.map((issue) => ({ ...issue, file }))) : ok(value);
}
