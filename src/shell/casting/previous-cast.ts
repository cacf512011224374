import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastId, SocketId } from "../../core/model/ids.ts";
import { isError, ok, type Result } from "../../core/model/issue.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "../../core/model/json.ts";
import { countedText, truncate } from "../../core/model/text.ts";
import { socketsOf, type Graph } from "../../core/compile/graph.ts";
import { isWorkItem } from "../../core/model/handoff.ts";
import type { CastStore, VisitRef } from "../store/cast-store.ts";
import { findCast } from "../workspace/workspace.ts";

/** What a new cast gets from an earlier one, and notes about what is missing. */
interface PreviousCast {
  readonly castId: CastId;
  readonly context: JsonObject;
  readonly notes: readonly string[];
}

const MAX_ARTIFACTS = 20;
const ARTIFACT_BYTES = 4_000;
const MAX_ARTIFACT_BYTES = 32 * 1024;
const MAX_ITEMS = 50;
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** [L26] Bounded before the new cast exists: the last accepted handoff, and the newest artifacts first. */
export async function loadPreviousCast(store: CastStore, text: string): Promise<Result<PreviousCast>> {
  const found = await findCast(store, text);
  if (!found.ok) return found;
  const castId = found.value;
  const notes: string[] = [];
  const file = await store.readCastFile(castId);
  if (!file.ok) notes.push(...file.issues.filter(isError).map((issue) => issue.message));
  const isEnough = (tail: readonly CastEvent[]): boolean =>
    tail.filter((event) => event.type === "visit_completed").length >= MAX_ARTIFACTS && lastHandoff(tail) !== null;
  const { first, last: events, unread, problem } = await store.readEnds(castId, isEnough);
  if (problem !== undefined) notes.push(`its journal cannot be read: ${problem}`);
  else if (!first) notes.push("its journal has no first event: its outcome is unknown");
  if (unread > 0) notes.push(`${countedText(unread, "line")} of its journal cannot be read`);
  const summary = await store.summary(castId);
  if (summary?.status === "running") notes.push(`${castId} is still running: its results so far are used`);
  const { artifacts, missing } = await newestArtifacts(store, castId, events);
  if (missing > 0)
    notes.push(`${countedText(missing, "artifact is", "artifacts are")} gone from ${store.locationOf(castId)}`);
  return ok({
    castId,
    notes,
    context: {
      castId,
      request: summary?.request ?? (file.ok ? file.value.request : ""),
      outcome: summary?.status ?? "unknown",
      handoff: lastHandoff(events),
      workItems: await lastWorkItems(store, castId, file.ok ? file.value.graph : undefined),
      artifacts,
    },
  });
}

function lastHandoff(events: readonly CastEvent[]): Json {
  const handoff = events.findLast((event) => event.type === "handoff_accepted")?.handoff;
  if (!handoff) return null;
  const { workItems, satisfied, context } = handoff;
  return {
    ...(Array.isArray(workItems) ? { workItems: boundedItems(workItems) } : {}),
    ...(typeof satisfied === "boolean" ? { satisfied } : {}),
    ...(typeof context === "string" ? { context: truncate(context, ARTIFACT_BYTES) } : {}),
  };
}

/** The newest generated list, read from the file of its visit: the journal may be long. */
async function lastWorkItems(store: CastStore, castId: CastId, graph: Graph | undefined): Promise<Json> {
  const generators = (graph ? socketsOf(graph) : []).filter((socket) => socket.generator);
  const lists = await Promise.all(generators.map(({ id }) => newestList(store, castId, id)));
  return lists.flat().toSorted((a, b) => b.at - a.at)[0]?.items ?? [];
}

async function newestList(store: CastStore, castId: CastId, socket: SocketId) {
  const visit = await store.lastVisit(castId, socket);
  const file = await store.readArtifact(castId, { socket, visit, name: "handoff.json" }, { maxBytes: MAX_LIST_BYTES });
  if (!file || file.size > MAX_LIST_BYTES) return [];
  const handoff = parseJson(Buffer.from(file.bytes).toString("utf8"));
  const items = isJsonObject(handoff) ? handoff["workItems"] : undefined;
  return Array.isArray(items) ? [{ at: file.changedAt, items: boundedItems(items as readonly Json[]) }] : []; // it was read from JSON
}

function boundedItems(items: readonly Json[]): Json {
  return items
    .slice(0, MAX_ITEMS)
    .flatMap((item) =>
      isWorkItem(item) ? [{ title: truncate(item.title, 300), context: truncate(item.context, 600) }] : [],
    );
}

/** Outputs of the last visits. A deleted folder counts as missing; the others are used. */
async function newestArtifacts(store: CastStore, castId: CastId, events: readonly CastEvent[]) {
  const artifacts: JsonObject[] = [];
  let room = MAX_ARTIFACT_BYTES;
  let missing = 0;
  for (const event of events.toReversed()) {
    if (event.type !== "visit_completed") continue;
    if (artifacts.length >= MAX_ARTIFACTS || room <= 0) break;
    const artifact = await readOutput(store, castId, event, Math.min(ARTIFACT_BYTES, room));
    if (artifact === undefined) missing += 1;
    else {
      room -= Buffer.byteLength(artifact.text);
      artifacts.push({ ...artifact });
    }
  }
  return { artifacts, missing };
}

async function readOutput(store: CastStore, castId: CastId, { socket, visit }: VisitRef, limit: number) {
  for (const name of ["output.md", "stdout.txt"]) {
    const part = await store.readArtifact(castId, { socket, visit, name }, { maxBytes: limit });
    if (!part) continue;
    const text = decodeWholeCharacters(Buffer.from(part.bytes), limit);
    return { path: `sockets/${socket}/${visit}/${name}`, size: part.size, cut: part.size > limit, text };
  }
  return undefined;
}

/** Decodes at most `limit` bytes. Drops a character that was cut in two; a replacement character counts with its own size. */
function decodeWholeCharacters(bytes: Buffer, limit: number): string {
  const text = new TextDecoder("utf8").decode(bytes, { stream: true });
  return Buffer.byteLength(text) <= limit ? text : decodeWholeCharacters(Buffer.from(text).subarray(0, limit), limit);
}
