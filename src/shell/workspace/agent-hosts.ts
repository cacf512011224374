import { type Graph, materiaOf, socketsOf } from "../../core/compile/graph.ts";
import { ok, type Issue, type KeyPath, type Result, error, fail } from "../../core/model/issue.ts";
import { equipmentOf, splitModels, type ThinkingLevel, toolsInScope } from "../../core/model/materia.ts";
import { Rehearsal } from "../../core/model/rehearsal.ts";
import type { PiHostOptions } from "../agents/pi-host.ts";
import type { AgentHost, AgentRequirement } from "../ports.ts";
import type { Workspace } from "./workspace.ts";
import { resolve } from "node:path";
import { sandboxOf, sandboxesOf, undecidedUtilities } from "../../core/compile/sandboxes.ts";
import { readSandboxes, type ConfigContext, userConfigFile } from "../config/config.ts";
import { findSandbox } from "../process/sandbox.ts";
import { validate } from "../../core/catalog/validate.ts";
import { parseJson, readJsonFile } from "../config/config-file.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { didYouMean } from "../../core/model/text.ts";
import { checkToolsCanRun } from "../agents/tool-process.ts";
import { currentToolsUser } from "../process/tools-user.ts";

export interface AgentChoice {
  readonly model?: string;
  /** [A4] The setting that names the model, when no option does. */
  readonly modelAt?: KeyPath;
  /** [A27] For materia that set no thinking level. */
  readonly thinking?: ThinkingLevel;
  /** [Z6] How long the cast may sleep in all, in milliseconds. */
  readonly waitForProvider?: number;
  readonly rehearsal?: string | Rehearsal;
}

export interface AgentSource extends AgentChoice {
  readonly openReal: OpenAgentHost;
  /** [B10] Workers check what agents need, and have the sandboxes. */
  readonly runsElsewhere?: true;
}

export type OpenAgentHost = (choice: AgentChoice, patience: AgentRetryOptions) => Promise<AgentHost>;

export type AgentRetryOptions = Pick<PiHostOptions, "silenceMs" | "maxRetries" | "baseDelayMs">;

/** [D18] Uses the current settings: a cast that failed after too few retries can resume with more. */
export async function openAgentHost({ place, catalog }: Workspace, agents: AgentSource): Promise<Result<AgentHost>> {
  const { openReal, ...choice } = agents;
  const { limits, model } = catalog.settings;
  const { agentSilenceMs, maxRetries, retryBaseMs: baseDelayMs } = limits;
  const silenceMs = agentSilenceMs === 0 ? undefined : agentSilenceMs;
  const patience: AgentRetryOptions = withoutUndefined({ silenceMs, maxRetries, baseDelayMs });
  const guarded = (host: AgentHost) => ok(place.withoutProject ? withoutProjectInstructions(host) : host);
  if (choice.rehearsal === undefined) {
    // [A3] The host uses the setting for materia that name no model.
    const isNamed = choice.model !== undefined || model === null;
    return guarded(await openReal(isNamed ? choice : { ...choice, model, modelAt: ["model"] }, patience));
  }
  const rehearsal =
    typeof choice.rehearsal === "string" ? readRehearsalFile(place.cwd, choice.rehearsal) : ok(choice.rehearsal);
  if (!rehearsal.ok) return rehearsal;
  const { createRehearsalHost: rehearsalHost } = await import("../agents/rehearsal-host.ts");
  return guarded(rehearsalHost(rehearsal.value, patience));
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

export function agentNeeds(
  graph: Graph,
  model: string | undefined,
  env: ConfigContext["env"] = process.env,
): readonly AgentRequirement[] {
  const sandboxes = readSandboxes(env);
  return socketsOf(graph).flatMap((socket) => {
    const materia = materiaOf(graph, socket);
    if (materia.type !== "agent") return [];
    // [A3] A typed model replaces all others: the host checks it, and no materia is reported for it.
    const wanted = model === undefined ? materia.model : undefined;
    const name = sandboxOf(graph, materia);
    const sandbox = name === undefined ? undefined : findSandbox(sandboxes, name);
    const optional = withoutUndefined({ model: wanted, sandbox, ...equipmentOf(materia) });
    return [{ socket: socket.id, materia: socket.materia, tools: toolsInScope(materia.tools), ...optional }];
  });
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
    const hint = `set "model" of ${name} to another one, or name several with --model a/x,b/y`;
    issues.push(error("same_model", ["materia", name, "notModelOf"], message, hint));
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

/** [YP9, YP10] Sandboxes of a graph that this user has not defined, and programs that name none of several. */
function unknownSandboxes(graph: Graph, env: ConfigContext["env"]): readonly Issue[] {
  const profiles = readSandboxes(env);
  const names = Object.keys(profiles);
  const ownSandboxes =
    names.length === 0 ? `define it under "sandboxes" in ${userConfigFile(env)}` : `there are ${names.join(", ")}`;
  const hint = "write the name of one of them, or none, as its sandbox";
  const several = "the agents of this cast have several sandboxes, and this program does not say which is its own";
  const undecided = undecidedUtilities(graph).map((materia) =>
    error("unusable_sandbox", ["materia", materia, "sandbox"], several, hint),
  );
  const unknown = [...sandboxesOf(graph)].filter(([name]) => !findSandbox(profiles, name).command);
  const missing = unknown.map(([name, materia]) => {
    const message = `your own configuration has no sandbox "${name}"`;
    return error("unknown_sandbox", ["materia", materia, "sandbox"], message, didYouMean(name, names) ?? ownSandboxes);
  });
  return [...undecided, ...missing];
}

/** [YP10] Starts each sandbox of a graph once; every one that is missing or does not start is an issue. */
export async function sandboxIssues(
  graph: Graph,
  { env, cwd }: Pick<ConfigContext, "env" | "cwd">,
): Promise<readonly Issue[]> {
  const profiles = readSandboxes(env);
  const checked = [...sandboxesOf(graph)].map(async ([name, materia]): Promise<readonly Issue[]> => {
    const { command } = findSandbox(profiles, name);
    const problem = command && (await checkToolsCanRun({ user: currentToolsUser(), sandbox: { name, command } }, cwd));
    if (problem === undefined) return [];
    const message = `the sandbox "${name}" does not start here: ${problem}`;
    const hint = `fix its command in ${userConfigFile(env)}; nothing runs without it`;
    return [error("unusable_sandbox", ["materia", materia, "sandbox"], message, hint)];
  });
  return [...unknownSandboxes(graph, env), ...(await Promise.all(checked)).flat()];
}

/** [YP17] What graphs name of the user's Pi and sandboxes and this machine does not have. Nothing of it is run. */
export async function unknownPartsOf(
  graphs: readonly Graph[],
  { catalog, place }: Pick<Workspace, "catalog" | "place">,
): Promise<readonly Issue[]> {
  const { findUnknownEquipment } = await import("../agents/equipped-session.ts");
  const needs = graphs.flatMap((graph) => agentNeeds(graph, undefined, place.env));
  const sandboxes = graphs.flatMap((graph) => unknownSandboxes(graph, place.env));
  const found = [...sandboxes, ...(await findUnknownEquipment(needs, place))];
  const unique = new Map(found.map((issue) => [`${issue.path.join("\0")} ${issue.message}`, issue]));
  return [...unique.values()].map((issue) => ({
    ...issue,
    severity: "warning",
    ...withoutUndefined({ file: catalog.materia.get(String(issue.path[1]))?.file }),
  }));
}
