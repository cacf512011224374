import { randomUUID } from "node:crypto";
import type { SocketId } from "../../core/model/ids.ts";
import { ensureUserKey } from "../config/user-key.ts";
import { deriveVisitSecret, VISIT_VARIABLE } from "../process/visit-processes.ts";
import type { EventBody } from "../../core/cast/state/event.ts";
import type { CastState, Visit } from "../../core/cast/state/state.ts";
import { advanceTimelineBy, type CastTimeline } from "../../core/cast/timeline.ts";
import type { CastCheckpoints, Ports, UtilityRequest } from "../ports.ts";
import { type Interruption, sleepUnlessAborted, writeOptionsFor, type RunContext } from "../run/run-context.ts";
import { runCast, type RunOutcome } from "../run/run-cast.ts";
import { runUtility } from "../run/run-utility.ts";
import type { OwnedCast } from "../store/cast-store.ts";
import { createItems, type ItemsContext } from "../items/create-items.ts";
import { visitInProgress } from "../run/interrupted-visit.ts";
import * as v from "valibot";
import { ProcessIdentity, isAlive, identifyProcess } from "../process/process-identity.ts";
import { endProcesses, endProcessGroup, processesWithVariable } from "../process/processes.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

/** How often an owner shows that it lives to those who cannot look at its process. */
const HEARTBEAT_MS = 30_000;

/** What an owned cast runs from. */
export interface OwnedCastRun {
  readonly state: CastState;
  /** The same with when things happened; without it no bookmarks are made. */
  readonly trail?: CastTimeline;
  /** Where its agents and programs work. */
  readonly cwd: string;
  /** Asked of every agent in place of its own model. */
  readonly model?: string;
  /** What happened to it before the loop goes on. */
  readonly first?: readonly EventBody[];
  readonly interruption?: Interruption;
  /** Absent where its files are not kept. */
  readonly files?: CastCheckpoints;
  readonly itemsContext: ItemsContext;
  /** Set where its budget is shared with others. */
  readonly admit?: Ports["admit"];
}

/** [J22] Runs a cast that this process owns to its end or its next pause. It is still owned afterwards. */
export async function runOwnedCast(owned: OwnedCast, run: OwnedCastRun, driver: RunContext): Promise<RunOutcome> {
  const { state, trail, files, itemsContext: family, admit = driver.fleetHooks?.admit, ...from } = run;
  const asked = new AbortController();
  const stopListening = owned.onAbortRequest(() => asked.abort());
  const beat = setInterval(() => void owned.heartbeat(), HEARTBEAT_MS);
  beat.unref();
  try {
    const visit = visitInProgress(state);
    const secretOf = visitSecrets(owned, driver.env ?? {});
    if (visit) await endOrphanedPrograms(owned, visit, secretOf(visit.socket, visit.number));
    const items = createItems(family, { owned, cwd: run.cwd, driver }, (child, each, heard) =>
      runOwnedCast(child, { ...each, ...modelOption(run), itemsContext: { ...family, file: each.file } }, heard),
    );
    const ports: Ports = {
      agents: driver.host,
      runUtility: (request: UtilityRequest) =>
        runUtility({ ...request, onStarted: (pid) => void owned.writeNote("program", formatProgramNote(pid)) }),
      journal: owned.journal,
      artifacts: owned.artifacts,
      ...(files ? { checkpoints: files } : {}),
      ...(items ? { items } : {}),
      ...(admit ? { admit } : {}),
      holdsClaim: owned.holdsClaim,
      isSuperseded: owned.isSuperseded,
      redact: writeOptionsFor(driver).redact,
      now: () => new Date(),
      pause: sleepUnlessAborted,
    };
    const { onProgress } = driver;
    const onSteps = bookmarkSteps(owned, trail, driver.onSteps);
    const signal = AbortSignal.any([driver.signal, asked.signal]);
    return await runCast(state, ports, {
      ...from,
      secretOf,
      signal,
      ...(driver.fleetHooks ? { isOnFleet: true } : {}),
      ...(onSteps ? { onSteps } : {}),
      ...(onProgress ? { onProgress } : {}),
    });
  } finally {
    clearInterval(beat);
    stopListening();
  }
}

/** [J28] Whoever reads the cast next finds it where it stood last, whatever becomes of this process. */
function bookmarkSteps(
  { bookmark }: OwnedCast,
  from: CastTimeline | undefined,
  onSteps: RunContext["onSteps"],
): RunContext["onSteps"] {
  if (!bookmark || !from) return onSteps;
  let trail = from;
  return (steps) => {
    trail = advanceTimelineBy(trail, steps);
    bookmark(trail);
    onSteps?.(steps);
  };
}

function modelOption({ model }: OwnedCastRun): Pick<OwnedCastRun, "model"> {
  return model === undefined ? {} : { model };
}

/** [D24] Without a key of the user nothing is found by a secret; what is written down still is. */
function visitSecrets({ artifacts }: OwnedCast, env: NonNullable<RunContext["env"]>) {
  const key = ensureUserKey(env) ?? randomUUID();
  return (socket: SocketId, visit: number): string =>
    deriveVisitSecret(key, { runDir: artifacts.folder, socket, visit });
}

const GRACE_MS = 1000;

/** [D12] Which program runs for a cast now, so that one whose owner was killed can be found. */
function formatProgramNote(pid: number): string {
  return JSON.stringify(identifyProcess(pid));
}

/**
 * [D12, D24] Ends what a killed owner left running of a visit, and nothing else: the program that was written down with its
 * start time, and what was started with the visit's secret. Never by a file that a process has open, which anybody may have.
 */
async function endOrphanedPrograms(
  { artifacts, readNote }: OwnedCast,
  { socket, number }: Visit,
  secret: string,
): Promise<void> {
  const program = orphanedProgramPid(await readNote("program"));
  const transcript = artifacts.pathOf(socket, number, TRANSCRIPT_FILE);
  const marks = [`${VISIT_VARIABLE}=${secret}`, `PI_SESSION_FILE=${transcript}`];
  await Promise.all([
    ...(program === undefined ? [] : [endProcessGroup(program, GRACE_MS)]),
    endProcesses(() => processesWithVariable(marks), GRACE_MS),
  ]);
}

function orphanedProgramPid(note: string | undefined): number | undefined {
  if (note === undefined) return undefined;
  try {
    const program = v.parse(ProcessIdentity, JSON.parse(note));
    return isAlive(program) ? program.pid : undefined;
  } catch {
    return undefined;
  }
}
