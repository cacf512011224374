import { realpathSync } from "node:fs";
import { sep } from "node:path";
import type { EventBody, EventOf } from "../../core/cast/state/event.ts";
import { reworkDecisionEvents, reworkLimitOf } from "../../core/cast/rework-limit.ts";
import { startedEvent } from "../../core/cast/next.ts";
import type { ReworkDecision } from "../../core/command/command.ts";
import { askedPersonMateria } from "../../core/cast/prompt-text.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { error, fail, isError, ok, type Result } from "../../core/model/issue.ts";
import type { Rehearsal } from "../../core/model/rehearsal.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import type { AgentHost } from "../ports.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore, CurrentCast } from "../store/cast-store.ts";
import type { RunOutcome } from "../run/run-cast.ts";
import type { CheckpointSession } from "../git/checkpoint-session.ts";
import { openCastCheckpoints } from "../run/visit-checkpoints.ts";
import { runOwnedCast, type OwnedCastRun } from "./run-owned-cast.ts";
import { writeOptionsFor, type RunContext } from "../run/run-context.ts";
import {
  agentNeeds,
  openAgentHost,
  type AgentChoice,
  type AgentSource,
  REHEARSAL_FILE,
  parseRehearsalText,
} from "../workspace/agent-hosts.ts";
import { foreignCastIssue } from "../workspace/foreign-casts.ts";
import { readInterruptedVisit, phaseBeforeEnd } from "../run/interrupted-visit.ts";
import { resumeRefusal } from "./resume-refusal.ts";
import { checkConfiguration, trustIssue, type Workspace } from "../workspace/workspace.ts";

/** What sets a stopped cast going again. */
export type Resumption =
  | Recast
  | { readonly kind: "answer"; readonly text: string }
  /** Content with the reply, or with what they made of it. */
  | { readonly kind: "finish"; readonly reply?: string }
  /** No to a person's gate. */
  | { readonly kind: "reject"; readonly text: string };

export interface Recast {
  readonly kind: "recast";
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  readonly allow?: number;
  /** [R6] */
  readonly decision?: ReworkDecision;
}

/** What is to be run: a cast that stopped, as it was when it was looked at. */
export interface ResumePlan {
  readonly cast: CurrentCast;
  readonly how: Resumption;
  /** The command that resumes it. */
  readonly by: string;
  readonly cwd: string;
  readonly model?: string;
  readonly notes: readonly string[];
  /** [B28] The worker that drives it from here on. */
  readonly worker?: string;
}

/** What is asked for a stopped cast. */
export interface ResumeRequest extends Pick<ResumePlan, "how" | "by"> {
  readonly castId: CastId;
  /** [S10] Whether the person trusts exactly this cast, whoever began it. */
  readonly trustsCast?: boolean;
}

/** A plan, and the host that has said that it can answer for its agents. */
export interface ReadyResume {
  readonly plan: ResumePlan;
  readonly host: AgentHost;
}

/** A stopped cast ready to go on, or why it cannot. */
export async function prepareResume(
  workspace: Workspace,
  { castId, how, by, trustsCast = false }: ResumeRequest,
  given: AgentSource,
): Promise<Result<ReadyResume>> {
  const cast = await workspace.store.current(castId);
  if (!cast.ok) return cast;
  const refusals = [
    trustIssue(workspace) ?? [],
    trustsCast ? [] : (foreignCastIssue(workspace, cast.value.file) ?? []),
  ];
  // [S10] Both at once: a yes to the one must not be one to the other.
  if (refusals.flat().length > 0) return fail(...refusals.flat());
  const sound = checkConfiguration(workspace);
  if (!sound.ok) return sound;
  const refusal = resumeRefusal(cast.value.state, castId, how);
  if (refusal) return refusal;
  const cwd = workingFolder(workspace, cast.value.file);
  if (!cwd.ok) return cwd;
  const remembered = await originalAgentChoice(workspace.store, cast.value.file);
  if (!remembered.ok) return remembered;
  const agents = { ...remembered.value, ...given };
  const host = await openAgentHost(workspace, agents);
  if (!host.ok) return host;
  const issues = await host.value.preflight(agentNeeds(cast.value.file.graph, agents.model));
  if (issues.some(isError)) return fail(...issues);
  const notes = [...tornNotes(cast.value), ...cwd.value.notes];
  const model = agents.model === undefined ? {} : { model: agents.model };
  return ok({ host: host.value, plan: { cast: cast.value, how, by, cwd: cwd.value.folder, ...model, notes } });
}

