import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { parseCastId, type CastId } from "../../core/model/ids.ts";
import { wholeNumber } from "../../core/model/schemas.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore } from "../store/cast-store.ts";
import { namesIn } from "../system/folders.ts";
import { ignoreLocalErrors, readStoredJson } from "../system/files.ts";

/** The end of a process waits this long for a receiver. */
export const GRACE_MS = 1_500;

/** [TM5, YN4] Gets what the journal of a cast says, while it runs or later. Nothing in the cast waits for it. */
export interface JournalReceiver {
  /** A folder of the user with a small note for each cast that has something left to send. */
  readonly pending: string;
  readonly open: (cast: JournalSource) => EventSender;
  /** Sends what an earlier process could not; false if that failed again. */
  readonly resend: (store: CastStore, castId: CastId, signal: AbortSignal) => Promise<boolean>;
}

export interface JournalSource {
  readonly store: CastStore;
  readonly file: CastFile;
  /** Number of the last event when this process took the cast. */
  readonly lastSeq: number;
  readonly note: ReturnType<typeof cursorNote>;
  readonly signal: AbortSignal;
}

export interface EventSender {
  readonly cursor: number;
  readonly push: (event: CastEvent) => Promise<void>;
  readonly flush: () => Promise<void>;
}

export function followJournal(receiver: JournalReceiver, cast: Pick<JournalSource, "store" | "file" | "lastSeq">) {
  const { store, file } = cast;
  const abort = new AbortController();
  const { signal } = abort;
  const sender = receiver.open({ ...cast, note: cursorNote(receiver.pending, file.castId, store.location), signal });
  let working: Promise<void> | undefined;
  let isAwake = false;
  let hasResent = false;
  const drain = async (): Promise<void> => {
    if (file.window === undefined && !hasResent) await resendPending(receiver, store, signal);
    hasResent = true;
    while (isAwake) {
      isAwake = false;
      for (let update = await events.next(); update.kind === "events"; update = await events.next())
        for (const event of update.events) await sender.push(event);
      await sender.flush();
    }
  };
  const wake = (): void => {
    isAwake = true;
    working ??= drain()
      .catch(() => undefined)
      .finally(() => (working = undefined));
  };
  const events = store.followEvents(file.castId, sender.cursor, wake);
  wake();
  return {
    close: async (): Promise<void> => {
      const grace = setTimeout(() => abort.abort(), GRACE_MS);
      wake();
      await working;
      clearTimeout(grace);
      events.close();
    },
  };
}

/** How far the events of a cast were sent, and the store of the cast. */
const PendingNote = v.object({ location: v.string(), sent: wholeNumber(0) });
const MAX_NOTE_BYTES = 65_536;

export function cursorNote(pending: string, castId: CastId, location: string) {
  const note = join(pending, `${castId}.json`);
  return {
    read: () => readStoredJson(PendingNote, note, MAX_NOTE_BYTES)?.sent,
    write: (sent: number) => writeUserNote(note, { location, sent }),
    remove: () => ignoreLocalErrors(() => rmSync(note, { force: true })),
  };
}

export function writeUserNote(note: string, value: object): void {
  ignoreLocalErrors(() => {
    mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
    writeFileSync(note, JSON.stringify(value), { mode: 0o600 });
  });
}

const MAX_PENDING = 50;

/** Casts of this store that an earlier process could not send, and that nobody drives now. */
async function resendPending(receiver: JournalReceiver, store: CastStore, signal: AbortSignal): Promise<void> {
  const { pending } = receiver;
  for (const name of namesIn(pending).slice(0, MAX_PENDING)) {
    const castId = parseCastId(name.replace(/\.json$/, ""));
    if (castId === undefined) continue;
    if (readStoredJson(PendingNote, join(pending, name), MAX_NOTE_BYTES)?.location !== store.location) continue;
    if (signal.aborted || (await store.owner(castId)) !== undefined) continue;
    if (!(await receiver.resend(store, castId, signal))) return;
  }
}
