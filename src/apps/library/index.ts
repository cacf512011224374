/**
 * pi-materia for programs: load a project, start a cast, follow it, answer it, and read what happened. Every refusal is a
 * value with its issues. Everything exported here is stable: names and shapes change only with a new major version.
 */
import type { CastEvent } from "../../core/cast/state/event.ts";
import { castFigures, castStatus, endReason, type CastStatus, type CastSummary } from "../../core/cast/summary.ts";
import { totalsOf, type Usage } from "../../core/cast/state/usage.ts";
import { parseTarget, type CastingCommand } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { failWith, ok, type Result, type Issue } from "../../core/model/issue.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import type { Rehearsal } from "../../core/model/rehearsal.ts";
import type { ThinkingLevel } from "../../core/model/materia.ts";
import { exitCodeFor } from "../../shell/casting/prepared-cast.ts";
import { watchCast as followCast } from "../../shell/casting/watch-cast.ts";
import { runAbort } from "../../shell/commands/abort.ts";
import { prepareCommand, prepareStoppedCast } from "../../shell/commands/prepare.ts";
import type { Resumption } from "../../shell/casting/resume-cast.ts";
import type { RunObserver, RunOutcome } from "../../shell/context/run-context.ts";
import type { AgentHost } from "../../shell/ports.ts";
import { openPiHost, parseRehearsalText } from "../../shell/workspace/agent-hosts.ts";
import { findCast, loadNamedCast, asTrusted, loadWorkspace, type Workspace } from "../../shell/workspace/workspace.ts";
import { resolve } from "node:path";
import { checkCatalog } from "../../core/compile/targets/compile.ts";
import { findProject } from "../../shell/config/config.ts";
import { folderExists } from "../../shell/system/folders.ts";

export type { CastEvent } from "../../core/cast/state/event.ts";
export type { CastStatus, CastSummary } from "../../core/cast/summary.ts";
export type { Issue, Result } from "../../core/model/issue.ts";
export type { Rehearsal } from "../../core/model/rehearsal.ts";
/** Answers turns in place of Pi: an agent is anything that does. */
export type { AgentHost, TurnOutcome, TurnRequest } from "../../shell/ports.ts";

/** Who answers for the agents of a cast. */
interface AgentOptions {
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Scripted replies in place of a model. */
  readonly rehearsal?: Rehearsal;
  /** Answers in place of Pi. */
  readonly host?: AgentHost;
  /** Aborts the cast; `resumeCast` continues it. */
  readonly signal?: AbortSignal;
}

/** A new cast. */
export interface CastRequest extends AgentOptions {
  readonly request: string;
  /** The loadout; the active one of the project if unset. */
  readonly loadout?: string;
  /** Targets to chain, as `link` takes them: `["Planner", "loadout:Review"]`. */
  readonly link?: readonly string[];
  /** With `link`: the earlier cast to continue from. */
  readonly from?: string;
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
}

/** Limits for a cast that a limit stopped. */
export interface RaisedLimits extends AgentOptions {
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  /** More traversals, returns or repairs where it stopped. */
  readonly allow?: number;
}

/** The answer of a person: yes, a message, or no with its reason. */
export type CastAnswer =
  | { readonly kind: "yes" }
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "no"; readonly reason: string };

/** A cast that is driven or watched by this process. */
export interface CastHandle {
  readonly castId: string;
  /** Events as they are written, one reader at most; of a watched cast all from its start. */
  readonly events: AsyncIterable<CastEvent>;
  /** Its end, or its next pause. It never rejects. */
  readonly done: Promise<Result<FinishedCast>>;
}

/** How a cast stands when this process stops driving or watching it. */
export interface FinishedCast {
  readonly castId: string;
  readonly status: CastStatus;
  /** Why it ended or failed; the question if it waits for a person. */
  readonly reason: string;
  /** What the last visit handed on. */
  readonly text: string;
  readonly usage: Usage;
  readonly visits: number;
  /** The exit code of the command line for it. */
  readonly exitCode: number;
}

