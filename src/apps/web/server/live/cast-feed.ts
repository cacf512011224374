import { join } from "node:path";
import { parseEvent } from "../../../../core/cast/event.ts";
import type { CastEvent, EventOf } from "../../../../core/cast/event.ts";
import type { Graph } from "../../../../core/compile/graph.ts";
import { journalFile, readCastFile } from "../../../../shell/store/cast-store.ts";
import type { CastFolder } from "../../../../shell/store/cast-store.ts";
import { currentOwner } from "../../../../shell/store/ownership.ts";
import type { Feed } from "../http/stream.ts";
import { journalReader } from "./journal-reader.ts";
import type { Live } from "./live.ts";
import { noteQueue } from "./progress.ts";
import { say, sayLine } from "./say.ts";
import { transcriptNotes } from "./transcript.ts";
import type { TranscriptNotes } from "./transcript.ts";

/** [N11, N12, N13] The events of a cast behind `after`, then each new one, with what its agents do meanwhile. */
export function castFeed(folder: CastFolder, after: number, live: Live, wake: () => void): Feed {
  const { castId, runDir } = folder;
  const journal = journalReader(journalFile(runDir), after);
  const notes = noteQueue();
  const elsewhere = transcriptFollower(folder, live, wake);
  const pulse = alivePulse(folder, live, wake);
  const stops = [
    live.watch.on(runDir, wake),
    live.runs.listen(castId, (note) => {
      notes.push(note);
      wake();
    }),
  ];
  let isOver = false;
  // Only a journal of an earlier format asks for the graph, and then for every line.
  let graph: Graph | null | undefined;
  const graphOf = (): Graph | null => {
    if (graph !== undefined) return graph;
    const file = readCastFile(runDir);
    return (graph = file.ok ? file.value.graph : null);
  };
  const events = (): string | undefined => {
    const reading = journal.read();
    if (reading.kind === "nothing") return undefined;
    if (reading.kind === "lost") {
      isOver = true;
      return say({ kind: "reset", data: {} });
    }
    const frames = reading.lines.map((line, index) => eventFrame(line, reading.first + index, graphOf));
    const damaged = frames.findIndex((each) => each.event === undefined);
    if (damaged !== -1) isOver = true;
    for (const { event } of frames) if (event) elsewhere.hear(event);
    return frames
      .slice(0, damaged === -1 ? undefined : damaged + 1)
      .map((each) => each.text)
      .join("");
  };
  return {
    next: () => {
      if (isOver) return undefined;
      const news = events() ?? pulse.next();
      if (news !== undefined) return news;
      const note = notes.take() ?? elsewhere.next();
      return note && say({ kind: "progress", data: note });
    },
    isOver: () => isOver,
    close: () => {
      for (const stop of [...stops, elsewhere.close, pulse.close]) stop();
    },
  };
}

function eventFrame(
  line: string,
  seq: number,
  graphOf: () => Graph | null,
): { readonly text: string; readonly event?: CastEvent } {
  const read = eventOf(line, graphOf);
  if (read?.event.seq === seq) return { text: sayLine(seq, read.text), event: read.event };
  return { text: say({ kind: "damaged", data: { line: seq } }) };
}

/** The event and how it is told: as it was written, unless an earlier format wrote it. */
function eventOf(line: string, graphOf: () => Graph | null) {
  try {
    const written: unknown = JSON.parse(line);
    const event = parseEvent(written, graphOf);
    if (typeof event === "string") return undefined;
    return { event, text: event === written ? line : JSON.stringify(event) };
  } catch {
    return undefined;
  }
}

/** Whether somebody drives the cast. A killed process leaves no mark: only looking tells, and only while one is said to live. */
function alivePulse({ castId, runDir }: CastFolder, live: Live, wake: () => void) {
  let said: boolean | undefined;
  let stop: (() => void) | undefined;
  let isOld = true;
  const look = (): void => {
    isOld = true;
    wake();
  };
  const unwatch = live.watch.on(join(runDir, "owner"), look);
  return {
    next: (): string | undefined => {
      if (!isOld) return undefined;
      isOld = false;
      const alive = currentOwner(runDir) !== undefined;
      if (alive && !live.runs.isHere(castId)) stop ??= live.everySecond(look);
      else {
        stop?.();
        stop = undefined;
      }
      if (alive === said) return undefined;
      said = alive;
      return say({ kind: "live", data: { live: alive } });
    },
    close: () => {
      unwatch();
      stop?.();
    },
  };
}

/** Where another process drives the cast, its agents are heard through the transcript of the visit in hand. */
function transcriptFollower({ castId, runDir }: CastFolder, live: Live, wake: () => void) {
  let visit: EventOf<"visit_started"> | undefined;
  let open: { readonly notes: TranscriptNotes; readonly unwatch: () => void } | undefined;
  const leave = (): void => {
    open?.unwatch();
    open = undefined;
    visit = undefined;
  };
  return {
    hear: (event: CastEvent): void => {
      if (event.type === "visit_completed" || event.type === "cast_ended") leave();
      if (event.type !== "visit_started") return;
      leave();
      if (!live.runs.isHere(castId)) visit = event;
    },
    next: () => {
      if (!visit) return undefined;
      if (!open) {
        // Not before it is asked for: of all the visits of a long journal only the last is worth a watch.
        const notes = transcriptNotes(runDir, visit.socket, visit.visit);
        open = { notes, unwatch: live.watch.on(notes.folder, wake) };
      }
      return open.notes.next();
    },
    close: leave,
  };
}