/** [D1] Goes on where the journal ends, in whatever process; nothing that was completed runs again. */
export async function resumeCast(store: CastStore, plan: ResumePlan, driver: RunContext): Promise<Result<RunOutcome>> {
  const { how, cwd } = plan;
  let files: CheckpointSession | undefined;
  const owned = await store.claim(plan.cast.castId, writeOptionsFor(driver));
  if (!owned.ok) return owned;
  try {
    // Before it is read: what comes in between is another file.
    const stamp = await store.stamp(plan.cast.castId);
    // What was read before may be old by now.
    const cast = await owned.value.load(plan.cast);
    if (!cast.ok) return cast;
    const { state, castId } = cast.value;
    // [B12] The cast of an item is driven by whatever worker its queue gives it to.
    const refusal = state.item && plan.worker !== undefined ? undefined : resumeRefusal(state, castId, how);
    if (refusal) return refusal;
    // Looked at again by its owner: what was agreed to is what will run.
    const isOther = JSON.stringify(cast.value.file) !== JSON.stringify(plan.cast.file);
    if (isOther) return fail(error("bad_cast_file", castId, "cast.json has changed since it was looked at"));
    if (driver.env) createOwnCastRegistry(driver.env).record(cast.value.file, stamp);
    files = openCastCheckpoints(store, owned.value, { ...cast.value.file, cwd });
    const run = await resumedRun({ store, plan, cast: cast.value, files });
    return ok(await runOwnedCast(owned.value, run, driver));
  } finally {
    files?.close();
    await owned.value.release();
  }
}

interface ResumeInputs {
  readonly store: CastStore;
  readonly plan: ResumePlan;
  readonly cast: CurrentCast;
  readonly files: CheckpointSession | undefined;
}

/** What the cast goes on from: its state, what happened meanwhile, and what it is set going by. */
async function resumedRun({ store, plan, cast, files }: ResumeInputs): Promise<OwnedCastRun> {
  const { how, by, cwd, model } = plan;
  const { state, timeline: trail } = cast;
  const driven = plan.worker === undefined ? {} : { worker: plan.worker };
  const kept = files ? { files } : {};
  const family = { store, file: cast.file };
  // [J5] A cast that was killed before its first event begins now.
  if (state.phase.kind === "unstarted" && how.kind === "recast") {
    const begun: EventBody = { ...startedEvent(state, files && (await files.takeFirst())), ...driven };
    return {
      state,
      trail,
      cwd,
      itemsContext: family,
      ...kept,
      first: [begun, ...limitEvents(how, state)],
      ...(model === undefined ? {} : { model }),
    };
  }
  const meanwhile = state.files && (await files?.takeOutsideChanges(state.files.last));
  const { interruption, usage } = await readInterruptedVisit(store, cast, { cwd, meanwhile });
  return {
    state,
    trail,
    cwd,
    itemsContext: family,
    ...kept,
    first: resumeEvents(state, how, {
      by,
      ...(usage ? { usage } : {}),
      ...(meanwhile ? { files: meanwhile } : {}),
      ...driven,
    }),
    ...(model === undefined ? {} : { model }),
    ...(interruption === undefined ? {} : { interruption }),
  };
}

/** [D6] A kill in the middle of a write leaves a line that never counted. */
function tornNotes({ tornBytes }: CurrentCast): readonly string[] {
  return tornBytes > 0 ? [`the journal ended in a line that was cut off (${tornBytes} bytes); it is removed`] : [];
}

