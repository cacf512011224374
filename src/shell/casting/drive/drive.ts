import { randomUUID } from "node:crypto";
import type { SocketId } from "../../../core/model/ids.ts";
import { userKey } from "../../config/own/user-key.ts";
import { visitSecret } from "../../process/visit-secret.ts";
import type { EventBody } from "../../../core/cast/state/event.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { follow, type Trail } from "../../../core/view/now/trail.ts";
import type { CastCheckpoints, Ports, UtilityRequest } from "../../ports.ts";
import { endLeftovers, programNote } from "../../run/leftovers.ts";
import type { Interruption } from "../../run/effect.ts";
import { pause } from "../../run/pause.ts";
import { runCast, type RunEnd } from "../../run/run-cast.ts";
import { runUtility } from "../../run/utility/run-utility.ts";
import type { OwnedCast } from "../../store/cast-store.ts";
import { writingOf, type Driver } from "./driver.ts";
import { itemsOf, type Family } from "./items.ts";
import { visitInFlight } from "./interruption.ts";

/** How often an owner shows that it lives to those who cannot look at its process. */
const BEAT_MS = 30_000;

/** What an owned cast runs from. */
export interface CastRun {
  readonly state: CastState;
  /** The same with when things happened; without it no bookmarks are made. */
  readonly trail?: Trail;
  /** Where its agents and programs work. */
  readonly cwd: string;
  /** Asked of every agent in place of its own model. */
  readonly model?: string;
  /** What happened to it before the loop goes on. */
  readonly first?: readonly EventBody[];
  readonly interruption?: Interruption;
  /** Absent where its files are not kept. */
  readonly files?: CastCheckpoints;
  readonly family: Family;
  /** Set where its budget is shared with others. */
  readonly admit?: Ports["admit"];
}

/** [J22] Runs a cast that this process owns to its end or its next pause. It is still owned afterwards. */
export async function drive(owned: OwnedCast, run: CastRun, driver: Driver): Promise<RunEnd> {
  const { state, trail, files, family, admit = driver.travels?.admit, ...from } = run;
  const asked = new AbortController();
  const stopListening = owned.onAbortRequest(() => asked.abort());
  const beat = setInterval(() => void owned.heartbeat(), BEAT_MS);
  beat.unref();
  try {
    const visit = visitInFlight(state);
    const secretOf = secretsOf(owned, driver.env ?? {});
    if (visit) await endLeftovers(owned, visit, secretOf(visit.socket, visit.number));
    const items = itemsOf(family, { owned, cwd: run.cwd, driver }, (child, each, heard) =>
      drive(child, { ...each, ...modelOf(run), family: { ...family, file: each.file } }, heard),
    );
    const ports: Ports = {
      agents: driver.host,
      runUtility: (request: UtilityRequest) =>
        runUtility({ ...request, onStarted: (pid) => void owned.keepNote("program", programNote(pid)) }),
      journal: owned.journal,
      artifacts: owned.artifacts,
      ...(files ? { files } : {}),
      ...(items ? { items } : {}),
      ...(admit ? { admit } : {}),
      holds: owned.holds,
      isSuperseded: owned.isSuperseded,
      redact: writingOf(driver).redact,
      now: () => new Date(),
      pause,
    };
    const { onProgress } = driver;
    const onSteps = bookmarked(owned, trail, driver.onSteps);
    const signal = AbortSignal.any([driver.signal, asked.signal]);
    return await runCast(state, ports, {
      ...from,
      secretOf,
      signal,
      ...(driver.travels ? { travels: true } : {}),
      ...(onSteps ? { onSteps } : {}),
      ...(onProgress ? { onProgress } : {}),
    });
  } finally {
    clearInterval(beat);
    stopListening();
  }
}

/** [J28] Whoever reads the cast next finds it where it stood last, whatever becomes of this process. */
function bookmarked({ bookmark }: OwnedCast, from: Trail | undefined, onSteps: Driver["onSteps"]): Driver["onSteps"] {
  if (!bookmark || !from) return onSteps;
  let trail = from;
  return (steps) => {
    for (const step of steps) trail = follow(trail, step);
    bookmark(trail);
    onSteps?.(steps);
  };
}

function modelOf({ model }: CastRun): Pick<CastRun, "model"> {
  return model === undefined ? {} : { model };
}

/** [D24] Without a key of the user nothing is found by a secret; what is written down still is. */
function secretsOf({ artifacts }: OwnedCast, env: NonNullable<Driver["env"]>) {
  const key = userKey(env) ?? randomUUID();
  return (socket: SocketId, visit: number): string => visitSecret(key, { runDir: artifacts.folder, socket, visit });
}
