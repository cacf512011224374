import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastId } from "../../core/model/ids.ts";
import { writeOptionsFor, type RunContext } from "../context/run-context.ts";
import { openCastCheckpoints } from "../run/visit-checkpoints.ts";
import { redactEvent } from "../secrets/redact-event.ts";
import type { CastFile } from "../store/cast-file.ts";
import { readArtifactText, type CastStore, type OwnedCast } from "../store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../store/layout.ts";

export type CreationContext = Pick<RunContext, "store" | "env" | "durability">;

export interface CastPast {
  readonly origin: CastId;
  readonly events: readonly CastEvent[];
}

/** [T45, T46] The shared events without secrets. A fork of a cast without checkpoints takes its own from its start on. */
export async function pastEvents(
  past: CastPast,
  file: CastFile,
  owned: OwnedCast,
  context: CreationContext,
): Promise<readonly CastEvent[]> {
  const { redact } = writeOptionsFor(context);
  const events = past.events.map((event) => redactEvent(event, redact));
  const [started, ...others] = events;
  if (started?.type !== "cast_started" || started.files) return events;
  const checkpoints = openCastCheckpoints(context.store, owned, file);
  if (!checkpoints) return events;
  const files = await checkpoints.takeFirst();
  checkpoints.close();
  return [{ ...started, files }, ...others];
}

/** [T37] Written before anything runs; the first cast does not change. Files come first: events name files that exist. */
export async function writePast(
  store: CastStore,
  origin: CastId,
  events: readonly CastEvent[],
  { artifacts, journal }: OwnedCast,
): Promise<string | undefined> {
  for (const event of events) {
    if (event.type !== "visit_completed") continue;
    const { socket, visit } = event;
    for (const name of COPIED_FILES) {
      const text = await readArtifactText(store, origin, { socket, visit, name });
      const problem = text === undefined ? undefined : await artifacts.write(socket, visit, name, text);
      if (problem !== undefined) return problem;
    }
  }
  return journal.append(events, 0);
}

const COPIED_FILES = [
  "prompt.md",
  "output.md",
  "handoff.json",
  TRANSCRIPT_FILE,
  "input.json",
  "stdout.txt",
  "stderr.txt",
];
