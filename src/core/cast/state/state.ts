import type { Graph } from "../../compile/graph.ts";
import type { AssignSources } from "../../handoff/assign.ts";
import type { Budget, CastLimits } from "../../model/config.ts";
import { itemKey, type WorkItem } from "../../model/handoff.ts";
import type { CastId, Destination, SocketId } from "../../model/ids.ts";
import { type Json, type JsonObject, valueAt } from "../../model/json.ts";
import type { CastOutcome, EventOf, LimitName } from "./event.ts";
import { NO_ITEM_COUNTS, type CountsByItem } from "./item-counts.ts";
import type { ParallelRun, PreviousHandoff, GeneratorNote, ItemCastInput } from "./parallel-run.ts";
import { NO_REWORK_REASONS, initialReworkReasons, type ReworkReasons } from "./rework-reasons.ts";
import { EMPTY_MAP, type PersistentMap, EMPTY_TALLY, type ReturnCount, type Tally } from "./persistent-map.ts";
import type { TraversalScope } from "./traversal-counts.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

/** A cast as it stands: the fold of its journal over what it was started with. Only `apply` makes a new one. */
export interface CastState {
  readonly graph: Graph;
  readonly castId: CastId;
  readonly request: string;
  readonly rehearsed: boolean;
  readonly limits: CastLimits;
  readonly budget: Budget;
  readonly seq: number;
  readonly phase: CastPhase;
  /** What materia share: `state.…` in prompts, assignments and utilities. */
  readonly data: JsonObject;
  readonly pass: LoopPass | null;
  readonly handed: PreviousHandoff | null;
  /** What generators said beside their lists, by where in state the list stands. */
  readonly notes: Readonly<Record<string, GeneratorNote>>;
  /** What the last completed visit said of itself. */
  readonly satisfied: boolean | undefined;
  readonly visits: Tally;
  readonly turns: Tally;
  /** Those of them that were had for an item, by the place of the item and by socket. */
  readonly itemTurns: CountsByItem;
  /** The sockets that were visited last, oldest first; no more than a person reads. */
  readonly walked: readonly SocketId[];
  /** When each socket was visited last, as the number of the visit in the cast. */
  readonly lastVisits: Tally;
  readonly begun: number;
  readonly counts: CastCounts;
  /** What is remembered of each loop's list, for as long as it is the same list. */
  readonly walks: PersistentMap<ListCounts>;
  readonly rework: ReworkReasons;
  readonly givenUp: GivenUpSummary;
  readonly usage: Usage;
  readonly done: ProgressCounts;
  readonly warned: boolean;
  /** Null where the files of this cast are not kept. */
  readonly files: CheckpointCommits | null;
  /** The most that one turn has used: what another one may take of a budget that several share. */
  readonly largest: Usage;
  /** How often items were worked on at once. */
  readonly forks: number;
  /** Set where this is the cast of one item. */
  readonly item: ItemCast | null;
}

/** What the cast of one item keeps for the cast that it belongs to. */
export interface ItemCast {
  readonly window: ItemCastInput;
  /** What it put into state, in the order in which it did. */
  readonly wrote: readonly StateWrite[];
  /** The member whose visit moved on behind the item. */
  readonly advanced: SocketId | null;
  /** What others have used of the budget that they share. */
  readonly elsewhere: Usage;
}

export type StateWrite = readonly [path: readonly string[], value: Json];

/** What a cast was started with; kept in `cast.json`, so that a resume needs nothing else. */
export interface CastStart {
  readonly castId: CastId;
  readonly request: string;
  readonly graph: Graph;
  readonly limits: CastLimits;
  readonly budget: Budget;
  readonly data: JsonObject;
  readonly rehearsed?: boolean;
  readonly window?: ItemCastInput;
}

