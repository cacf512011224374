import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { castSpan, createVisitSplitter } from "../../core/telemetry/cast-spans.ts";
import type { TraceSpan } from "../../core/telemetry/span.ts";
import { appendAll } from "../../core/model/lists.ts";
import { parseCastId } from "../../core/model/ids.ts";
import { wholeNumber } from "../../core/model/schemas.ts";
import type { CastFile } from "../store/cast-file.ts";
import type { CastStore } from "../store/cast-store.ts";
import { namesIn } from "../system/folders.ts";
import { ignoreLocalErrors, readStoredJson } from "../system/files.ts";
import type { Telemetry } from "../context/run-context.ts";
import { sendSpans } from "./send-spans.ts";
import { readCastSpans, readVisitSpans, spanOptions } from "./trace-cast.ts";

/** The end of a process waits this long for the collector. */
const GRACE_MS = 1_500;
/** More unsent spans are read from the journal again later. */
const MAX_HELD_SPANS = 4_096;

/** [TM5] Sends the spans of a cast while it runs, from its journal. Nothing in the cast waits for it. */
export function followTelemetry(telemetry: Telemetry, store: CastStore, file: CastFile) {
  const { castId } = file;
  const abort = new AbortController();
  const sender = createSpanSender(telemetry, store, file, abort.signal);
  let working: Promise<void> | undefined;
  let isAwake = false;
  let hasResent = false;
  const drain = async (): Promise<void> => {
    if (file.window === undefined && !hasResent) await resendPending(telemetry, store, abort.signal);
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
  const events = store.followEvents(castId, sender.cursor, wake);
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

/** Holds spans until the collector has taken them, and notes how far it has. */
function createSpanSender(
  { collector, version, contents, pending }: Telemetry,
  store: CastStore,
  file: CastFile,
  signal: AbortSignal,
) {
  const { castId } = file;
  const note = join(pending, `${castId}.json`);
  const options = spanOptions(contents);
  const splitter = createVisitSplitter();
  const cursor = readStoredJson(PendingNote, note, MAX_NOTE_BYTES)?.sent ?? 0;
  let spans: TraceSpan[] = [];
  let reached = cursor;
  /** Set when spans were not held: a later process reads them from the journal. */
  let isCursorFrozen = false;
  let isEnded = false;
  writeNote(note, { location: store.location, sent: cursor });
  return {
    /** Every visit before this event has been sent. */
    cursor,
    push: async (event: CastEvent): Promise<void> => {
      const visit = splitter.push(event);
      if (visit && spans.length >= MAX_HELD_SPANS) isCursorFrozen = true;
      else if (visit) appendAll(spans, await readVisitSpans(store, file, visit, options));
      if (visit) reached = visit.visit.firstSeq - 1;
      if (event.type !== "cast_ended") return;
      isEnded = true;
      const { first } = await store.readEnds(castId, () => true);
      spans.push(castSpan(file, { first, last: event }, options));
    },
    flush: async (): Promise<void> => {
      if (spans.length === 0) return;
      const held = spans;
      const sent = reached;
      const answer = await sendSpans(collector, held, { version, retries: 0, signal });
      if (!answer.ok) return;
      spans = spans.slice(held.length);
      if (isCursorFrozen) return;
      if (isEnded) ignoreLocalErrors(() => rmSync(note, { force: true }));
      else writeNote(note, { location: store.location, sent });
    },
  };
}

/** How far the spans of a cast were sent, and the store of the cast. */
const PendingNote = v.object({ location: v.string(), sent: wholeNumber(0) });
type PendingNote = v.InferOutput<typeof PendingNote>;
const MAX_NOTE_BYTES = 65_536;

function writeNote(note: string, value: PendingNote): void {
  ignoreLocalErrors(() => {
    mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
    writeFileSync(note, JSON.stringify(value), { mode: 0o600 });
  });
}

const MAX_PENDING = 50;

/** [TM5] Sends casts of this store again that an earlier process could not send, and that nobody drives now. */
async function resendPending(telemetry: Telemetry, store: CastStore, signal: AbortSignal): Promise<void> {
  const { pending, collector, version, contents } = telemetry;
  for (const name of namesIn(pending).slice(0, MAX_PENDING)) {
    const castId = parseCastId(name.replace(/\.json$/, ""));
    const note = join(pending, name);
    if (castId === undefined || readStoredJson(PendingNote, note, MAX_NOTE_BYTES)?.location !== store.location)
      continue;
    if (signal.aborted || (await store.owner(castId)) !== undefined) continue;
    const spans = await readCastSpans(store, castId, spanOptions(contents));
    // A cast that was removed has nothing left to send.
    const answer = spans.ok ? await sendSpans(collector, spans.value, { version, retries: 0, signal }) : undefined;
    if (answer && !answer.ok) return;
    ignoreLocalErrors(() => rmSync(note, { force: true }));
  }
}
