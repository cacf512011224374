import * as v from "valibot";
import { wholeNumber } from "../../model/values/number.ts";
import type { EventBody } from "./event.ts";
import type { CastState } from "./state.ts";

const count = wholeNumber(0);

/** [Y4] Files that a checkpoint does without, by reason; only what happened is there. */
const LeftOut = v.object({
  /** Untracked and larger than 50 MB. */
  large: v.exactOptional(count),
  unreadable: v.exactOptional(count),
  /** Other repositories below the working tree. */
  nested: v.exactOptional(count),
});
export type LeftOut = v.InferOutput<typeof LeftOut>;

const kept = { commit: v.string(), left: v.exactOptional(LeftOut) };

/** [Y1] The working tree as a commit: how many files differ from the commit that it is compared with, and by how many lines. */
export const Checkpoint = v.object({ ...kept, changed: count, added: count, removed: count });
export type Checkpoint = v.InferOutput<typeof Checkpoint>;

/** Why there is none, as the end of a sentence. */
export const NoCheckpoint = v.object({ problem: v.string() });
export type NoCheckpoint = v.InferOutput<typeof NoCheckpoint>;

/** What the tree was when a cast began. */
export const FirstCheckpoint = v.union([v.object(kept), NoCheckpoint]);
export type FirstCheckpoint = v.InferOutput<typeof FirstCheckpoint>;

/** [Y6] What somebody else changed while a cast was stopped, and the first of it by name. */
export const Meanwhile = v.object({ ...Checkpoint.entries, names: v.array(v.string()) });
export type Meanwhile = v.InferOutput<typeof Meanwhile>;

/** The checkpoints that a cast refers to; each is a commit. */
export interface CastFiles {
  readonly base: string;
  readonly last: string;
  /** What stood when the visit and the item in hand began. */
  readonly visit: string;
  readonly item: string;
  /** [Y6] Names of files that changed while the cast was stopped; the next agent is told. */
  readonly meanwhile: readonly string[];
}

/** What an event says of the files. Without checkpoints there is nothing to keep. */
export function filesAfter({ files }: Pick<CastState, "files">, event: EventBody): CastFiles | null {
  if (event.type === "cast_started") return firstFiles(event.files);
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
      return { ...files, meanwhile: [], ...(commitOf(event.files) ?? {}) };
    case "cast_resumed":
      return event.files ? { ...files, last: event.files.commit, meanwhile: event.files.names } : files;
    default:
      return files;
  }
}

function firstFiles(first: FirstCheckpoint | undefined): CastFiles | null {
  if (first === undefined || "problem" in first) return null;
  const { commit } = first;
  return { base: commit, last: commit, visit: commit, item: commit, meanwhile: [] };
}

function commitOf(files: Checkpoint | NoCheckpoint | undefined): { readonly last: string } | undefined {
  return files && "commit" in files ? { last: files.commit } : undefined;
}
