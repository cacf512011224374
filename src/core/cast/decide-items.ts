import type { CastId } from "../model/ids.ts";
import { socketsOf } from "../compile/graph.ts";
import { withoutUndefined } from "../model/json.ts";
import type { EventBody, EventOf } from "./state/event.ts";
import type { ParallelRun } from "./state/parallel-run.ts";
import type { CastState } from "./state/state.ts";
import { countOf } from "./state/persistent-map.ts";
import { totalsOf } from "./state/usage.ts";
import { applyItemConflict, applyItemEnded, applyItemMerged } from "./apply-items.ts";
import { itemTraversals, type EndedItem } from "./item-runs.ts";

export type ItemResult = Omit<EventOf<"item_ended">, "type" | "loop" | "index" | "child" | "totals">;

export type MergeOutcome =
  | { readonly kind: "merged"; readonly commit: string }
  | ({ readonly kind: "conflicted" } & Pick<EventOf<"item_conflicted">, "onto" | "tree" | "files" | "reason">);

export type ItemCommit = Pick<ItemResult, "commit" | "files">;

export function itemResultOf(state: CastState, { commit, files }: ItemCommit = { commit: null }): ItemResult {
  const { phase, item, satisfied, handed, givenUp, usage, visits, graph, reports } = state;
  if (phase.kind !== "ended" || !item) throw new Error("only the cast of an item that has ended tells its end");
  const [given] = givenUp.first;
  const { reached: limit } = phase;
  const { notes: notesBefore } = item.window;
  const isNew = ([path, note]: [string, unknown]) => JSON.stringify(notesBefore[path]) !== JSON.stringify(note);
  const made = Object.entries(state.notes).filter(isNew);
  const counted = socketsOf(graph).map(({ id }): [string, number] => [id, countOf(visits, id)]);
  return {
    outcome: phase.outcome,
    reason: phase.reason,
    commit,
    ...withoutUndefined({ files }),
    advanced: item.advanced,
    ...withoutUndefined({ gaveUp: given?.reason, satisfied }),
    handed,
    ...(made.length === 0 ? {} : { notes: Object.fromEntries(made) }),
    ...(reports.open.length === 0 ? {} : { open: [...reports.open] }),
    wrote: item.wrote.map(([path, value]) => [[...path], value]),
    ...(item.newLists && { newLists: [...item.newLists] }),
    visits: Object.fromEntries(counted.filter(([, count]) => count > 0)),
    ...itemTraversals(state, item.window.loop, item.window.index),
    usage,
    ...(limit && { limit: { limit: limit.limit, value: limit.value, where: limit.where } }),
  };
}

export function itemEndedEvent(
  state: CastState,
  fork: ParallelRun,
  at: { index: number; child: CastId },
  end: ItemResult,
): EventBody {
  const { index, child } = at;
  const event = { type: "item_ended", loop: fork.loop, index, child, ...end, totals: totalsOf(state) } as const;
  return { ...event, totals: totalsOf(applyItemEnded(state, event)) };
}

/** [V7, V9] The event for the outcome of a merge. */
export function itemMergeEvent(
  state: CastState,
  fork: ParallelRun,
  { index, conflict, end }: EndedItem,
  outcome: MergeOutcome,
): EventBody {
  const at = { loop: fork.loop, index };
  if (outcome.kind === "conflicted") {
    const { onto, tree, files, reason } = outcome;
    const round = (conflict?.round ?? 0) + 1;
    const accepted = end.advanced !== null && end.gaveUp === undefined;
    const event = { type: "item_conflicted", ...at, round, onto, tree, files, reason, accepted } as const;
    return { ...event, totals: totalsOf(applyItemConflict(state, event)) };
  }
  const event = { type: "item_merged", ...at, commit: outcome.commit, totals: totalsOf(state) } as const;
  return { ...event, totals: totalsOf(applyItemMerged(state, event)) };
}
