import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { FolderWatcher } from "../../system/folder-watcher.ts";
import { isInside } from "../../system/folders.ts";
import type { EventUpdate, Subscription, TranscriptUpdate, VisitRef } from "../cast-store.ts";
import { createJournalChain, type JournalChain } from "./journal-chain.ts";
import { TRANSCRIPT_FILE, type CastLayout } from "../layout.ts";
import { createLineReader } from "./line-reader.ts";
import { parseEventJson } from "./read-journal.ts";

/** [N11, N12] Events after a sequence number, then each new one. */
export function followEvents(
  layout: CastLayout,
  castId: CastId,
  { after, wake, watch }: { readonly after: number; readonly wake: () => void; readonly watch: FolderWatcher },
): Subscription<EventUpdate> {
  const chain = createJournalChain(castId);
  const reader = createLineReader(layout.journal);
  const stop = watch.onChange(layout.folder, wake);
  let line = 0;
  const take = (lines: readonly Buffer[]): EventUpdate => {
    const events: CastEvent[] = [];
    for (const each of lines) {
      line += 1;
      const read = readLine(chain, each, after);
      if (read === "again") return { kind: "lost" };
      if (read === "damaged") return { kind: "damaged", events, line };
      if (read !== "passed") events.push(read);
    }
    return { kind: "events", events };
  };
  return {
    next: async () => {
      for (;;) {
        const reading = reader.read();
        if (reading.kind === "lost") return reading;
        // A reader that is ahead of the journal has read another one.
        if (reading.kind === "nothing") return { kind: chain.head().seq < after ? "lost" : "nothing" };
        const news = take(reading.lines);
        if (news.kind !== "events" || news.events.length > 0) return news;
      }
    },
    close: stop,
  };
}

function readLine(chain: JournalChain, bytes: Buffer, after: number): CastEvent | "passed" | "again" | "damaged" {
  const check = chain.verify(bytes, 0, bytes.length);
  if (check.kind === "stale") return "passed";
  if (check.kind === "superseding") return "again";
  if (check.kind === "damaged") return "damaged";
  const { seq } = chain.head();
  if (seq <= after) return "passed";
  const event = parseEventJson(bytes.toString("utf8", 0, check.until));
  return typeof event === "string" || event.seq !== seq ? "damaged" : event;
}

/** The messages of a visit's transcript. An agent may have replaced it with a link. */
export function followTranscript(
  layout: CastLayout,
  { socket, visit }: VisitRef,
  { wake, watch }: { readonly wake: () => void; readonly watch: FolderWatcher },
): Subscription<TranscriptUpdate> {
  const file = layout.visitFile(socket, visit, TRANSCRIPT_FILE);
  const stop = watch.onChange(layout.visitFolder(socket, visit), wake);
  let reader = createLineReader(file);
  return {
    next: async () => {
      if (!isInside(layout.folder, file)) return { kind: "nothing" };
      const reading = reader.read();
      if (reading.kind === "nothing") return reading;
      if (reading.kind === "lines") return { kind: "lines", lines: reading.lines.map((line) => line.toString("utf8")) };
      reader = createLineReader(file);
      return { kind: "restarted" };
    },
    close: stop,
  };
}
