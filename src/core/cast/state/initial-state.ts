import type { WorkItem } from "../../model/handoff.ts";
import { valueAt } from "../../model/json.ts";
import { NO_ITEM_COUNTS } from "./item-counts.ts";
import type { ItemCastInput } from "./parallel-run.ts";
import { initialConversations } from "./conversations.ts";
import { initialReworkReasons } from "./rework-reasons.ts";
import { EMPTY_MAP } from "./persistent-map.ts";
import { NO_USAGE } from "./usage.ts";
import type { CastStart, CastState } from "./state.ts";

export function initialState({ window, ...start }: CastStart): CastState {
  return {
    ...start,
    rehearsed: start.rehearsed === true,
    seq: 0,
    phase: { kind: "unstarted" },
    pass: null,
    lastPass: null,
    handed: window ? initialHandoff(start, window) : null,
    notes: window?.notes ?? {},
    satisfied: undefined,
    visits: EMPTY_MAP,
    turns: EMPTY_MAP,
    itemTurns: NO_ITEM_COUNTS,
    walked: [],
    lastVisits: EMPTY_MAP,
    begun: 0,
    counts: { taken: EMPTY_MAP, allowed: EMPTY_MAP, returns: EMPTY_MAP, unchanged: EMPTY_MAP, passedBy: {} },
    walks: EMPTY_MAP,
    reports: { answers: EMPTY_MAP, open: window?.previous?.open ?? [] },
    conversations: window ? initialConversations(start, window) : EMPTY_MAP,
    sentBack: window?.previous ? { [window.loop]: 0 } : {},
    rework: window ? initialReworkReasons(window) : EMPTY_MAP,
    givenUp: { count: 0, first: [] },
    usage: NO_USAGE,
    done: { visits: 0, itemsDone: 0, items: 0 },
    warned: false,
    files: null,
    largest: NO_USAGE,
    forks: 0,
    providers: { refused: {}, sleptMs: 0, sleeps: 0, answered: {} },
    item: window ? { window, wrote: [], advanced: null, elsewhere: NO_USAGE, isResolved: false, skipped: [] } : null,
  };
}

/** Replaces an equal list by the one in state: a prompt recognises it by identity and does not repeat it. */
function initialHandoff({ graph, data }: Omit<CastStart, "window">, { handed, loop, list: given }: ItemCastInput) {
  const path = graph.loops[loop]?.items ?? [];
  const list = given?.items ?? valueAt(data, path);
  if (!handed?.workItems || JSON.stringify(list) !== JSON.stringify(handed.workItems)) return handed;
  return { ...handed, workItems: list as unknown as readonly WorkItem[] }; // it holds the same as what was checked
}
