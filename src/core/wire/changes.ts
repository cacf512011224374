import * as v from "valibot";
import { FileChange, OmittedFiles } from "../model/values/checkpoint.ts";
import { wholeNumber } from "../model/values/number.ts";

/** [N31] What lies between two checkpoints of a cast, file by file. */
export const ChangesResponse = v.object({
  castId: v.string(),
  /** The visit or item that was asked for; null for the whole cast. */
  place: v.nullable(v.string()),
  changed: wholeNumber(0),
  added: wholeNumber(0),
  removed: wholeNumber(0),
  /** The first of them in git's order; `replaceNodes` counts all. */
  files: v.array(FileChange),
  left: OmittedFiles,
});
export type ChangesResponse = v.InferOutput<typeof ChangesResponse>;

/** [N32] One of these files, as git prints what became of it. */
export const PatchResponse = v.object({
  path: v.string(),
  patch: v.string(),
  /** Whether there is more of it than is sent. */
  isCut: v.boolean(),
  /** The checkpoints of the whole cast that changed this file, oldest first. */
  commits: v.array(v.string()),
});
export type PatchResponse = v.InferOutput<typeof PatchResponse>;
