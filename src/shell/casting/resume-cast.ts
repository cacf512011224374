import { sep } from "node:path";
import { askedPersonMateria } from "../../core/cast/prompt-text.ts";
import { reworkDecisionEvents, reworkLimitOf } from "../../core/cast/rework-limit.ts";
import type { EventBody, EventOf } from "../../core/cast/state/event.ts";
import { phaseBeforeEnd, type CastState } from "../../core/cast/state/state.ts";
import type { ReworkDecision } from "../../core/command/command.ts";
import type { CastId } from "../../core/model/ids.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import type { StoppedCastFacts } from "../items/item-runner.ts";
import { writeOptionsFor, type RunContext, type RunOutcome } from "../context/run-context.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore, CurrentCast } from "../store/cast-store.ts";
import { REHEARSAL_FILE } from "../store/layout.ts";
import { parseRehearsalText, type AgentChoice, type AgentSource } from "../workspace/agent-hosts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { prepareRun, runParts, type PreparedCast } from "./prepared-cast.ts";
import { resumeRefusal } from "./resume-refusal.ts";
import { runOwnedCast } from "./run-owned-cast.ts";
import { realPathOrSame } from "../system/folders.ts";
import { withoutUndefined } from "../../core/model/json.ts";

export type Resumption =
  | {
      readonly kind: "recast";
      readonly maxTokens?: number;
      readonly maxCostUsd?: number;
      readonly allow?: number;
      /** [R6] */
      readonly decision?: ReworkDecision;
    }
  | { readonly kind: "answer"; readonly text: string }
  /** Accepts the reply, or the edited one. */
  | { readonly kind: "finish"; readonly reply?: string }
  /** Rejects at a person's gate. */
  | { readonly kind: "reject"; readonly text: string };

type Recast = Extract<Resumption, { kind: "recast" }>;

interface ResumePlan {
  readonly cast: CurrentCast;
  readonly how: Resumption;
  readonly by: string;
  /** [Z6] A new permission to sleep. */
  readonly waitForProvider?: number | undefined;
}

/** A stopped cast that is ready to continue, or why it cannot. [S14] `trustsCast`: no matter who started it. */
export async function prepareResume(
  workspace: Workspace,
  { castId, how, by, trustsCast }: Pick<ResumePlan, "how" | "by"> & { castId: CastId; trustsCast?: boolean },
  given: AgentSource,
): Promise<Result<PreparedCast>> {
  const { store } = workspace;
  const current = await store.current(castId);
  if (!current.ok) return current;
  const cast = current.value;
  const { file } = cast;
  const plan = async () => {
    const refusal = resumeRefusal(cast.state, castId, how);
    if (refusal) return refusal;
    const cwd = workingFolder(workspace, file);
    if (!cwd.ok) return cwd;
    const remembered = await originalAgentChoice(store, file);
    return remembered.ok
      ? ok({ graph: file.graph, agents: { ...remembered.value, ...given }, cwd: cwd.value })
      : remembered;
  };
  const ready = await prepareRun(workspace, plan, trustsCast ? undefined : file);
  if (!ready.ok) return ready;
  const { host, agents, cwd } = ready.value;
  const { waitForProvider, model } = agents;
  const { context, notes, remarks } = runParts(workspace, host, file.graph, "resumed");
  // [D6] A kill during a write leaves an incomplete line that never counted.
  const torn = `the journal ended in a line that was cut off (${cast.tornBytes} bytes); it is removed`;
  return ok({
    castId,
    file,
    timeline: () => cast.timeline,
    notes: [...(cast.tornBytes > 0 ? [torn] : []), ...cwd.notes, ...notes],
    remarks,
    run: (observer) =>
      resumeCast({ cast, how, by, waitForProvider }, { ...observer, ...context, cwd: cwd.folder, model }),
  });
}

