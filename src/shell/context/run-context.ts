import { setTimeout as sleep } from "node:timers/promises";
import type { CastStep } from "../../core/cast/timeline.ts";
import type { EffectOutcome } from "../../core/cast/decide.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastSummary } from "../../core/cast/summary.ts";
import { sandboxOf } from "../../core/compile/sandboxes.ts";
import type { Materia } from "../../core/model/materia.ts";
import { findSandbox, type SandboxProfiles } from "../process/sandbox.ts";
import type { RepositoryFacts } from "../../core/prompt/work-so-far.ts";
import type { NoticeTarget } from "../../core/model/config.ts";
import type { SocketId } from "../../core/model/ids.ts";
import type { QueuedCast } from "../../core/view/progress/fleet-status.ts";
import type { CachedWorktree } from "../git/cached-worktree.ts";
import type { ItemRunner } from "../item-ports.ts";
import type { FinishedReply } from "../agents/transcript.ts";
import type { AgentHost, AskPerson, Ports, Sandbox, SharedLimits, TurnAdmission, TurnProgress } from "../ports.ts";
import { createRedactor } from "../secrets/redact.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore, Durability, OwnedCast, WriteOptions } from "../store/cast-store.ts";

export interface RunObserver {
  readonly signal: AbortSignal;
  /** [Z4] Aborted when a sleeping cast should be left asleep. */
  readonly released?: AbortSignal;
  readonly onSteps?: (steps: readonly CastStep[]) => void;
  readonly onProgress?: (progress: TurnProgress, state: CastState) => void;
  readonly onItemSteps?: (steps: readonly CastStep[]) => void;
  readonly onItemProgress?: (progress: TurnProgress, state: CastState) => void;
  /** [B54] A started item has lost its worker. It waits for another one until its next event. */
  readonly onItemQueued?: (state: CastState) => void;
  /** [B73] A worker sets up the working tree; undefined when it has finished. */
  readonly onSettingUp?: (settingUp: CastSummary["settingUp"]) => void;
  /** [B71] Why no worker of a fleet runs the cast yet; undefined when one does. */
  readonly onQueued?: (queued: QueueStatus | undefined) => void;
  /** [YP19] Asks the person here for an extension; absent where nobody can be asked. */
  readonly askPerson?: AskPerson;
}

export interface QueueStatus extends Pick<QueuedCast, "queue" | "why"> {
  readonly fleet: string;
}

/** How and where this process runs a cast, and for whom. */
export interface RunContext extends RunObserver {
  readonly store: CastStore;
  readonly host: AgentHost;
  /** Where agents and programs work; the folder in which the cast was started if unset. */
  readonly cwd?: string;
  /** Every agent uses it instead of the model of its materia; the model that the cast was started with if unset. */
  readonly model?: string | undefined;
  /** Its secrets are written nowhere. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly durability?: Durability;
  /** [V13] Set when the cast shares its budget with other casts. */
  readonly admit?: Ports["admit"];
  /** Facts about the working tree, when this process has just created it. */
  readonly cachedWorktree?: CachedWorktree | undefined;
  /** [B8] Set when another machine may continue the cast: the events of a visit are written together with its files. */
  readonly fleetHooks?: FleetHooks;
  readonly telemetry?: Telemetry | undefined;
  /** [YN4] Who hears of the cast. */
  readonly notify?: readonly NoticeReceiver[];
  /** The clock of waits; the system's if unset. */
  readonly clock?: Pick<Ports, "now" | "pause">;
  /** [Z16] Limits that other casts of a worker have met; those of the project on this machine if unset. */
  readonly limits?: SharedLimits;
  /** [Z12] Whether the caller waits while the cast sleeps. */
  readonly leavesSleep?: true;
}

/** [TM5] Where the spans of a cast go, and where casts with unsent spans are noted. */
export interface Telemetry {
  /** It takes OTLP/JSON over HTTP. */
  readonly collector: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly contents: boolean;
  readonly version: string;
  /** A folder of the user with one small file for each such cast. */
  readonly pending: string;
}

/** [YN1] A receiver of notices, with variables expanded. */
export interface NoticeReceiver extends Required<Pick<NoticeTarget, "url" | "on" | "format" | "contents">> {
  readonly secret?: string | undefined;
  /** A folder of the user with what it has not taken yet. */
  readonly pending: string;
}