/** A cast as its journal tells it. */
export interface CastRecord extends CastSummary {
  readonly events: readonly CastEvent[];
}

/** [K9] Starts a cast. A refusal has written nothing. */
export function startCast(project: Project, asked: CastRequest): Promise<Result<CastHandle>> {
  const { request: prompt, link, loadout, from, maxTokens: budget, maxCostUsd: costUsd } = asked;
  const limits = withoutUndefined({ budget, costUsd });
  const command: CastingCommand =
    link === undefined
      ? { kind: "cast", prompt, literal: true, ...withoutUndefined({ loadout }), ...limits }
      : { kind: "link", prompt, targets: link.map(parseTarget), ...withoutUndefined({ from }), ...limits };
  return drive(project, asked, (caller) => prepareCommand(command, caller));
}

/** [K9] Continues a cast that failed, was aborted or was interrupted. No completed visit runs again. */
export function resumeCast(project: Project, castId: string, raised: RaisedLimits = {}): Promise<Result<CastHandle>> {
  const { maxTokens, maxCostUsd, allow } = raised;
  const how: Resumption = { kind: "recast", ...withoutUndefined({ maxTokens, maxCostUsd, allow }) };
  return continueCast(project, castId, how, raised);
}

/** [K9] Answers a cast that waits for a person, and continues it. */
export function answerCast(
  project: Project,
  castId: string,
  answer: CastAnswer,
  agents: AgentOptions = {},
): Promise<Result<CastHandle>> {
  return continueCast(project, castId, resumptionFor(answer), agents);
}

function resumptionFor(answer: CastAnswer): Resumption {
  if (answer.kind === "yes") return { kind: "finish" };
  return answer.kind === "no" ? { kind: "reject", text: answer.reason } : { kind: "answer", text: answer.text };
}

/** [K9] Follows a cast that another process drives. The signal ends the watching, not the cast. */
export async function watchCast(
  project: Project,
  castId: string,
  { signal = NEVER }: { readonly signal?: AbortSignal } = {},
): Promise<Result<CastHandle>> {
  const { store } = workspaceOf(project);
  const cast = await loadNamedCast(store, castId);
  if (!cast.ok) return cast;
  const { events, castId: id } = cast.value;
  return ok(handleOf(id, events, (observer) => followCast(store, cast.value, { ...observer, signal })));
}

/** [K9] Stops a cast, in any process. */
export async function abortCast(project: Project, castId: string): Promise<Result<undefined>> {
  const done = await runAbort(workspaceOf(project), { kind: "abort", castId });
  return done.ok ? ok(undefined) : done;
}

/** [K9] A cast with all its events. */
export async function readCast(project: Project, castId: string): Promise<Result<CastRecord>> {
  const { store } = workspaceOf(project);
  const cast = await loadNamedCast(store, castId);
  if (!cast.ok) return cast;
  const summary = await store.summary(cast.value.castId);
  // It was removed in between.
  if (!summary) return failWith("unknown_cast", castId, "the cast is gone");
  return ok({ ...summary, events: cast.value.events });
}

/** The casts of the project, newest first. */
export function listCasts(project: Project): Promise<Result<readonly CastSummary[]>> {
  return workspaceOf(project).store.list();
}

type CommandCaller = Parameters<typeof prepareCommand>[1];
type PreparedResult = Awaited<ReturnType<typeof prepareCommand>>;

const NEVER = new AbortController().signal;

async function continueCast(
  project: Project,
  named: string,
  how: Resumption,
  agents: AgentOptions,
): Promise<Result<CastHandle>> {
  const castId = await findCast(workspaceOf(project).store, named);
  return castId.ok ? drive(project, agents, (caller) => prepareStoppedCast(castId.value, how, caller)) : castId;
}

