import {
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { withFile } from "../../system/files.ts";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { Artifacts } from "../../ports.ts";
import { createFileArtifacts } from "../files/artifacts.ts";
import { parentCastId, type CastId } from "../../../core/model/ids.ts";
import { REHEARSAL_FILE, TRANSCRIPT_FILE, castLayout, type CastLayout } from "../layout.ts";
import type { WriteOptions } from "../cast-store.ts";
import { PART_BYTES, type ArtifactUpload } from "./append-events.ts";
import type { Database } from "./database.ts";

/** Large values that visits share belong to no visit. */
export const SHARED_VALUES = { socket: "", visit: 0 } as const;

/**
 * [B12] The folder for the files of a cast. An item's folder is outside its parent's, because a claim of the parent empties
 * its folder. It has its own values, since other items may run elsewhere.
 */
export function scratchRoot(scratch: string, castId: CastId): string {
  return parentCastId(castId) === undefined ? scratch : join(scratch, "items", castId);
}

export function scratchLayout(scratch: string, castId: CastId): CastLayout {
  return castLayout(scratchRoot(scratch, castId), castId);
}

/** The files of an owned cast: on the disk for agents and programs, and on their way to the database. */
export interface ScratchArtifacts extends Artifacts {
  /** Files that changed since the last call, for the next append; `events` are those that refer to them. */
  readonly takePending: (events: readonly CastEvent[]) => readonly ArtifactUpload[];
}

interface DirtyFile {
  readonly socket: string;
  readonly visit: number;
  readonly name: string;
  /** The number of bytes to send; all if the file does not grow by itself. */
  readonly most?: number;
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

export function createScratchArtifacts(layout: CastLayout, how: WriteOptions): ScratchArtifacts {
  const files = createFileArtifacts(layout, how);
  const dirty = new Map<string, DirtyFile>();
  const marks = new Map<string, number | undefined>();
  const sentValues = new Set(existsSync(layout.values) ? readdirSync(layout.values) : []);
  const sizes = new Map<string, number>();
  const grown = createGrowthReader();
  let hasValues = false;
  const note = (socket: string, visit: number, name: string, most?: number): void => {
    dirty.set(layout.visitFile(socket, visit, name), { socket, visit, name, ...(most === undefined ? {} : { most }) });
  };
  /** [B56] The transcript grows during the turn. It is sent at the end of the turn, or in its state at a checkpoint. */
  const noteTranscripts = (events: readonly CastEvent[]): void => {
    for (const event of events) {
      if (!("visit" in event) || event.type === "visit_started" || event.type === "turn_retried") continue;
      const file = layout.visitFile(event.socket, event.visit, TRANSCRIPT_FILE);
      const size = event.type === "checkpoint_taken" ? marks.get(event.files.commit) : sizeOf(file);
      if (size === undefined || sizes.get(file) === size) continue;
      sizes.set(file, size);
      note(event.socket, event.visit, TRANSCRIPT_FILE, size);
    }
  };
  const newValues = (): readonly ArtifactUpload[] => {
    if (!hasValues) return [];
    hasValues = false;
    const names = readdirSync(layout.values).filter((name) => !sentValues.has(name));
    return names.map((name) => {
      sentValues.add(name);
      return { ...SHARED_VALUES, name, bytes: readFileSync(join(layout.values, name)) };
    });
  };
  return {
    ...files,
    write: (socket, visit, name, text) => {
      note(socket, visit, name);
      return files.write(socket, visit, name, text);
    },
    append: (socket, visit, name, text) => {
      note(socket, visit, name);
      return files.append(socket, visit, name, text);
    },
    markTranscript: (socket, visit, commit) =>
      void marks.set(commit, sizeOf(layout.visitFile(socket, visit, TRANSCRIPT_FILE))),
    storeValue: async (value) => {
      const kept = await files.storeValue(value);
      hasValues ||= existsSync(layout.values);
      return kept;
    },
    takePending: (events) => {
      noteTranscripts(events);
      const sent = [...dirty].flatMap(([file, { most, ...place }]) =>
        existsSync(file)
          ? [{ ...place, ...(most === undefined ? { bytes: readFileSync(file) } : grown(file, most)) }]
          : [],
      );
      dirty.clear();
      return [...sent, ...newValues()];
    },
  };
}

/** [B56] New bytes of a file that only grows. A replaced file is another file, and is sent from its beginning. */
function createGrowthReader(): (file: string, most: number) => { readonly from: number; readonly bytes: Buffer } {
  const sent = new Map<string, { readonly id: string; readonly size: number }>();
  return (file, most) =>
    withFile(openSync(file, "r"), (open) => {
      const { ino, birthtimeNs } = fstatSync(open, { bigint: true });
      const id = `${ino} ${birthtimeNs}`;
      const before = sent.get(file);
      const from = before?.id === id && before.size <= most ? before.size : 0;
      const bytes = Buffer.alloc(most - from);
      const read = readSync(open, bytes, 0, bytes.length, from);
      sent.set(file, { id, size: from + read });
      return { from, bytes: bytes.subarray(0, read) };
    });
}

interface PartRow {
  readonly socket: string;
  readonly visit: number;
  readonly name: string;
  readonly part: number;
  readonly body: Buffer;
}

/** [B7] Restores the folder of a cast from its last append; files that were never appended are removed. */
export async function restoreScratch(
  database: Database,
  layout: CastLayout,
  cast: { readonly castId: string; readonly file: string; readonly brings: Readonly<Record<string, string>> },
): Promise<void> {
  rmSync(layout.folder, { recursive: true, force: true });
  rmSync(layout.values, { recursive: true, force: true });
  initScratch(layout, cast);
  for (let after: readonly (string | number)[] = ["", -1, "", -1]; ;) {
    const rows: readonly PartRow[] = await database.query<PartRow>({
      text: `select socket, visit, name, part, body from materia.artifacts a
        where cast_id = $1 and (socket, visit, name, part) > ($2, $3, $4, $5)
          and part::bigint * ${PART_BYTES} < (select greatest(size, 1) from materia.artifacts h where h.cast_id = a.cast_id
            and h.socket = a.socket and h.visit = a.visit and h.name = a.name and h.part = 0)
        order by socket, visit, name, part limit 32`,
      values: [cast.castId, ...after],
    });
    for (const { socket, visit, name, part, body } of rows) {
      const file = socket === SHARED_VALUES.socket ? join(layout.values, name) : layout.visitFile(socket, visit, name);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, body, { flag: part === 0 ? "w" : "a", mode: 0o600 });
      after = [socket, visit, name, part];
    }
    if (rows.length === 0) return;
  }
}

export function initScratch(
  layout: CastLayout,
  { file, brings }: { readonly file: string; readonly brings: Readonly<Record<string, string>> },
): void {
  mkdirSync(layout.folder, { recursive: true, mode: 0o700 });
  writeFileSync(layout.castFile, file, { mode: 0o600 });
  // [B78] A closed list: the submitter writes the names.
  const replies = Object.hasOwn(brings, REHEARSAL_FILE) ? brings[REHEARSAL_FILE] : undefined;
  if (typeof replies === "string") writeFileSync(layout.attachment(REHEARSAL_FILE), replies, { mode: 0o600 });
}
