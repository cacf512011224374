import { apply } from "../../../core/cast/apply.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { initialState, type CastState } from "../../../core/cast/state/state.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { error, type Issue } from "../../../core/model/issue.ts";
import { REHEARSAL_FILE, parseRehearsalText } from "../../casting/workspace/rehearsal-file.ts";
import { castStartOf, type CastFile } from "../../store/cast-file.ts";
import type { ArtifactRef, CastStore } from "../../store/cast-store.ts";
import { MAX_FILE_BYTES } from "../../system/regular-file.ts";
import { expectedFiles, recordVisitEvent, type JournaledVisit, type VisitRecords } from "./visit-files.ts";

/** What was found of a cast. */
export interface Examination {
  readonly castId: CastId;
  /** Lines that are sound, up to the first that is not. */
  readonly events: number;
  /** What is wrong with `cast.json`, the journal, or the replies that the cast brought with it. */
  readonly issues: readonly Issue[];
  /** Files that a sound line speaks of: how many, and those that are not as they should be. */
  readonly checked: number;
  readonly files: readonly DamagedFile[];
}

export interface DamagedFile extends ArtifactRef {
  readonly problem: "missing" | "damaged";
}

export function isIntact({ issues, files }: Examination): boolean {
  return issues.length === 0 && files.length === 0;
}

/** [C26] Everything of a cast: what it was started with, every line, every file that a line speaks of. */
export async function examineCast(store: CastStore, castId: CastId): Promise<Examination> {
  let events = 0;
  const { file, records, issues } = await readIntactPart(store, castId, (count) => (events = count));
  const files: DamagedFile[] = [];
  let checked = 0;
  for (const record of records.values()) {
    const expected = expectedFiles(record).filter(({ name }) => !isKnownLost(file, { ...record, name }));
    checked += expected.length;
    for (const each of expected) {
      const { socket, visit } = record;
      const place = { socket, visit, name: each.name };
      const text = await readVisitFile(store, castId, place);
      if (text === "missing" || text === "unreadable")
        files.push({ ...place, problem: text === "missing" ? text : "damaged" });
      else if (!each.isSound(text.text)) files.push({ ...place, problem: "damaged" });
    }
  }
  const brought = file ? await rehearsalIssues(store, file) : [];
  return { castId, events, issues: [...issues, ...brought], checked, files };
}

/** [C27] A cast that was saved from a damaged one goes without what was lost there. */
function isKnownLost(file: CastFile | undefined, { socket, visit, name }: ArtifactRef): boolean {
  return (file?.salvaged?.lost ?? []).some(
    (place) => place.socket === socket && place.visit === visit && place.name === name,
  );
}

export interface IntactPart {
  /** Nothing where `cast.json` cannot be read. */
  readonly file?: CastFile;
  readonly records: VisitRecords;
  readonly issues: readonly Issue[];
}

/** Folds the lines up to the first that is damaged; `onSound` hears of each, and of zero where they are read anew. */
export async function readIntactPart(
  store: CastStore,
  castId: CastId,
  onSound: (count: number, event?: CastEvent) => void,
): Promise<IntactPart> {
  const records = new Map<string, JournaledVisit>();
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
  return { ...(file ? { file } : {}), records, issues: folded.ok ? [] : folded.issues };
}

/** A file of a visit as text. */
export async function readVisitFile(
  store: CastStore,
  castId: CastId,
  place: ArtifactRef,
): Promise<{ readonly text: string } | "missing" | "unreadable"> {
  const part = await store.readArtifact(castId, place, { maxBytes: MAX_FILE_BYTES.journal });
  if (!part) return "missing";
  if (part.bytes.length < part.size) return "unreadable";
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part.bytes) };
  } catch {
    return "unreadable";
  }
}

/** Replies that came with the command: without them nothing of the cast can be asked again. */
async function rehearsalIssues(store: CastStore, { castId, rehearsal }: CastFile): Promise<readonly Issue[]> {
  if (rehearsal !== `${castId}/${REHEARSAL_FILE}`) return [];
  const place = `${store.locationOf(castId)}/${REHEARSAL_FILE}`;
  const text = await store.readAttachment(castId, REHEARSAL_FILE);
  if (text === undefined)
    return [{ ...error("missing_file", "", "the replies that the cast brought with it are gone"), file: place }];
  const read = parseRehearsalText(place, text);
  return read.ok ? [] : read.issues;
}
