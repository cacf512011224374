import { castSpan, createVisitSplitter } from "../../core/telemetry/cast-spans.ts";
import type { TraceSpan } from "../../core/telemetry/span.ts";
import { appendAll } from "../../core/model/lists.ts";
import type { Telemetry } from "../context/run-context.ts";
import { cursorNote, type EventSender, type JournalSource, type JournalReceiver } from "./follow-journal.ts";
import { sendSpans } from "./send-spans.ts";
import { readCastSpans, readVisitSpans, spanOptions } from "./trace-cast.ts";

/** More unsent spans are read from the journal again later. */
const MAX_HELD_SPANS = 4_096;

/** [TM5] The collector of a user. */
export function spanReceiver(telemetry: Telemetry): JournalReceiver {
  const { pending, collector, version, contents } = telemetry;
  return {
    pending,
    open: (cast) => createSpanSender(telemetry, cast),
    resend: async (store, castId, signal) => {
      const spans = await readCastSpans(store, castId, spanOptions(contents));
      // A cast that was removed has nothing left to send.
      const answer = spans.ok ? await sendSpans(collector, spans.value, { version, retries: 0, signal }) : undefined;
      if (answer && !answer.ok) return false;
      cursorNote(pending, castId, store.location).remove();
      return true;
    },
  };
}

/** Holds spans until the collector has taken them, and notes how far it has. */
function createSpanSender(
  { collector, version, contents }: Telemetry,
  { store, file, note, signal }: JournalSource,
): EventSender {
  const options = spanOptions(contents);
  const splitter = createVisitSplitter();
  const cursor = note.read() ?? 0;
  let spans: TraceSpan[] = [];
  let reached = cursor;
  /** Set when spans were not held: a later process reads them from the journal. */
  let isCursorFrozen = false;
  let isEnded = false;
  note.write(cursor);
  return {
    cursor,
    push: async (event) => {
      const visit = splitter.push(event);
      if (visit && spans.length >= MAX_HELD_SPANS) isCursorFrozen = true;
      else if (visit) appendAll(spans, await readVisitSpans(store, file, visit, options));
      if (visit) reached = visit.visit.firstSeq - 1;
      if (event.type !== "cast_ended") return;
      isEnded = true;
      const { first } = await store.readEnds(file.castId, () => true);
      spans.push(castSpan(file, { first, last: event }, options));
    },
    flush: async () => {
      if (spans.length === 0) return;
      const held = spans;
      const sent = reached;
      const answer = await sendSpans(collector, held, { version, retries: 0, signal });
      if (!answer.ok) return;
      spans = spans.slice(held.length);
      if (isCursorFrozen) return;
      if (isEnded) note.remove();
      else note.write(sent);
    },
  };
}
