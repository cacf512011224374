import type { CastEvent } from "../../../core/cast/state/event.ts";

/** What of the work of items is in packs already, as far as what comes next may build on it. */
export interface PackedCommits {
  readonly has: (commit: string) => boolean;
  readonly all: () => readonly string[];
  readonly add: (events: readonly CastEvent[]) => void;
}

/** Where the first of a long list takes longer than all others these wait to be merged; what is left out is sent once more. */
const MAX_UNMERGED = 64;

/**
 * Every pack leaves out what the packs before it hold. What is merged holds all that was merged before it: with that, and what
 * is not merged yet, as little is named behind the thousandth item as behind the first.
 */
export function createPackedCommits(): PackedCommits {
  let tip: string | undefined;
  const unmerged = new Map<number, readonly string[]>();
  const keep = (index: number, commit: string | null): void => {
    if (commit !== null) unmerged.set(index, [...(unmerged.get(index) ?? []), commit]);
    const [oldest] = unmerged.keys();
    if (unmerged.size > MAX_UNMERGED && oldest !== undefined) unmerged.delete(oldest);
  };
  const hear = (event: CastEvent): void => {
    if (event.type === "loop_forked") {
      tip = event.base ?? undefined;
      unmerged.clear();
    }
    if (event.type === "item_ended") keep(event.index, event.commit);
    if (event.type === "item_conflicted") keep(event.index, event.tree);
    if (event.type === "item_merged") tip = event.commit;
    if (event.type === "item_merged" || event.type === "item_given_up") unmerged.delete(event.index);
  };
  const all = (): readonly string[] => [...(tip === undefined ? [] : [tip]), ...[...unmerged.values()].flat()];
  return {
    has: (commit) => all().includes(commit),
    all,
    add: (events) => {
      for (const event of events) hear(event);
    },
  };
}

/** [B12] What items begin from, what they did and what it was merged to: whoever goes on with the cast needs all of it. */
export function itemCommits(events: readonly CastEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "loop_forked") return event.base ?? [];
    if (event.type === "item_ended") return event.commit ?? [];
    if (event.type === "item_merged") return event.commit;
    return event.type === "item_conflicted" ? event.tree : [];
  });
}
