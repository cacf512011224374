import { randomUUID } from "node:crypto";
import type { SocketId } from "../../../core/model/ids.ts";
import { ensureUserKey } from "../../config/own/user-key.ts";
import { deriveVisitSecret } from "../../process/visit-secret.ts";
import type { EventBody } from "../../../core/cast/state/event.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { advanceTimeline, type CastTimeline } from "../../../core/view/now/trail.ts";
import type { CastCheckpoints, Ports, UtilityRequest } from "../../ports.ts";
import { endOrphanedPrograms, formatProgramNote } from "../../run/leftovers.ts";
import type { Interruption } from "../../run/effect.ts";
import { sleepUnlessAborted } from "../../run/pause.ts";
import { runCast, type RunOutcome } from "../../run/run-cast.ts";
import { runUtility } from "../../run/utility/run-utility.ts";
import type { OwnedCast } from "../../store/cast-store.ts";
import { writeOptionsFor, type RunContext } from "./driver.ts";
import { createItems, type ItemsContext } from "./items.ts";
import { visitInProgress } from "./interruption.ts";

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
function bookmarkSteps({ bookmark }: OwnedCast, from: CastTimeline | undefined, onSteps: RunContext["onSteps"]): RunContext["onSteps"] {
  if (!bookmark || !from) return onSteps;
  let trail = from;
  return (steps) => {
    for (const step of steps) trail = advanceTimeline(trail, step);
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
  return (socket: SocketId, visit: number): string => deriveVisitSecret(key, { runDir: artifacts.folder, socket, visit });
}