export interface FleetHooks {
  /** [B28] The worker that runs the cast. */
  readonly workerId: string;
  /** [B12] Runs the items of parallel loops on any worker. */
  readonly items?: (parent: ParentCast) => ItemRunner;
  /** [V13] Set when the cast is an item: it shares its budget with casts on other workers. */
  readonly admit?: Ports["admit"];
}

export interface ParentCast {
  readonly owned: OwnedCast;
  readonly file: CastFile;
  readonly cwd: string;
}

export function writeOptionsFor({
  durability = "write",
  env = {},
}: Pick<RunContext, "durability" | "env">): Required<WriteOptions> {
  return { durability, redact: createRedactor(env) };
}

export interface RunOptions extends Pick<RunObserver, "signal" | "released"> {
  readonly askPerson?: AskPerson | undefined;
  readonly onSteps?: RunObserver["onSteps"] | undefined;
  readonly onProgress?: RunObserver["onProgress"] | undefined;
  readonly cwd: string;
  readonly model?: string | undefined;
  /** Written before the loop continues: a resume, an answer, a raised limit. */
  readonly firstEvents?: readonly EventBody[];
  readonly interruption?: Interruption | undefined;
  /** [D24] The secret with which the programs of a visit are started. */
  readonly secretOf?: (socket: SocketId, visit: number) => string;
  /** [B8] Whether the events of a visit are written together with its files. */
  readonly isOnFleet?: boolean;
  /** [P13, P16] The branch and the commits, with those since a checkpoint; undefined without a repository. */
  readonly readRepository?: (since: string | undefined) => Promise<RepositoryFacts | undefined>;
  /** [Z17] When somebody continued the cast: limits that other casts met before do not count. */
  readonly resumedAt?: number | undefined;
  /** [Z3] Return when the cast sleeps, instead of waiting. */
  readonly leavesSleep?: true | undefined;
  /** [YP8] The sandboxes of this user. */
  readonly sandboxes?: SandboxProfiles;
}

export type RunOutcome =
  | { readonly kind: "ended"; readonly state: CastState }
  | { readonly kind: "waiting"; readonly state: CastState }
  /** [Z3, Z4] Its provider refuses until a time, and nobody here waits for that. */
  | { readonly kind: "asleep"; readonly state: CastState }
  /** [D29] Stopped without an event: it continues like a cast whose process was killed. */
  | { readonly kind: "paused"; readonly state: CastState }
  /** The journal or an artifact could not be written. The journal holds the last state. */
  | { readonly kind: "broken"; readonly state: CastState; readonly problem: string };

export interface Interruption {
  readonly note: string;
  /** The last reply, when the agent had answered before the process was killed. */
  readonly reply?: FinishedReply;
  readonly model?: string;
  readonly isAsked?: true;
}

/** The abort reason of a signal that stops a cast without ending it. */
export const PAUSE_REASON = Symbol("pause");

export function isPauseSignal({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason === PAUSE_REASON;
}

export interface EffectContext {
  readonly state: CastState;
  readonly ports: Ports;
  readonly options: RunOptions;
  readonly interruption: Interruption | undefined;
  readonly admission?: TurnAdmission | undefined;
  readonly report: (body: EventBody) => void;
}

export type EffectResult = EffectOutcome | { readonly kind: "broken"; readonly problem: string };

/** [YP8, YP9] Where the programs of a visit run; undefined outside of every sandbox. */
export function visitSandbox(materia: Materia, { state, options }: EffectContext): Sandbox | undefined {
  const name = sandboxOf(state.graph, materia);
  return name === undefined ? undefined : findSandbox(options.sandboxes ?? {}, name);
}

/** The longest wait without a look at the clock: a machine may sleep, and its clock may jump. */
const MAX_PAUSE_MS = 30_000;

/** [Z7] Waits until a time of the wall clock, or until a signal is aborted. */
export async function pauseUntil(at: number, ports: Pick<Ports, "now" | "pause">, signal: AbortSignal): Promise<void> {
  for (let left = at - ports.now().getTime(); left > 0 && !signal.aborted; left = at - ports.now().getTime())
    await ports.pause(Math.min(left, MAX_PAUSE_MS), signal);
}

/** Resolves after the delay, or as soon as the signal is aborted; never rejects. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
