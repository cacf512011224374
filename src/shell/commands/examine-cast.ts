import { apply } from "../../core/cast/apply.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId } from "../../core/model/ids.ts";
import { error, type Issue } from "../../core/model/issue.ts";
import { parseRehearsalText } from "../workspace/agent-hosts.ts";
import { castStartOf, type CastFile } from "../store/cast-file.ts";
import type { ArtifactRef, CastStore, VisitRef } from "../store/cast-store.ts";
import { MAX_FILE_BYTES, valueOr } from "../system/files.ts";
import { isDeepStrictEqual } from "node:util";
import { MAX_KEPT_TEXT } from "../../core/cast/decide.ts";
import { materiaOf, socketOf, type Graph } from "../../core/compile/graph.ts";
import { parseJson, type JsonObject } from "../../core/model/json.ts";
import type { Materia } from "../../core/model/materia.ts";
import type { VisitFileName } from "../../core/wire/casts.ts";
import { validPrefix } from "../agents/transcript.ts";
import { REHEARSAL_FILE, TRANSCRIPT_FILE } from "../store/layout.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";

export interface Examination {
  readonly castId: CastId;
  /** Sound lines, up to the first damaged one. */
  readonly events: number;
  /** Problems of `cast.json`, the journal, or the replies stored with the cast. */
  readonly issues: readonly Issue[];
  /** Files that a sound line refers to: their number, and the damaged ones. */
  readonly checked: number;
  readonly files: readonly (ArtifactRef & { readonly problem: "missing" | "damaged" })[];
}

export function isIntact({ issues, files }: Examination): boolean {
  return issues.length === 0 && files.length === 0;
}

/** [C26, C43] Examines `cast.json`, every line, and every file that a line refers to. */
export async function examineCast(store: CastStore, castId: CastId): Promise<Examination> {
  let events = 0;
  const { file, records, issues } = await readIntactPart(store, castId, (count) => (events = count));
  const files: Examination["files"][number][] = [];
  // [C27] A salvaged cast does not need what was lost in the damaged one.
  const lost = file?.salvaged?.lost ?? [];
  let checked = 0;
  for (const record of records.values()) {
    const { socket, visit } = record;
    const isLost = (name: string): boolean =>
      lost.some((place) => place.socket === socket && place.visit === visit && place.name === name);
    for (const { name, isSound } of expectedFiles(record)) {
      if (isLost(name)) continue;
      checked += 1;
      const place = { socket, visit, name };
      const text = await readVisitFile(store, castId, place);
      if (text === "missing") files.push({ ...place, problem: text });
      else if (text === "unreadable" || !isSound(text.text)) files.push({ ...place, problem: "damaged" });
    }
  }
  const brought = file ? await rehearsalIssues(store, file) : [];
  return { castId, events, issues: [...issues, ...brought], checked, files };
}

/** Folds the lines up to the first damaged one. `onSound` is called with each count, and with zero when reading starts again. */
export async function readIntactPart(
  store: CastStore,
  castId: CastId,
  onSound: (count: number, event?: CastEvent) => void,
) {
  const records: VisitRecords = new Map();
  let file: CastFile | undefined;
  let count = 0;
  const folded = await store.fold<CastState>(castId, {
    begin: (described) => {
      file = described;
      count = 0;
      records.clear();
      onSound(0);
      return initialState(castStartOf(described));
    },
    step: (state, event) => {
      const next = apply(state, event);
      recordVisitEvent(records, state.graph, event);
      count += 1;
      onSound(count, event);
      return next;
    },
  });
  return { file, records, issues: folded.ok ? [] : folded.issues };
}

export async function readVisitFile(
  store: CastStore,
  castId: CastId,
  place: ArtifactRef,
): Promise<{ readonly text: string } | "missing" | "unreadable"> {
  const part = await store.readArtifact(castId, place, { maxBytes: MAX_FILE_BYTES.journal });
  if (!part) return "missing";
  if (part.bytes.length < part.size) return "unreadable";
  return valueOr(
    () => ({ text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part.bytes) }),
    "unreadable",
  );
}

