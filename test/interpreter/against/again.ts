import { forkCast } from "../../../src/core/replay/fork.ts";
import { findDifferences, type RecordedCast } from "../../../src/core/replay/differences.ts";
import { findItemDifferences, replayCast } from "../../../src/core/replay/replay.ts";
import { foldVisits, visitKey } from "../../../src/core/history/visits.ts";
import type { CastEvent, EventBody } from "../../../src/core/cast/state/event.ts";
import type { CastStart } from "../../../src/core/cast/state/state.ts";
import { chanceOf } from "../random/chance.ts";
import type { Graph } from "../texts.ts";
import type { Ran } from "./engine.ts";
import { openJournal, type Entry } from "./journal.ts";

/** A cast with those of its items, as they are stored. */
function recordedOf({ log, events, starts }: Ran, start: CastStart): RecordedCast {
  const items = [...starts].map(([castId, own]) => ({
    start: own,
    events: log.flatMap(({ cast, event }) => (cast === castId && event ? [event] : [])),
  }));
  return { start, events, items: items.filter((item) => events.some((event) => isStartOf(event, item.start.castId))) };
}

function isStartOf(event: CastEvent, castId: string): boolean {
  return event.type === "item_started" && event.child === castId;
}

/** [T14] What a recorded cast gives again, as lines: its own journal on an unchanged configuration. */
export function replayedEvents(ran: Ran, start: CastStart): { ours: readonly string[]; theirs: readonly string[] } {
  const { events } = ran;
  const recorded = recordedOf(ran, start);
  const comparison = replayCast(recorded, start);
  const found = [...findDifferences(recorded, comparison), ...findItemDifferences(recorded, start)];
  const told = found.map(({ visit, kind, message }) => `${visit} ${kind} ${message}`);
  // A waiting cast that goes on: nothing comes of it but the answer.
  const bodies = (list: Ran["events"]): readonly string[] =>
    list.flatMap((event, index) =>
      event.type === "cast_resumed" && list[index - 1]?.type === "cast_waiting" ? [] : [JSON.stringify(bodyOf(event))],
    );
  return { ours: bodies(events), theirs: [...bodies(comparison.after.events), ...told] };
}

/** [T20] The log of a fork at a visit by chance: the events that it shares, with the items that were joined in them. */
export function forkedLog(ran: Ran, start: CastStart, place: ForkPlace): Ran["log"] | string {
  const { log, events } = ran;
  const { graph, now = start } = place;
  const [first = "", ...others] = foldVisits(events).map(({ socket, visit }) => visitKey(socket, visit));
  const visit = place.now ? undefined : chanceOf("fork", place.seed).pick(first, ...others);
  const fork = forkCast(recordedOf(ran, start), { now, visit });
  if (!fork.ok)
    return fork.issues.some(({ code }) => code === "unchanged_fork")
      ? []
      : `${visit}: ${fork.issues.map(({ message }) => message).join("; ")}`;
  const shared = fork.value.events;
  const items = new Set(shared.flatMap((event) => (event.type === "item_started" ? [event.child as string] : [])));
  const again: Entry[] = [];
  const journal = openJournal(again, now, graph);
  let at = 0;
  for (const entry of log) {
    const next = shared[at];
    if (items.has(entry.cast)) again.push(entry);
    else if (entry.cast === start.castId && next && entry.event?.type === next.type) {
      journal.note(bodyOf(next));
      at += 1;
    }
  }
  return again;
}

function bodyOf({ seq: _seq, at: _at, ...body }: CastEvent): EventBody {
  return body;
}

interface ForkPlace {
  readonly graph: Graph;
  readonly seed: number;
  /** [T20] Of an edited configuration: the fork begins where it would go differently. */
  readonly now?: CastStart;
}
