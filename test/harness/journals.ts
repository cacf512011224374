import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { CastStart, CastState } from "../../src/core/cast/state/state.ts";
import { ok, type Result } from "../../src/core/model/issue.ts";
import type { Journal } from "../../src/shell/ports.ts";
import type { ProcessIdentity } from "../../src/shell/process/process-identity.ts";
import type { Durability } from "../../src/shell/store/cast-store.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { firstChainHead } from "../../src/shell/store/files/journal-chain.ts";
import { openJournalWriter } from "../../src/shell/store/files/write-journal.ts";
import { foldJournal } from "../../src/shell/store/files/read-journal.ts";
import { layoutInFolder } from "../../src/shell/store/layout.ts";
import { claimCast, currentOwner, type ClaimOutcome } from "../../src/shell/store/files/claims.ts";
import type { CastSummary } from "../../src/core/cast/summary.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

export interface ReadJournal {
  readonly events: readonly CastEvent[];
  readonly state: CastState;
  readonly soundBytes: number;
  readonly tornBytes: number;
}

/** A journal without its cast file. */
export function readJournal(file: string, start: CastStart): Result<ReadJournal> {
  const read = foldJournal(
    file,
    start.castId,
    () => ({ events: [] as CastEvent[], state: initialState(start) }),
    ({ events, state }, event) => {
      const next = apply(state, event);
      events.push(event);
      return { events, state: next };
    },
  );
  if (!read.ok) return read;
  const { value, soundBytes, tornBytes } = read.value;
  return ok({ ...value, soundBytes, tornBytes });
}

export interface TestJournal extends Journal {
  readonly append: (events: readonly CastEvent[]) => Promise<string | undefined>;
  readonly close: () => void;
}

/** Lines of any text with the fields that a journal adds: a wrong event with a sound digest. A last line without its end stays as it is. */
export function sealLines(text: string, castId = "cast-1", head = firstChainHead(castId).crc): string {
  const lines = text.split("\n");
  let crc = head;
  const sealed = lines.slice(0, -1).map((line) => {
    const body = `${line.replace(/\}$/, "")},"epoch":1`;
    crc = crc32(body, crc);
    return `${body},"crc":"${crc.toString(16).padStart(8, "0")}"}\n`;
  });
  return [...sealed, lines.at(-1) ?? ""].join("");
}

/** The lines as they follow those of the file. */
export function sealNextLines(file: string, castId: string, text: string): string {
  return sealLines(text, castId, lastCrc(file));
}

interface JournalOptions {
  readonly durability: Durability;
  readonly redact: (text: string) => string;
  readonly castId?: string;
}

/** A journal without its cast file, opened after what was appended to it. */
export function openJournal(file: string, { durability, redact, castId = "cast-1" }: JournalOptions): TestJournal {
  let after: number | undefined;
  let writer: ReturnType<typeof openJournalWriter> | undefined;
  return {
    append: async (events) => {
      after ??= (events[0]?.seq ?? 1) - 1;
      const head = { seq: after, crc: lastCrc(file) ?? firstChainHead(castId).crc };
      writer ??= openJournalWriter({ folder: join(file, ".."), file, epoch: 1, head, durability, redact });
      const problem = writer.append(events, after);
      if (problem === undefined) after += events.length;
      return problem;
    },
    close: () => writer?.close(),
  };
}

function lastCrc(file: string): number | undefined {
  if (!existsSync(file) || !statSync(file).isFile()) return undefined;
  const [, crc] = /"crc":"([0-9a-f]{8})"\}\n$/.exec(readFileSync(file, "utf8")) ?? [];
  return crc === undefined ? undefined : Number.parseInt(crc, 16);
}

export async function listCasts(root: string): Promise<readonly CastSummary[]> {
  const casts = await fileStore(root).list();
  if (!casts.ok) throw new Error(JSON.stringify(casts.issues));
  return casts.value;
}

export function claimIn(runDir: string): Promise<ClaimOutcome> {
  return claimCast(layoutInFolder(runDir));
}

export function ownerIn(runDir: string): ProcessIdentity | undefined {
  return currentOwner(layoutInFolder(runDir));
}
