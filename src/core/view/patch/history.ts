import type { CastEvent } from "../../cast/state/event.ts";
import type { SocketId } from "../../model/ids.ts";

/** Who made a checkpoint: a visit, or somebody else while the cast stood still. */
export type CheckpointAuthor =
  | { readonly kind: "visit"; readonly socket: SocketId; readonly visit: number }
  | { readonly kind: "meanwhile"; readonly seq: number };

/** The makers of these checkpoints in order, each once; a checkpoint that no event names has none. */
export function checkpointAuthors(events: Iterable<CastEvent>, commits: readonly string[]): readonly CheckpointAuthor[] {
  const wanted = new Set(commits);
  const makers = new Map<string, CheckpointAuthor>();
  for (const event of events) {
    if (event.type === "cast_resumed" && event.files && wanted.has(event.files.commit))
      makers.set(`meanwhile ${event.seq}`, { kind: "meanwhile", seq: event.seq });
    if (event.type !== "checkpoint_taken" && event.type !== "visit_completed") continue;
    const { files, socket, visit } = event;
    if (files && "commit" in files && wanted.has(files.commit))
      makers.set(`${socket}#${visit}`, { kind: "visit", socket, visit });
  }
  return [...makers.values()];
}