/** [D1] Continues where the journal ends, in any process; no completed visit runs again. */
export async function resumeCast(
  { cast, how, by, waitForProvider }: ResumePlan,
  context: RunContext,
): Promise<Result<RunOutcome>> {
  const { store, env, fleetHooks } = context;
  if (cast.state.phase.kind === "sleeping") await releaseSleeping(store, cast.castId);
  const owned = await store.claim(cast.castId, writeOptionsFor(context));
  if (!owned.ok) return owned;
  try {
    // Take the stamp before the file is read: a later change gets another stamp.
    const stamp = await store.stamp(cast.castId);
    const current = await owned.value.load(cast);
    if (!current.ok) return current;
    const { file, state, timeline, castId } = current.value;
    // [B12] A worker may run the cast of an item; its queue assigns it.
    const refusal = state.item && fleetHooks ? undefined : resumeRefusal(state, castId, how);
    if (refusal) return refusal;
    // Compare again as the owner: the person agreed to this file.
    if (JSON.stringify(file) !== JSON.stringify(cast.file))
      return failWith("bad_cast_file", castId, "cast.json has changed since it was read");
    if (env) createOwnCastRegistry(env).record(file, stamp);
    const waits: readonly EventBody[] =
      waitForProvider === undefined ? [] : [{ type: "limits_raised", waitForProvider }];
    const firstEvents = (found: StoppedCastFacts): readonly EventBody[] => [
      ...waits,
      ...(state.phase.kind === "unstarted" && how.kind === "recast"
        ? limitEvents(how, state)
        : resumeEvents(state, how, { by, ...found })),
    ];
    return ok(await runOwnedCast(owned.value, { file, state, timeline }, context, firstEvents));
  } finally {
    await owned.value.release();
  }
}

const RELEASE_POLL_MS = 50;
const MAX_RELEASE_POLLS = 60;

/** [Z4] The process in which the cast sleeps leaves it to this one. If it wakes up first, the claim is refused. */
export async function releaseSleeping(store: CastStore, castId: CastId): Promise<void> {
  for (let poll = 0; poll < MAX_RELEASE_POLLS && store.requestRelease && (await store.owner(castId)); poll += 1) {
    await store.requestRelease(castId);
    await new Promise((resolve) => setTimeout(resolve, RELEASE_POLL_MS));
  }
}

export async function originalAgentChoice(
  store: CastStore,
  { castId, model, rehearsal }: CastFile,
): Promise<Result<AgentChoice>> {
  const named = model === null ? {} : { model };
  if (rehearsal === null) return ok(named);
  // Replies that came with the command are stored with the cast.
  const isStored = rehearsal === `${castId}/${REHEARSAL_FILE}`;
  const text = isStored ? await store.readAttachment(castId, REHEARSAL_FILE) : undefined;
  if (text === undefined) return ok({ ...named, rehearsal });
  const read = parseRehearsalText(`${store.locationOf(castId)}/${REHEARSAL_FILE}`, text);
  return read.ok ? ok({ ...named, rehearsal: read.value }) : read;
}

/**
 * [D25] A cast continues in the current folder, never in a folder it used before. A cast inside this project moved or was
 * copied with it; a cast outside may belong to another project.
 */
function workingFolder({ place: { cwd }, store }: Workspace, file: CastFile) {
  if (isSamePath(file.cwd, cwd)) return ok({ folder: cwd, notes: [] });
  if (isSamePath(cwd, store.location) || realPathOrSame(store.location).startsWith(`${realPathOrSame(cwd)}${sep}`))
    return ok({ folder: cwd, notes: [`this cast was begun in ${file.cwd}; it goes on in ${cwd}`] });
  const hint = `add --cwd ${file.cwd}`;
  return failWith("folder_mismatch", "--cwd", `this cast works in ${file.cwd}, and this is ${cwd}`, hint);
}

function isSamePath(a: string, b: string): boolean {
  return realPathOrSame(a) === realPathOrSame(b);
}

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

/** [Q6] At a person's gate the person approves or rejects; with an agent the person talks until the reply is accepted. */
function answerEvent(how: Exclude<Resumption, { kind: "recast" }>, isPerson: boolean) {
  const text = how.kind === "finish" ? "" : how.text;
  if (isPerson) return { type: "person_judged", satisfied: how.kind !== "reject", text } as const;
  if (how.kind !== "finish") return { type: "person_answered", text } as const;
  return { type: "person_finished", ...withoutUndefined({ reply: how.reply }) } as const;
}

function limitEvents({ maxTokens, maxCostUsd, decision, ...given }: Recast, state: CastState): readonly EventBody[] {
  const hint = decision?.kind === "hint" ? decision.text : undefined;
  // Items with their own cast record the decision there.
  const items =
    decision && decision.kind !== "hint" && reworkLimitOf(state)?.visit === null ? decision.kind : undefined;
  const allow = given.allow ?? (hint === undefined ? undefined : 1);
  const raised = withoutUndefined({ maxTokens, maxCostUsd, allow, hint, items });
  return Object.keys(raised).length > 0 ? [{ type: "limits_raised", ...raised }] : [];
}