async function drive(
  project: Project,
  { model, thinking, rehearsal, host, signal = NEVER }: AgentOptions,
  prepare: (caller: CommandCaller) => Promise<PreparedResult>,
): Promise<Result<CastHandle>> {
  const options: Options = withoutUndefined({ model, thinking });
  const prepared = await prepare({
    options,
    workspace: workspaceOf(project),
    openReal: host ? async () => host : openPiHost,
    remember: () => undefined,
    ...withoutUndefined({ replies: rehearsal }),
  });
  if (!prepared.ok) return prepared;
  const { castId, run } = prepared.value;
  return ok(handleOf(castId, [], (observer) => run({ ...observer, signal })));
}

function handleOf(
  castId: string,
  past: readonly CastEvent[],
  run: (observer: Pick<RunObserver, "onSteps">) => Promise<Result<RunOutcome>>,
): CastHandle {
  let isRead = true;
  let stream: ReadableStreamDefaultController<CastEvent> | undefined;
  const events = new ReadableStream<CastEvent>({
    start: (controller) => {
      stream = controller;
      for (const event of past) controller.enqueue(event);
    },
    // A reader that leaves does not stop the cast.
    cancel: () => {
      isRead = false;
    },
  });
  const onSteps: RunObserver["onSteps"] = (steps) => {
    if (isRead) for (const { event } of steps) stream?.enqueue(event);
  };
  const done = run({ onSteps }).then((end) => {
    if (isRead) stream?.close();
    return end.ok ? ok(resultOf(end.value)) : end;
  });
  return { castId, events, done };
}

function resultOf(end: RunOutcome): FinishedCast {
  const { state } = end;
  const { phase, castId, usage, handed } = state;
  const isWaiting = phase.kind === "waiting";
  return {
    castId,
    status: castStatus(state, false),
    reason: end.kind === "broken" ? end.problem : isWaiting ? phase.reply : endReason(state),
    text: handed?.text ?? "",
    usage,
    visits: castFigures(totalsOf(state)).visits,
    exitCode: exitCodeFor(end),
  };
}

/** A project: its configuration as it was read, and the folder of its casts. */
export interface Project {
  readonly cwd: string;
  readonly artifacts: string;
  /** The names of its loadouts, bundled ones included. */
  readonly loadouts: readonly string[];
}

export interface ProjectOptions {
  /** A configuration above all others, like `--config`. */
  readonly config?: string;
  /** The folder of casts, like `--artifacts`. */
  readonly artifacts?: string;
  /** Trusts the project's own configuration for this object; nothing is remembered. */
  readonly trust?: boolean;
  /** The environment that decides where the user's files are; that of the process if unset. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** [K9] Kept apart: the shape of a workspace is not part of the library. */
const workspaces = new WeakMap<Project, Workspace>();

/** [K9] Reads the project of a folder. It runs nothing and writes nothing. */
export function loadProject(cwd: string, options: ProjectOptions = {}): Result<Project> {
  const { config, artifacts, trust, env = process.env } = options;
  if (!folderExists(cwd)) return failWith("missing_folder", "cwd", `there is no folder ${cwd}`);
  const explicitFile = config === undefined ? undefined : resolve(cwd, config);
  const place = findProject({ cwd: resolve(cwd), env, ...withoutUndefined({ explicitFile }) });
  const loaded = loadWorkspace(place, artifacts === undefined ? undefined : resolve(cwd, artifacts));
  if (!loaded.ok) return loaded;
  const workspace = trust === true ? asTrusted(loaded.value).workspace : loaded.value;
  const { root, catalog } = workspace;
  const project: Project = { cwd: place.cwd, artifacts: root, loadouts: [...catalog.loadouts.keys()] };
  workspaces.set(project, workspace);
  return ok(project);
}

function workspaceOf(project: Project): Workspace {
  const workspace = workspaces.get(project);
  if (!workspace) throw new TypeError("this is not a project that loadProject returned");
  return workspace;
}

/** Every problem of the configuration, as `materia check` reports it. */
export function checkProject(project: Project): readonly Issue[] {
  return checkCatalog(workspaceOf(project).catalog).issues;
}

/** Scripted replies, in the format of `--rehearse`; comments are allowed. */
export function readRehearsal(text: string): Result<Rehearsal> {
  return parseRehearsalText("rehearsal", text);
}
