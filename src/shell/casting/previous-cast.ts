import { closeSync, fstatSync, readSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CastEvent } from "../../core/cast/event.ts";
import type { CastId } from "../../core/model/ids.ts";
import { isError, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { isJsonObject } from "../../core/model/json.ts";
import type { Json, JsonObject } from "../../core/model/json.ts";
import { cut } from "../../core/model/text.ts";
import { socketsOf } from "../../core/compile/graph.ts";
import type { Graph } from "../../core/compile/graph.ts";
import { isWorkItem } from "../../core/model/handoff.ts";
import { castFolder, journalFile, readCastFile } from "../store/cast-store.ts";
import type { CastFolder } from "../store/cast-store.ts";
import { summaryOf } from "../store/casts.ts";
import { journalEnds } from "../store/journal-tail.ts";
import { openRegular, readRegularText } from "../system/regular-file.ts";

/** What a later cast may know of an earlier one, and what of it could not be found. */
export interface PreviousCast {
  readonly castId: CastId;
  readonly context: JsonObject;
  readonly notes: readonly string[];
}

const MAX_ARTIFACTS = 20;
const ARTIFACT_BYTES = 4_000;
const ALL_BYTES = 32 * 1024;
const MAX_ITEMS = 50;
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** [L26] Bounded before the new cast exists: the last accepted handoff, and the newest artifacts first. */
export function loadPrevious(root: string, id: string): Result<PreviousCast> {
  const folder = castFolder(root, id);
  if (!folder.ok) return folder;
  const { castId, runDir } = folder.value;
  const notes: string[] = [];
  const file = readCastFile(runDir);
  if (!file.ok) notes.push(...file.issues.filter(isError).map((issue) => issue.message));
  const {
    first,
    last: events,
    unread,
    problem,
  } = journalEnds(
    journalFile(runDir),
    (tail) =>
      tail.filter((event) => event.type === "visit_completed").length >= MAX_ARTIFACTS && lastHandoff(tail) !== null,
  );
  if (problem !== undefined) notes.push(`its journal cannot be read: ${problem}`);
  else if (!first) notes.push("its journal has no beginning: how it went is not known");
  if (unread > 0) notes.push(`${unread} ${unread === 1 ? "line" : "lines"} of its journal cannot be read`);
  const summary = summaryOf(root, castId);
  if (summary?.status === "running") notes.push(`${castId} is still running: what it has done so far is used`);
  const artifacts = newestArtifacts(folder.value, events, notes);
  return ok({
    castId,
    notes,
    context: {
      castId,
      request: summary?.request ?? (file.ok ? file.value.request : ""),
      outcome: summary?.status ?? "unknown",
      handoff: lastHandoff(events),
      workItems: lastWorkItems(folder.value, file.ok ? file.value.graph : undefined),
      artifacts,
    },
  });
}

function lastHandoff(events: readonly CastEvent[]): Json {
  const handoff = events.findLast((event) => event.type === "handoff_accepted")?.handoff;
  if (!handoff) return null;
  const { workItems, satisfied, context } = handoff;
  return {
    ...(Array.isArray(workItems) ? { workItems: bounded(workItems) } : {}),
    ...(typeof satisfied === "boolean" ? { satisfied } : {}),
    ...(typeof context === "string" ? { context: cut(context, ARTIFACT_BYTES) } : {}),
  };
}

/** The list that was last generated. It stands in a file of its own visit: the journal may be long, and the list old. */
function lastWorkItems({ runDir }: CastFolder, graph: Graph | undefined): Json {
  const lists = (graph ? socketsOf(graph) : [])
    .filter((socket) => socket.generator)
    .flatMap((socket) => newestList(join(runDir, "sockets", socket.id)));
  return lists.toSorted((a, b) => b.at - a.at)[0]?.items ?? [];
}

function newestList(folder: string): readonly { readonly at: number; readonly items: Json }[] {
  try {
    const visit = Math.max(...readdirSync(folder).map(Number).filter(Number.isInteger));
    const file = join(folder, String(visit), "handoff.json");
    const { mtimeMs } = statSync(file);
    const handoff: unknown = JSON.parse(readRegularText(file, MAX_LIST_BYTES));
    const items = isJsonObject(handoff) ? handoff["workItems"] : undefined;
    return Array.isArray(items) ? [{ at: mtimeMs, items: bounded(items as readonly Json[]) }] : []; // it was read from JSON
  } catch {
    return [];
  }
}

function bounded(items: readonly Json[]): Json {
  return items
    .slice(0, MAX_ITEMS)
    .flatMap((item) => (isWorkItem(item) ? [{ title: cut(item.title, 300), context: cut(item.context, 600) }] : []));
}

/** Outputs of the last visits; a folder that was deleted is said to be missing, and the rest is used. */
function newestArtifacts({ runDir }: CastFolder, events: readonly CastEvent[], notes: string[]): readonly JsonObject[] {
  const artifacts: JsonObject[] = [];
  let room = ALL_BYTES;
  let missing = 0;
  for (const event of events.toReversed()) {
    if (event.type !== "visit_completed") continue;
    if (artifacts.length >= MAX_ARTIFACTS || room <= 0) break;
    const place = join("sockets", event.socket, String(event.visit));
    const artifact = readOutput(runDir, place, Math.min(ARTIFACT_BYTES, room));
    if (artifact === undefined) missing += 1;
    else {
      room -= Buffer.byteLength(artifact.text);
      artifacts.push({ ...artifact });
    }
  }
  if (missing > 0) notes.push(`${missing} ${missing === 1 ? "artifact is" : "artifacts are"} gone from ${runDir}`);
  return artifacts;
}

interface Artifact {
  readonly path: string;
  readonly size: number;
  readonly cut: boolean;
  readonly text: string;
}

function readOutput(runDir: string, place: string, limit: number): Artifact | undefined {
  try {
    const names = readdirSync(join(runDir, place));
    const name = ["output.md", "stdout.txt"].find((known) => names.includes(known));
    return name === undefined ? undefined : readArtifact(runDir, join(place, name), limit);
  } catch {
    return undefined;
  }
}

function readArtifact(runDir: string, path: string, limit: number): Artifact {
  const fd = openRegular(join(runDir, path));
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(limit, size));
    const read = readSync(fd, buffer, 0, buffer.length, 0);
    return { path, size, cut: size > limit, text: wholeText(buffer.subarray(0, read), limit) };
  } finally {
    closeSync(fd);
  }
}

/** At most so many bytes: a character that was cut in two is left out, and one that stands for broken bytes counts as it is. */
function wholeText(bytes: Buffer, limit: number): string {
  const text = new TextDecoder("utf8").decode(bytes, { stream: true });
  return Buffer.byteLength(text) <= limit ? text : wholeText(Buffer.from(text).subarray(0, limit), limit);
}
