import type { Checkpoint, InitialCheckpoint, MissingCheckpoint } from "../model/values/checkpoint.ts";
import type { EventBody } from "./state/event.ts";
import type { CheckpointCommits, CastState } from "./state/state.ts";

/** What an event says of the files. Without checkpoints there is nothing to keep. */
export function checkpointsAfter({ files }: Pick<CastState, "files">, event: EventBody): CheckpointCommits | null {
  if (event.type === "cast_started") return initialCommits(event.files);
  if (files === null) return null;
  switch (event.type) {
    case "visit_started":
      return { ...files, visit: files.last };
    case "loop_entered":
    case "cursor_advanced":
      return { ...files, item: files.last };
    case "checkpoint_taken":
      return { ...files, last: event.files.commit };
    case "visit_completed":
      return { ...files, meanwhile: [], ...commitOf(event.files) };
    case "loop_joined":
      return { ...files, ...commitOf(event.files) };
    case "cast_resumed":
      return event.files ? { ...files, last: event.files.commit, meanwhile: event.files.names } : files;
    default:
      return files;
  }
}

function initialCommits(first: InitialCheckpoint | undefined): CheckpointCommits | null {
  if (first === undefined || "problem" in first) return null;
  const { commit } = first;
  return { base: commit, last: commit, visit: commit, item: commit, meanwhile: [] };
}

function commitOf(files: Checkpoint | MissingCheckpoint | undefined): { readonly last: string } | undefined {
  return files && "commit" in files ? { last: files.commit } : undefined;
}
