import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { ownCasts } from "../config/own/own-casts.ts";
import type { RunEnd } from "../run/run-cast.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore, OwnedCast } from "../store/cast-store.ts";
import { checkpointsOf } from "../casting/drive/checkpoints.ts";
import { drive } from "../casting/drive/drive.ts";
import { writingOf, type Driver } from "../casting/drive/driver.ts";

/** A cast with a past: the events that it shares, under its own name. */
export interface ForkPlan {
  readonly file: CastFile;
  readonly origin: CastId;
  readonly events: readonly CastEvent[];
  readonly state: CastState;
  /** Files that it brings with it: the replies of a rehearsal. */
  readonly brings: Readonly<Record<string, string>>;
}

/** [T20] The past is written before anything runs; the first cast stays as it is. */
export async function startFork(store: CastStore, plan: ForkPlan, driver: Driver): Promise<Result<RunEnd>> {
  const { file, events, state, brings } = plan;
  const owned = await store.create({ file, brings }, writingOf(driver));
  if (!owned.ok) return owned;
  const files = checkpointsOf(store, owned.value, file);
  try {
    const problem = (await copyVisits(store, plan, owned.value)) ?? (await owned.value.journal.append(events, 0));
    if (problem !== undefined) {
      await owned.value.discard();
      return fail(error("cannot_write", file.castId, problem));
    }
    if (driver.env) ownCasts(driver.env).record(file, await store.stamp(file.castId));
    const isStopped = state.phase.kind === "ended";
    const first = isStopped ? { first: [{ type: "cast_resumed" as const, by: "materia fork" }] } : {};
    const model = file.model === null ? {} : { model: file.model };
    const kept = files && state.files ? { files } : {};
    return ok(
      await drive(owned.value, { state, cwd: file.cwd, family: { store, file }, ...model, ...first, ...kept }, driver),
    );
  } finally {
    files?.close();
    await owned.value.release();
  }
}

const NAMES = ["prompt.md", "output.md", "handoff.json", "transcript.jsonl", "input.json", "stdout.txt", "stderr.txt"];

/** The files of the visits that are shared: whoever looks at the fork finds what its journal speaks of. */
async function copyVisits(
  store: CastStore,
  { origin, events }: ForkPlan,
  { artifacts }: OwnedCast,
): Promise<string | undefined> {
  for (const event of events) {
    if (event.type !== "visit_completed") continue;
    const { socket, visit } = event;
    for (const name of NAMES) {
      const part = await store.readArtifact(origin, { socket, visit, name });
      const text = part && Buffer.from(part.bytes).toString("utf8");
      const problem = text === undefined ? undefined : await artifacts.write(socket, visit, name, text);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}
