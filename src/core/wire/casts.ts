import * as v from "valibot";
import { type CastEvent, parseEvent } from "../cast/state/event.ts";
import { ItemCastInput } from "../cast/state/parallel-run.ts";
import { Graph } from "../compile/graph.ts";
import { Budget, Limits } from "../model/config.ts";
import { CastId, SocketId } from "../model/ids.ts";
import { Layout } from "../model/loadout.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { IssueSchema } from "./commands.ts";
import { FileChange, OmittedFiles } from "../model/checkpoint.ts";
import { wholeNumber } from "../model/schemas.ts";
import { CastSummary } from "../cast/summary.ts";

/** One line of a journal. Its problems have the words of the reader of journals. */
export const CastEventSchema = v.pipe(
  v.unknown(),
  v.rawTransform<unknown, CastEvent>(({ dataset, addIssue, NEVER }) => {
    const event = parseEvent(dataset.value);
    if (typeof event !== "string") return event;
    addIssue({ message: event });
    return NEVER;
  }),
);

const CastFileSchema = v.object({
  castId: CastId,
  request: v.string(),
  command: v.string(),
  targets: v.array(v.object({ kind: v.string(), name: v.string() })),
  loadout: v.object({ id: v.string(), name: v.string() }),
  graph: Graph,
  layout: v.exactOptional(Layout),
  stitches: v.array(v.object({ from: SocketId, to: SocketId, reason: v.string() })),
  fromCastId: v.nullable(v.string()),
  limits: v.required(Limits, ["maxNoAdvanceCycles", "maxRepairs"]),
  budget: Budget,
  window: v.exactOptional(v.custom<ItemCastInput>((value) => v.is(ItemCastInput, value))),
  state: v.custom<JsonObject>(isJsonObject, "is no object"),
  model: v.nullable(v.string()),
  rehearsal: v.nullable(v.string()),
  cwd: v.string(),
  startedAt: v.string(),
});
export type CastFileView = v.InferOutput<typeof CastFileSchema>;

/** [N9] Everything that the page needs to draw a cast. */
export const CastResponse = v.object({
  castFile: CastFileSchema,
  events: v.array(CastEventSchema),
  /** Whether a process runs it now. */
  live: v.boolean(),
  summary: v.nullable(CastSummary),
  /** The damage of the journal; `events` are the sound events before it. */
  issues: v.array(IssueSchema),
});
export type CastResponse = v.InferOutput<typeof CastResponse>;
export type CastResponseInput = v.InferInput<typeof CastResponse>;

/** [YP21] Null declines. */
export const QuestionAnswer = v.strictObject({ answer: v.nullable(v.string()) });

/** [YQ1] A queued request. */
export const QueueRow = v.object({
  id: v.string(),
  n: wholeNumber(1),
  request: v.string(),
  loadout: v.exactOptional(v.string()),
  model: v.exactOptional(v.string()),
  budget: v.exactOptional(wholeNumber(0)),
  key: v.exactOptional(v.string()),
  castId: v.exactOptional(v.string()),
  fleet: v.exactOptional(v.string()),
  status: v.exactOptional(CastSummary.entries.status),
});
export type QueueRow = v.InferOutput<typeof QueueRow>;
export const QueueResponse = v.array(QueueRow);

export const CastListResponse = v.array(CastSummary);

/** [N14] The files of a visit that the server offers. */
export const VisitFileName = v.picklist([
  "prompt.md",
  "output.md",
  "handoff.json",
  "transcript.jsonl",
  "prompt-parts.json",
  "input.json",
  "stdout.txt",
  "stderr.txt",
]);
export type VisitFileName = v.InferOutput<typeof VisitFileName>;

/** [N31] The files that changed between two checkpoints of a cast. */
export const ChangesResponse = v.object({
  castId: v.string(),
  /** The requested visit or item; null for the whole cast. */
  place: v.nullable(v.string()),
  changed: wholeNumber(0),
  added: wholeNumber(0),
  removed: wholeNumber(0),
  /** The first files in the order of git; `changed` counts all. */
  files: v.array(FileChange),
  left: OmittedFiles,
});
export type ChangesResponse = v.InferOutput<typeof ChangesResponse>;

/** [N32] The patch of one file, as git prints it. */
export const PatchResponse = v.object({
  path: v.string(),
  patch: v.string(),
  /** Whether the patch is longer than the response. */
  isCut: v.boolean(),
  /** The checkpoints of the whole cast that changed this file, oldest first. */
  commits: v.array(v.string()),
});
export type PatchResponse = v.InferOutput<typeof PatchResponse>;
