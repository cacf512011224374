import { forkCast } from "../../../src/core/replay/fork.ts";
import { findDifferences } from "../../../src/core/replay/differences.ts";
import { replayCast } from "../../../src/core/replay/replay.ts";
import { foldVisits, visitKey } from "../../../src/core/history/visits.ts";
import type { CastEvent, EventBody } from "../../../src/core/cast/state/event.ts";
import type { CastStart } from "../../../src/core/cast/state/state.ts";
import { chanceOf } from "../random/chance.ts";
import type { Graph } from "../texts.ts";
import type { Ran } from "./engine.ts";
import { openJournal, type Entry } from "./journal.ts";

/** [T14] What a recorded cast gives again, as lines: its own journal on an unchanged configuration. */
export function replayedEvents(
  { events }: Ran,
  start: CastStart,
): { ours: readonly string[]; theirs: readonly string[] } {
  const recorded = { start, events };
  const comparison = replayCast(recorded, start);
  const told = findDifferences(recorded, comparison).map(({ visit, kind, message }) => `${visit} ${kind} ${message}`);
  // A waiting cast that goes on: nothing comes of it but the answer.
  const bodies = (list: Ran["events"]): readonly string[] =>
    list.flatMap((event, index) =>
      event.type === "cast_resumed" && list[index - 1]?.type === "cast_waiting" ? [] : [JSON.stringify(bodyOf(event))],
    );
  return { ours: bodies(events), theirs: [...bodies(comparison.after.events), ...told] };
}

/** [T20] The log of a fork at a visit by chance: the events that it shares, with the items that were joined in them. */
export function forkedLog({ log, events }: Ran, start: CastStart, { graph, seed }: ForkPlace): Ran["log"] | string {
  const [first = "", ...others] = foldVisits(events).map(({ socket, visit }) => visitKey(socket, visit));
  const visit = chanceOf("fork", seed).pick(first, ...others);
  const fork = forkCast({ start, events }, { now: start, visit });
  if (!fork.ok) return `${visit}: ${fork.issues.map(({ message }) => message).join("; ")}`;
  const shared = fork.value.events;
  const items = new Set(shared.flatMap((event) => (event.type === "item_started" ? [event.child as string] : [])));
  const again: Entry[] = [];
  const journal = openJournal(again, start, graph);
  for (const entry of log) {
    const next = shared[journal.events().length];
    if (entry.cast === start.castId && entry.event?.type === next?.type && next) journal.note(bodyOf(next));
    else if (items.has(entry.cast)) again.push(entry);
  }
  return again;
}

function bodyOf({ seq: _seq, at: _at, ...body }: CastEvent): EventBody {
  return body;
}

interface ForkPlace {
  readonly graph: Graph;
  readonly seed: number;
}