export type CastPhase =
  | { readonly kind: "unstarted" }
  /** On the way to a place; the visit there has not begun. */
  | {
      readonly kind: "arriving";
      readonly at: Destination;
      readonly from: SocketId | null;
      /** Whether the way here brought a reason to do it again. */
      readonly reworked: boolean;
    }
  /** At the door of a parallel loop, with its items at work. */
  | { readonly kind: "forked"; readonly fork: ParallelRun }
  /** At the door of a loop whose list is empty. */
  | { readonly kind: "bypassing"; readonly loop: string; readonly member: SocketId }
  | { readonly kind: "visiting"; readonly visit: Visit; readonly ask: TurnReason | PersonDecision }
  /** An interactive agent has replied; the person has not been called yet. */
  | { readonly kind: "answered"; readonly visit: Visit; readonly reply: string }
  /** `agentReply` is what the person is shown: what the agent said, or what they are asked themselves. */
  | { readonly kind: "waiting"; readonly visit: Visit; readonly reply: string }
  /** The result is kept; that the visit is over has not been written. */
  | { readonly kind: "accepted"; readonly visit: Visit }
  /** The visit is over; which way it goes on has not been written. */
  | {
      readonly kind: "leaving";
      readonly visit: Visit;
      readonly moved: "no" | "advanced" | "exhausted";
      /** Whether the item was given up, so that the next one begins where the loop was entered. */
      readonly gaveUp: boolean;
    }
  /** Something failed or a limit was reached; the end has not been written. */
  | { readonly kind: "failing"; readonly failure: CastFailure; readonly before: CastPhase }
  | {
      readonly kind: "ended";
      readonly outcome: CastOutcome;
      /** As the journal has it. */
      readonly reason: string;
      readonly limit: LimitHit | null;
      /** What was said of that limit. */
      readonly reached: EventOf<"limit_reached"> | null;
      readonly before: CastPhase;
    };

/** What made a cast fail: a limit that it reached, or a turn that gave nothing. */
export type CastFailure =
  | { readonly kind: "limit"; readonly reached: EventOf<"limit_reached">; readonly hit: LimitHit }
  | { readonly kind: "turn"; readonly socket: SocketId; readonly message: string };

export interface Visit {
  readonly socket: SocketId;
  readonly number: number;
  /** The socket whose way led here. */
  readonly from: SocketId | null;
  /** Whether a reason to do it again is shown. */
  readonly reworked: boolean;
  readonly repairs: number;
  readonly usage: Usage;
  /** What the turn in hand had used when it was stopped or cut off; nothing for one that has just begun. */
  readonly turn: TurnUsage;
}

export interface TurnUsage {
  readonly usage: Usage;
  readonly ms: number;
}

export const NO_TURN_USAGE: TurnUsage = { usage: NO_USAGE, ms: 0 };

/** Why the agent is asked now. */
export type TurnReason =
  | { readonly kind: "begin" }
  | { readonly kind: "repair"; readonly problems: readonly string[] }
  | { readonly kind: "answer"; readonly text: string }
  /** A person is content: the agreed result is taken from the last reply, or asked for once more. */
  | { readonly kind: "finish"; readonly reply: string };

/** A person has said yes or no; nobody is asked any more. */
export interface PersonDecision {
  readonly kind: "judged";
  readonly satisfied: boolean;
  readonly text: string;
}

/** One walk through a loop's list, as the list was at entry. */
export interface LoopPass {
  readonly loop: string;
  /** [G26] The list itself: made anew it is another one, even if it holds the same. */
  readonly items: readonly WorkItem[];
  /** What was said beside this list when it was made. */
  readonly note: GeneratorNote | null;
  readonly cursor: number;
  /** Where the walk ends: behind the list, or behind the one item that this cast is for. */
  readonly end: number;
  /** Whether its items are worked on one by one because they cannot be at once. */
  readonly oneByOne: boolean;
  /** The member by which the loop was entered. */
  readonly door: SocketId;
  /** How many items of this walk were given up. */
  readonly givenUp: number;
  /** How many visits of the cast had begun when the item in hand did. */
  readonly since: number;
}

/** What was counted for the items of a list, by their place in it; kept from one pass to the next. */
export interface ListCounts {
  readonly list: readonly WorkItem[];
  readonly taken: CountsByItem;
  readonly allowed: CountsByItem;
}

/** The items that were given up: how many, and the first of them by name. */
export interface GivenUpSummary {
  readonly count: number;
  readonly first: readonly { readonly index: number; readonly title: string; readonly reason: string }[];
}

export interface CastCounts {
  /** Ways outside loops, and those that leave one. */
  readonly taken: Tally;
  /** What a person has allowed beyond a limit: of those ways, and of repairs. */
  readonly allowed: Tally;
  /** Visits of sockets since something made progress, one entry for each item. */
  readonly returns: PersistentMap<readonly ReturnCount[]>;
  /** Loops that were passed by since the last visit. */
  readonly passedBy: Readonly<Record<string, number>>;
}

