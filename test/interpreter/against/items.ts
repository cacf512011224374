import {
  itemResultOf,
  itemEndedEvent,
  itemMergeEvent,
  type MergeOutcome,
} from "../../../src/core/cast/decide-items.ts";
import { startedEvent } from "../../../src/core/cast/next.ts";
import { itemCastStart, type ParallelEffect, type RunningItem } from "../../../src/core/cast/item-runs.ts";
import type { CastStart, CastState } from "../../../src/core/cast/state/state.ts";
import { NO_USAGE, totalTokens } from "../../../src/core/cast/state/usage.ts";
import { isItemFinished, itemResumeEvents } from "../../../src/shell/items/item-runner.ts";
import type { World } from "../cast.ts";
import type { Graph } from "../texts.ts";
import { openJournal, type Entry, type Journal } from "./journal.ts";

interface Parent {
  readonly starts: Map<string, CastStart>;
  readonly log: Entry[];
  readonly graph: Graph;
  readonly world: World;
  readonly journal: Journal;
}

/** The cast of an item, as far as it concerns the budget that it shares. */
export interface ItemsPlace {
  readonly parent: CastState;
  readonly work: RunningItem;
}

/** The world of a parallel loop, with items in the order in which the world is quick. */
export function performItems(
  { log, graph, world, journal, starts }: Parent,
  effect: ParallelEffect,
  drive: (child: Journal, place: ItemsPlace) => void,
): void {
  const state = journal.state();
  if (effect.kind === "fork") {
    const { id, parallel = 1 } = effect.loop;
    const base = world.together(state.forks + 1) ? "base" : null;
    return journal.note({ type: "loop_forked", loop: id, lanes: parallel, base });
  }
  const { fork } = effect;
  if (effect.kind === "join") return journal.note({ type: "loop_joined", loop: fork.loop, commit: fork.tip });
  const works = effect.running.map((work) => ({ pace: world.pace(nameOf("work", fork.number, work)), work }));
  const [quickest] = works.toSorted((a, b) => a.pace - b.pace);
  const { merge } = effect;
  if (merge && (!quickest || world.pace(nameOf("merge", fork.number, merge)) < quickest.pace)) {
    const reason = world.conflict(`${fork.number} ${merge.index} ${merge.attempt}`);
    const outcome: MergeOutcome =
      reason === undefined
        ? { kind: "merged", commit: `${fork.tip} ${merge.index}` }
        : { kind: "conflicted", onto: fork.tip, tree: "tree", files: ["a"], reason };
    return journal.note(itemMergeEvent(state, fork, merge, outcome));
  }
  if (!quickest) throw new Error("nothing is under way");
  const { work } = quickest;
  const start = itemCastStart(state, fork, work);
  // As it is read from its file: nothing in it is the very thing that its parent has.
  const { data, window } = JSON.parse(JSON.stringify(start)) as Required<Pick<CastStart, "data" | "window">>;
  // It keeps what it began with; what a person allows later is a separate event.
  const begun = starts.get(start.castId) ?? { ...start, data, window };
  starts.set(start.castId, begun);
  const child = openJournal(log, begun, graph);
  // [V51] After a conflict files matter: whether a visit has settled nothing but conflicts.
  if ((world.keepsFiles || window.merging) && child.events().length === 0)
    child.note(startedEvent(child.state(), { commit: "marked" }));
  const known = { state: child.state(), events: child.events() };
  if (!isItemFinished(known, { resume: work.resume })) {
    if (known.state.phase.kind === "ended")
      for (const body of itemResumeEvents(known.state, { start, resume: work.resume })) child.note(body);
    drive(child, { parent: state, work });
  }
  journal.note(itemEndedEvent(state, fork, work, itemResultOf(child.state(), { commit: child.castId })));
}

function nameOf(what: string, fork: number, { index, attempt }: { index: number; attempt: number }): string {
  return `${what} ${fork} ${index} ${attempt}`;
}

/** [V13] Every item knows at once what the others have used, where that is all there is. */
export function spendElsewhere(journal: Journal, { parent, work }: ItemsPlace): void {
  const { usage, item, phase, budget } = journal.state();
  if (!item || budget.maxTokens === undefined || (phase.kind !== "arriving" && phase.kind !== "visiting")) return;
  const counted = totalTokens(work.before?.usage ?? NO_USAGE);
  const all = totalTokens(parent.usage) - counted + totalTokens(usage);
  const known = totalTokens(usage) + totalTokens(item.elsewhere);
  if (all < budget.maxTokens || known >= all) return;
  journal.note({ type: "spent_elsewhere", usage: { ...NO_USAGE, input: all - known } });
}