/** What answered for its agents when it was begun. */
export async function originalAgentChoice(store: CastStore, file: CastFile): Promise<Result<AgentChoice>> {
  const model = file.model === null ? {} : { model: file.model };
  if (file.rehearsal === null) return ok(model);
  const rehearsal = await originalReplies(store, file, file.rehearsal);
  return rehearsal.ok ? ok({ ...model, rehearsal: rehearsal.value }) : rehearsal;
}

/** Replies that came with the command stand beside the cast, wherever that is now; earlier versions wrote their whole path. */
async function originalReplies(
  store: CastStore,
  { castId }: CastFile,
  name: string,
): Promise<Result<string | Rehearsal>> {
  if (!name.endsWith(`${castId}/${REHEARSAL_FILE}`)) return ok(name);
  const text = await store.readAttachment(castId, REHEARSAL_FILE);
  return text === undefined ? ok(name) : parseRehearsalText(`${store.locationOf(castId)}/${REHEARSAL_FILE}`, text);
}

interface WorkingFolder {
  readonly folder: string;
  readonly notes: readonly string[];
}

/**
 * [D25] A cast goes on where it is called, never in a folder that merely had its files once. One that is kept in this project
 * came here with it, as a move or a copy; one that is kept elsewhere may belong to another.
 */
function workingFolder({ place: { cwd }, store }: Workspace, file: CastFile): Result<WorkingFolder> {
  if (isSamePath(file.cwd, cwd)) return ok({ folder: cwd, notes: [] });
  if (isSamePath(cwd, store.location) || resolveRealPath(store.location).startsWith(`${resolveRealPath(cwd)}${sep}`))
    return ok({ folder: cwd, notes: [`this cast was begun in ${file.cwd}; it goes on in ${cwd}`] });
  return fail(
    error("folder_mismatch", "--cwd", `this cast works in ${file.cwd}, and this is ${cwd}`, `add --cwd ${file.cwd}`),
  );
}

function isSamePath(a: string, b: string): boolean {
  return resolveRealPath(a) === resolveRealPath(b);
}

function resolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What is written before a stopped cast goes on. */
export function resumeEvents(
  state: CastState,
  how: Resumption,
  said: Omit<EventOf<"cast_resumed">, "type">,
): readonly EventBody[] {
  const resumed: EventBody = { type: "cast_resumed", ...said };
  if (how.kind === "recast")
    return [...limitEvents(how, state), resumed, ...reworkDecisionEvents(state, how.decision ?? null)];
  const waiting = phaseBeforeEnd(state.phase);
  if (waiting.kind !== "waiting") throw new Error("only a waiting cast is answered");
  const place = { socket: waiting.visit.socket, visit: waiting.visit.number };
  return [resumed, { ...answerEvent(how, askedPersonMateria(state) !== undefined), ...place }];
}

/** [Q6] To a gate of theirs a person says yes, with or without words, or no; to an agent they talk until they are content. */
function answerEvent(how: Exclude<Resumption, { kind: "recast" }>, isPerson: boolean) {
  const text = how.kind === "finish" ? "" : how.text;
  if (isPerson) return { type: "person_judged", satisfied: how.kind !== "reject", text } as const;
  if (how.kind !== "finish") return { type: "person_answered", text } as const;
  return { type: "person_finished", ...(how.reply === undefined ? {} : { reply: how.reply }) } as const;
}

function limitEvents({ maxTokens, maxCostUsd, decision, ...given }: Recast, state: CastState): readonly EventBody[] {
  const hint = decision?.kind === "hint" ? decision.text : undefined;
  // Their own casts write down what becomes of items that have one.
  const items =
    decision && decision.kind !== "hint" && reworkLimitOf(state)?.visit === null ? decision.kind : undefined;
  const allow = given.allow ?? (hint === undefined ? undefined : 1);
  const raised = {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(allow === undefined ? {} : { allow }),
    ...(hint === undefined ? {} : { hint }),
    ...(items === undefined ? {} : { items }),
  };
  return Object.keys(raised).length > 0 ? [{ type: "limits_raised", ...raised }] : [];
}