/** The limit that stopped a cast, and what raising it raises. */
export type LimitHit =
  | { readonly limit: LimitName; readonly scope?: TraversalScope }
  | { readonly limit: "maxNoAdvanceCycles"; readonly at: SocketId | undefined };

export interface ProgressCounts {
  readonly visits: number;
  readonly itemsDone: number;
  readonly items: number;
  readonly itemsGivenUp?: number;
}

/** The checkpoints that a cast refers to; each is a commit. */
export interface CheckpointCommits {
  readonly base: string;
  readonly last: string;
  /** What stood when the visit and the item in hand began. */
  readonly visit: string;
  readonly item: string;
  /** [Y6] Names of files that changed while the cast was stopped; the next agent is told. */
  readonly meanwhile: readonly string[];
}

export function initialState({ window, ...start }: CastStart): CastState {
  return {
    ...start,
    rehearsed: start.rehearsed === true,
    seq: 0,
    phase: { kind: "unstarted" },
    pass: null,
    handed: window ? initialHandoff(start, window) : null,
    notes: window?.notes ?? {},
    satisfied: undefined,
    visits: EMPTY_TALLY,
    turns: EMPTY_TALLY,
    itemTurns: NO_ITEM_COUNTS,
    walked: [],
    lastVisits: EMPTY_TALLY,
    begun: 0,
    counts: { taken: EMPTY_TALLY, allowed: EMPTY_TALLY, returns: EMPTY_MAP, passedBy: {} },
    walks: EMPTY_MAP,
    rework: window ? initialReworkReasons(window) : NO_REWORK_REASONS,
    givenUp: { count: 0, first: [] },
    usage: NO_USAGE,
    done: { visits: 0, itemsDone: 0, items: 0 },
    warned: false,
    files: null,
    largest: NO_USAGE,
    forks: 0,
    item: window ? { window, wrote: [], advanced: null, elsewhere: NO_USAGE } : null,
  };
}

/** A list that is the one in state is that very one: by this a prompt knows that it is told already. */
function initialHandoff(
  { graph, data }: Omit<CastStart, "window">,
  { handed, loop, list: given }: ItemCastInput,
): PreviousHandoff | null {
  const path = graph.loops[loop]?.items ?? [];
  const list = given?.items ?? valueAt(data, path);
  if (!handed?.workItems || JSON.stringify(list) !== JSON.stringify(handed.workItems)) return handed;
  return { ...handed, workItems: list as unknown as readonly WorkItem[] }; // it holds the same as what was checked
}

/** [O4] State as materia see it: inside a loop with `workItem` and `workItemIndex`, the item in hand and its place from 0. */
export function visibleState(state: CastState): JsonObject {
  const item = currentItem(state);
  if (item === null || state.pass === null) return state.data;
  const workItem = { title: item.title, context: item.context };
  return { ...state.data, workItem, workItemIndex: state.pass.cursor };
}

/** What `assign` can read besides the output. */
export function assignSourcesOf({ data, pass }: Pick<CastState, "data" | "pass">): AssignSources {
  const item = currentItem({ pass });
  return { data, item: item && pass ? { ...item, index: pass.cursor } : null };
}

/** The key of the item in hand; that of a later attempt at it says which. */
export function currentItemKey({ pass, item }: Pick<CastState, "pass" | "item">): string | null {
  if (!pass) return null;
  const attempt = item?.window.attempt ?? 1;
  return `${itemKey(pass.cursor)}${attempt === 1 ? "" : `.${attempt}`}`;
}

/** The place of the item with this key; undefined for a key that no item of this cast has. */
export function itemIndexOf({ item }: Pick<CastState, "item">, key: string): number | undefined {
  const [, number, attempt = "1"] = /^WI-([1-9]\d*)(?:\.([1-9]\d*))?$/.exec(key) ?? [];
  return number === undefined || Number(attempt) !== (item?.window.attempt ?? 1) ? undefined : Number(number) - 1;
}

/** [O4] The item in hand: only inside its loop. */
export function currentItem({ pass }: Pick<CastState, "pass">): WorkItem | null {
  return pass?.items[pass.cursor] ?? null;
}
