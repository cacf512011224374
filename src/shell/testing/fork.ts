import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../core/model/issue.ts";
import { createOwnCastRegistry } from "../config/own/own-casts.ts";
import type { RunOutcome } from "../run/run-cast.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore, OwnedCast } from "../store/cast-store.ts";
import { openCastCheckpoints } from "../casting/drive/checkpoints.ts";
import { runOwnedCast } from "../casting/drive/drive.ts";
import { writeOptionsFor, type RunContext } from "../casting/drive/driver.ts";

/** A cast with a past: the events that it shares, under its own name. */
export interface CastForkPlan {
  readonly file: CastFile;
  readonly origin: CastId;
  readonly events: readonly CastEvent[];
  readonly state: CastState;
  /** Files that it brings with it: the replies of a rehearsal. */
  readonly brings: Readonly<Record<string, string>>;
}

/** [T20] The past is written before anything runs; the first cast stays as it is. */
export async function startForkedCast(store: CastStore, plan: CastForkPlan, driver: RunContext): Promise<Result<RunOutcome>> {
  const { file, events, state, brings } = plan;
  const owned = await store.create({ file, attachments: brings }, writeOptionsFor(driver));
  if (!owned.ok) return owned;
  const files = openCastCheckpoints(store, owned.value, file);
  try {
    const problem = (await copyVisitFiles(store, plan, owned.value)) ?? (await owned.value.journal.append(events, 0));
    if (problem !== undefined) {
      await owned.value.discard();
      return fail(error("cannot_write", file.castId, problem));
    }
    if (driver.env) createOwnCastRegistry(driver.env).record(file, await store.stamp(file.castId));
    const isStopped = state.phase.kind === "ended";
    const first = isStopped ? { first: [{ type: "cast_resumed" as const, by: "materia fork" }] } : {};
    const model = file.model === null ? {} : { model: file.model };
    const kept = files && state.files ? { files } : {};
    return ok(
      await runOwnedCast(owned.value, { state, cwd: file.cwd, itemsContext: { store, file }, ...model, ...first, ...kept }, driver),
    );
  } finally {
    files?.close();
    await owned.value.release();
  }
}

const COPIED_FILES = ["prompt.md", "output.md", "handoff.json", "transcript.jsonl", "input.json", "stdout.txt", "stderr.txt"];

/** The files of the visits that are shared: whoever looks at the fork finds what its journal speaks of. */
async function copyVisitFiles(
  store: CastStore,
  { origin, events }: CastForkPlan,
  { artifacts }: OwnedCast,
): Promise<string | undefined> {
  for (const event of events) {
    if (event.type !== "visit_completed") continue;
    const { socket, visit } = event;
    for (const name of COPIED_FILES) {
      const part = await store.readArtifact(origin, { socket, visit, name });
      const text = part && Buffer.from(part.bytes).toString("utf8");
      const problem = text === undefined ? undefined : await artifacts.write(socket, visit, name, text);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}
