import * as v from "valibot";
import { wholeNumber } from "./schemas.ts";

const count = wholeNumber(0);

/** [Y4] Files that a checkpoint omits, by reason. */
export const OmittedFiles = v.object({
  /** Untracked files larger than 50 MB. */
  large: v.exactOptional(count),
  unreadable: v.exactOptional(count),
  /** Other repositories inside the working tree. */
  nested: v.exactOptional(count),
});
export type OmittedFiles = v.InferOutput<typeof OmittedFiles>;

const commitEntries = { commit: v.string(), left: v.exactOptional(OmittedFiles) };

export const ChangeCounts = v.object({
  changed: count,
  added: count,
  removed: count,
  names: v.exactOptional(v.array(v.string())),
});
export type ChangeCounts = v.InferOutput<typeof ChangeCounts>;

/** [Y1, Y13] The working tree as a commit, and its changes since the commit that it is compared with. */
export const Checkpoint = v.object({
  ...commitEntries,
  ...ChangeCounts.entries,
  /** [V51] Set if only conflicting hunks have changed since the cast of the item began, and no mark is left. */
  resolves: v.exactOptional(v.literal(true)),
});
export type Checkpoint = v.InferOutput<typeof Checkpoint>;

export const MissingCheckpoint = v.object({ problem: v.string() });
export type MissingCheckpoint = v.InferOutput<typeof MissingCheckpoint>;

export const InitialCheckpoint = v.union([v.object(commitEntries), MissingCheckpoint]);
export type InitialCheckpoint = v.InferOutput<typeof InitialCheckpoint>;

/** [Y6] Files that someone else changed while a cast was stopped. */
export const OutsideChanges = v.object({ ...Checkpoint.entries, names: v.array(v.string()) });
export type OutsideChanges = v.InferOutput<typeof OutsideChanges>;

const lines = v.nullable(count);

/** [Y14] One file between two checkpoints. Lines are `null` for a binary file. */
export const FileChange = v.object({
  status: v.picklist(["added", "modified", "deleted", "renamed", "type"]),
  path: v.string(),
  from: v.exactOptional(v.string()),
  added: lines,
  removed: lines,
});
export type FileChange = v.InferOutput<typeof FileChange>;