/** Without the replies stored with the cast, none of its agents can be asked again. */
async function rehearsalIssues(store: CastStore, { castId, rehearsal }: CastFile): Promise<readonly Issue[]> {
  if (rehearsal !== `${castId}/${REHEARSAL_FILE}`) return [];
  const place = `${store.locationOf(castId)}/${REHEARSAL_FILE}`;
  const text = await store.readAttachment(castId, REHEARSAL_FILE);
  if (text === undefined)
    return [{ ...error("missing_file", "", "the replies stored with the cast are missing"), file: place }];
  const read = parseRehearsalText(place, text);
  return read.ok ? [] : read.issues;
}

/** What the journal says about one visit, as far as its files depend on it. */
export interface JournaledVisit extends VisitRef {
  readonly type: Materia["type"];
  /** An accepted answer implies that its files were written before it. */
  readonly isAnswered: boolean;
  readonly isCompleted: boolean;
  readonly handoff?: JsonObject;
  /** The accepted text, if its line holds all of it. */
  readonly text?: string;
}

export type VisitRecords = Map<string, JournaledVisit>;

function recordVisitEvent(records: VisitRecords, graph: Graph, event: CastEvent): void {
  if (!("visit" in event)) return;
  const { socket, visit } = event;
  const key = `${socket} ${visit}`;
  const { type } = materiaOf(graph, socketOf(graph, socket));
  const before = records.get(key) ?? { socket, visit, type, isAnswered: false, isCompleted: false };
  records.set(key, { ...before, ...visitFacts(event, type) });
}

function visitFacts(event: CastEvent, type: Materia["type"]): Partial<JournaledVisit> {
  switch (event.type) {
    case "handoff_accepted":
      return { isAnswered: true, handoff: event.handoff };
    case "output_accepted":
      return { isAnswered: true, ...(event.chars <= MAX_KEPT_TEXT ? { text: event.text } : {}) };
    case "handoff_rejected":
    case "turn_answered":
      return { isAnswered: true };
    case "turn_failed":
      // A failed agent may run written nothing; a utility always writes its files.
      return { isAnswered: type === "utility" || event.reason === "state" };
    case "visit_completed":
      return { isCompleted: true };
    default:
      return {};
  }
}

interface ExpectedFile {
  readonly name: VisitFileName;
  readonly isSound: (text: string) => boolean;
  /** The usable part of a damaged file; for a missing file, its content according to the journal. */
  readonly recover?: (text: string | undefined) => string | undefined;
}

/** [J19, J20] The files of a visit that are written before its lines. */
export function expectedFiles(record: JournaledVisit): readonly ExpectedFile[] {
  const { handoff } = record;
  const accepted: readonly ExpectedFile[] = handoff === undefined ? [] : [handoffFile(handoff)];
  if (!record.isAnswered) return accepted;
  switch (record.type) {
    case "person":
      return accepted;
    case "utility": {
      const input: ExpectedFile = { name: "input.json", isSound: (text) => parseJson(text) !== undefined };
      return [input, outputFile("stdout.txt", record), anyTextFile("stderr.txt"), ...accepted];
    }
    case "agent":
      return [anyTextFile("prompt.md"), outputFile("output.md", record), transcriptFile(record), ...accepted];
  }
}

function anyTextFile(name: VisitFileName): ExpectedFile {
  return { name, isSound: () => true };
}

function outputFile(name: VisitFileName, { text: accepted }: JournaledVisit): ExpectedFile {
  if (accepted === undefined) return anyTextFile(name);
  return { name, isSound: (text) => text.trim() === accepted, recover: () => accepted };
}

function handoffFile(handoff: JsonObject): ExpectedFile {
  return {
    name: "handoff.json",
    isSound: (text) => isDeepStrictEqual(parseJson(text), handoff),
    recover: () => `${JSON.stringify(handoff, undefined, 1)}\n`,
  };
}

function transcriptFile({ isCompleted }: JournaledVisit): ExpectedFile {
  return {
    name: TRANSCRIPT_FILE,
    isSound: (text) => {
      // A kill, or a running turn, leaves an incomplete last line: a resume continues before it.
      const written = isCompleted ? text : text.slice(0, text.lastIndexOf("\n") + 1);
      return validPrefix(text).length >= written.length;
    },
    recover: (text) => {
      const sound = validPrefix(text ?? "");
      return sound === "" ? undefined : sound;
    },
  };
}
