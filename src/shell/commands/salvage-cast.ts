import { failWith, suggest, typed, error, fail, ok, type Result } from "../../core/model/issue.ts";
import { randomInt } from "node:crypto";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastId } from "../../core/model/ids.ts";
import { VisitFileName } from "../../core/wire/casts.ts";
import { REHEARSAL_FILE } from "../store/layout.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { createOwnCastRegistry } from "../config/own-casts.ts";
import { CAST_FORMAT, type CastFile, newCastId } from "../store/cast-file.ts";
import type { ArtifactRef, CastStore, OwnedCast } from "../store/cast-store.ts";
import {
  examineCast,
  isIntact,
  readVisitFile,
  readIntactPart,
  type Examination,
  expectedFiles,
  type JournaledVisit,
  type VisitRecords,
} from "./examine-cast.ts";

export interface SalvageResult {
  readonly castId: CastId;
  readonly from: CastId;
  readonly found: Examination;
  /** How many files of visits were copied. */
  readonly files: number;
  /** Files that were written again, from the journal or from their sound part. */
  readonly mended: readonly ArtifactRef[];
  readonly lost: readonly ArtifactRef[];
}

/** [C27] Copies the sound part of a cast to a new cast; the damaged one stays unchanged. */
export async function salvageCast({ store, place }: Workspace, from: CastId): Promise<Result<SalvageResult>> {
  if (await store.owner(from))
    return failWith("cast_owned", from, "another process runs the cast", suggest`${typed`abort ${from}`} stops it`);
  const found = await examineCast(store, from);
  if (isIntact(found))
    return failWith("nothing_to_salvage", from, "the cast is sound", suggest`${typed`show ${from}`} tells it`);
  const events: CastEvent[] = [];
  const { file, records } = await readIntactPart(store, from, (count, event) => {
    events.length = Math.max(0, count - 1);
    if (event) events.push(event);
  });
  if (!file) return fail(...found.issues, error("nothing_to_salvage", from, "cast.json cannot be read"));
  if (events.length === 0)
    return fail(
      ...found.issues.map(({ hint: _hint, ...issue }) => issue),
      error("nothing_to_salvage", from, "its journal has no sound line", `start it again: ${file.command}`),
    );
  const files = await recoverFiles(store, from, records);
  const copied = salvagedFile(file, events.length, files.lost);
  const replies = copied.rehearsal === file.rehearsal ? undefined : await store.readAttachment(from, REHEARSAL_FILE);
  // [C46] Salvaging a cast that was started elsewhere does not make it trusted.
  const registry = createOwnCastRegistry(place.env);
  const own = registry.owns(file) ? registry : undefined;
  own?.record(copied, undefined);
  const { castId } = copied;
  const renamed = events.map((event) => (event.type === "cast_started" ? { ...event, castId } : event));
  const attachments = replies === undefined ? {} : { attachments: { [REHEARSAL_FILE]: replies } };
  const writePast = (hidden: OwnedCast) => writeSalvagedCast(hidden, files.kept, renamed);
  const owned = await store.create({ file: copied, ...attachments, writePast }, { durability: "sync" });
  if (!owned.ok) {
    own?.forget(castId);
    return owned;
  }
  await owned.value.release();
  own?.record(copied, await store.stamp(castId));
  const mended = files.kept.flatMap((file_) => (file_.isMended ? [file_.place] : []));
  return ok({ castId, from, found, files: files.kept.length, mended, lost: files.lost });
}

function salvagedFile(file: CastFile, events: number, lost: readonly ArtifactRef[]): CastFile {
  const castId = newCastId(new Date(), randomInt(2 ** 32) / 2 ** 32);
  const isBrought = file.rehearsal === `${file.castId}/${REHEARSAL_FILE}`;
  return {
    ...file,
    castId,
    rehearsal: isBrought ? `${castId}/${REHEARSAL_FILE}` : file.rehearsal,
    versions: { ...file.versions, format: CAST_FORMAT },
    salvaged: { from: file.castId, events, lost: [...lost, ...(file.salvaged?.lost ?? [])] },
  };
}

interface RecoveredFile {
  readonly place: ArtifactRef;
  readonly isMended: boolean;
  /** Read each file when it is written: all files of a cast may exceed memory. */
  readonly text: () => Promise<string | undefined>;
}

async function recoverFiles(store: CastStore, from: CastId, records: VisitRecords) {
  const kept: RecoveredFile[] = [];
  const lost: ArtifactRef[] = [];
  for (const record of records.values()) {
    for (const name of VisitFileName.options) {
      const place = { socket: record.socket, visit: record.visit, name };
      const read = async () => recoverText(await readVisitFile(store, from, place), record, name);
      const { kind } = await read();
      if (kind === "lost") lost.push(place);
      if (kind === "none" || kind === "lost") continue;
      kept.push({ place, isMended: kind === "mended", text: async () => (await read()).text });
    }
  }
  return { kept, lost };
}

/** `none`: no such file, and none is needed. */
type RecoveredText =
  | { readonly kind: "whole" | "mended"; readonly text: string }
  | { readonly kind: "lost" | "none"; readonly text?: undefined };

function recoverText(
  read: Awaited<ReturnType<typeof readVisitFile>>,
  record: JournaledVisit,
  name: VisitFileName,
): RecoveredText {
  const text = typeof read === "object" ? read.text : undefined;
  const expected = expectedFiles(record).find((each) => each.name === name);
  if (!expected) {
    if (read === "unreadable") return { kind: "lost" };
    return text === undefined ? { kind: "none" } : { kind: "whole", text };
  }
  if (text !== undefined && expected.isSound(text)) return { kind: "whole", text };
  const rest = expected.recover?.(text);
  return rest === undefined ? { kind: "lost" } : { kind: "mended", text: rest };
}

/** Files first: a line may only refer to a file that exists. */
async function writeSalvagedCast(
  { artifacts, journal }: OwnedCast,
  files: readonly RecoveredFile[],
  events: readonly CastEvent[],
): Promise<string | undefined> {
  for (const { place, text } of files) {
    const kept = await text();
    if (kept === undefined)
      return `${place.name} of ${place.socket}, visit ${place.visit}, has changed during the salvage`;
    const problem = await artifacts.write(place.socket, place.visit, place.name, kept);
    if (problem !== undefined) return problem;
  }
  return journal.append(events, 0);
}
