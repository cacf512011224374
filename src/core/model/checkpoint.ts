import * as v from "valibot";
import { wholeNumber } from "./schemas.ts";

const count = wholeNumber(0);

/** [Y4] Files that a checkpoint does without, by reason; only what happened is there. */
export const OmittedFiles = v.object({
  /** Untracked and larger than 50 MB. */
  large: v.exactOptional(count),
  unreadable: v.exactOptional(count),
  /** Other repositories below the working tree. */
  nested: v.exactOptional(count),
});
export type OmittedFiles = v.InferOutput<typeof OmittedFiles>;

const commitEntries = { commit: v.string(), left: v.exactOptional(OmittedFiles) };

/** How many files differ, by how many lines, and the first of them by name. */
export const ChangeCounts = v.object({
  changed: count,
  added: count,
  removed: count,
  names: v.exactOptional(v.array(v.string())),
});
export type ChangeCounts = v.InferOutput<typeof ChangeCounts>;

/** [Y1, Y13] The working tree as a commit, and what differs in it from the commit that it is compared with. */
export const Checkpoint = v.object({ ...commitEntries, ...ChangeCounts.entries });
export type Checkpoint = v.InferOutput<typeof Checkpoint>;

/** Why there is none, as the end of a sentence. */
export const MissingCheckpoint = v.object({ problem: v.string() });
export type MissingCheckpoint = v.InferOutput<typeof MissingCheckpoint>;

/** What the tree was when a cast began. */
export const InitialCheckpoint = v.union([v.object(commitEntries), MissingCheckpoint]);
export type InitialCheckpoint = v.InferOutput<typeof InitialCheckpoint>;

/** [Y6] What somebody else changed while a cast was stopped, and the first of it by name. */
export const OutsideChanges = v.object({ ...Checkpoint.entries, names: v.array(v.string()) });
export type OutsideChanges = v.InferOutput<typeof OutsideChanges>;

const lines = v.nullable(count);

/** [Y14] One file between two checkpoints. `null` lines are those of a file that is no text. */
export const FileChange = v.object({
  status: v.picklist(["added", "modified", "deleted", "renamed", "type"]),
  path: v.string(),
  /** Its name before, where it was renamed. */
  from: v.exactOptional(v.string()),
  added: lines,
  removed: lines,
});
export type FileChange = v.InferOutput<typeof FileChange>;
