import { join } from "node:path";
import { apply } from "../../src/core/cast/apply.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { initialState, type CastStart, type CastState } from "../../src/core/cast/state/state.ts";
import { ok, type Result } from "../../src/core/model/issue.ts";
import type { Journal } from "../../src/shell/ports.ts";
import type { ProcessIdentity } from "../../src/shell/process/process-identity.ts";
import type { Durability } from "../../src/shell/store/cast-store.ts";
import { fileStore } from "../../src/shell/store/files/file-store.ts";
import { openJournalWriter } from "../../src/shell/store/files/write-journal.ts";
import { createChainFor, foldJournal } from "../../src/shell/store/files/read-journal.ts";
import { layoutInFolder } from "../../src/shell/store/layout.ts";
import { claimCast, currentOwner, type ClaimOutcome } from "../../src/shell/store/files/claims.ts";
import type { CastSummary } from "../../src/core/cast/summary.ts";

export interface ReadJournal {
  readonly events: readonly CastEvent[];
  readonly state: CastState;
  readonly soundBytes: number;
  readonly tornBytes: number;
}

const versions = (format: 1 | 2) => ({ format, materia: "test", node: "test" });

/** A journal by itself; of the first format, which tests can write by hand, unless another is given. */
export function readJournal(file: string, start: CastStart, format: 1 | 2 = 1): Result<ReadJournal> {
  const read = foldJournal(
    file,
    { castId: start.castId, versions: versions(format), graph: start.graph },
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

interface Writing {
  readonly durability: Durability;
  readonly redact: (text: string) => string;
  readonly castId?: string;
  readonly format?: 1 | 2;
  readonly epoch?: number;
}

/** A journal that is written by itself, behind whatever was appended through it. */
export function openJournal(
  file: string,
  { durability, redact, format = 1, epoch = 1, castId = "cast-1" }: Writing,
): TestJournal {
  const head = createChainFor({ castId: castId as CastStart["castId"], versions: versions(format) }).head(); // of an id's form
  let after: number | undefined;
  let writer: ReturnType<typeof openJournalWriter> | undefined;
  return {
    append: async (events) => {
      after ??= (events[0]?.seq ?? 1) - 1;
      writer ??= openJournalWriter({
        folder: join(file, ".."),
        file,
        format,
        epoch,
        head: { ...head, seq: after },
        durability,
        redact,
      });
      const problem = writer.append(events, after);
      if (problem === undefined) after += events.length;
      return problem;
    },
    close: () => writer?.close(),
  };
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
