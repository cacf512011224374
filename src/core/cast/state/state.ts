import type { Graph } from "../../compile/graph.ts";
import type { Budget, CastLimits } from "../../model/config.ts";
import type { WorkItem } from "../../model/handoff.ts";
import type { CastId, Destination, SocketId } from "../../model/ids.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { CastOutcome, EventOf, LimitName } from "./event.ts";
import type { CountsByItem } from "./item-counts.ts";
import type { ParallelRun, PreviousHandoff, GeneratorNote, ItemCastInput } from "./parallel-run.ts";
import type { CastReports } from "./reports.ts";
import type { SocketConversation, SocketConversations, SentBack } from "./conversations.ts";
import type { ReworkReasons } from "./rework-reasons.ts";
import type { PersistentMap, ReturnCount, Tally } from "./persistent-map.ts";
import type { TraversalScope } from "./traversal-counts.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

/** The state of a cast: its start with all events of its journal applied. Only `apply` makes a new one. */
export interface CastState {
  readonly graph: Graph;
  readonly castId: CastId;
  readonly request: string;
  readonly rehearsed: boolean;
  /** [YT1] The branch of its separate working tree, if it has one. */
  readonly branch?: string;
  readonly limits: CastLimits;
  readonly budget: Budget;
  readonly seq: number;
  readonly phase: CastPhase;
  readonly data: JsonObject;
  readonly pass: LoopPass | null;
  readonly lastPass: LoopPass | null;
  readonly handed: PreviousHandoff | null;
  /** Notes of generators beside their lists, by the path of the list. */
  readonly notes: Readonly<Record<string, GeneratorNote>>;
  readonly satisfied: boolean | undefined;
  readonly visits: Tally;
  readonly turns: Tally;
  readonly itemTurns: CountsByItem;
  /** The last visited sockets, oldest first; no more than a person reads. */
  readonly walked: readonly SocketId[];
  /** The last visit of each socket, as the number of the visit in the cast. */
  readonly lastVisits: Tally;
  readonly begun: number;
  readonly counts: CastCounts;
  /** Counts of each loop, as long as its list is the same. */
  readonly walks: PersistentMap<ListCounts>;
  readonly rework: ReworkReasons;
  readonly reports: CastReports;
  readonly conversations: SocketConversations;
  readonly sentBack: SentBack;
  /** The first names of given-up items. */
  readonly givenUp: {
    readonly count: number;
    readonly first: readonly { readonly index: number; readonly title: string; readonly reason: string }[];
  };
  readonly usage: Usage;
  readonly done: ProgressCounts;
  readonly warned: boolean;
  /** Null without checkpoints. */
  readonly files: CheckpointCommits | null;
  /** The largest usage of one turn: an estimate for the next one against a shared budget. */
  readonly largest: Usage;
  readonly forks: number;
  /** Set for the cast of one item. */
  readonly item: ItemCast | null;
  readonly providers: ProviderState;
}

export interface ProviderState {
  /** Refused models, and the end of each refusal in milliseconds since 1970; null for the rest of the cast. */
  readonly refused: Readonly<Record<string, number | null>>;
  /** [Z6] The time slept so far, and sleeps in a row without a reply. */
  readonly sleptMs: number;
  readonly sleeps: number;
  /** [Z14] The models that answered a materia for its last item. */
  readonly answered: Readonly<Record<string, { readonly item: number | null; readonly models: readonly string[] }>>;
}

export interface ItemCast {
  readonly window: ItemCastInput;
  readonly wrote: readonly StateWrite[];
  /** [G26] Paths of the lists that its agents made, equal to the earlier ones or not. */
  readonly newLists?: readonly string[];
  readonly advanced: SocketId | null;
  /** Usage of others against the shared budget. */
  readonly elsewhere: Usage;
  /** [V51] Whether only conflicting hunks have changed, and the sockets that were skipped for that. */
  readonly isResolved: boolean;
  readonly skipped: readonly SocketId[];
}

export type StateWrite = readonly [path: readonly string[], value: Json];

/** The start of a cast, stored in `cast.json`, so that a resume needs nothing else. */
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
  | {
      readonly kind: "arriving";
      readonly at: Destination;
      readonly from: SocketId | null;
      /** Whether the way here carried a reason for rework. */
      readonly reworked: boolean;
      /** [G10] A limited edge leads here past empty lists: the cycle that it closes ends at the next visit. */
      readonly closesCycle?: true;
    }
  | { readonly kind: "forked"; readonly fork: ParallelRun }
  /** At the entry of a loop with an empty list. */
  | { readonly kind: "bypassing"; readonly loop: string; readonly member: SocketId; readonly closesCycle?: true }
  | { readonly kind: "visiting"; readonly visit: Visit; readonly ask: TurnReason | PersonDecision }
  /** An interactive agent has replied; the person is not notified yet. */
  | { readonly kind: "answered"; readonly visit: Visit; readonly reply: string }
  | { readonly kind: "waiting"; readonly visit: Visit; readonly reply: string }
  /** [Z3] Nobody is asked before `until`. `before` is the visit, or the parallel loop. */
  | SleepingPhase
  /** The result is stored; the end of the visit is not written yet. */
  | { readonly kind: "accepted"; readonly visit: Visit }
  /** The visit is over; its way on is not written yet. */
  | {
      readonly kind: "leaving";
      readonly visit: Visit;
      readonly moved: "no" | "advanced" | "exhausted";
      /** Whether the item was given up, so that the next one starts where the loop was entered. */
      readonly gaveUp: boolean;
    }
  | { readonly kind: "failing"; readonly failure: CastFailure; readonly before: CastPhase }
  | {
      readonly kind: "ended";
      readonly outcome: CastOutcome;
      readonly reason: string;
      readonly limit: LimitHit | null;
      readonly reached: EventOf<"limit_reached"> | null;
      readonly before: CastPhase;
    };

export interface SleepingPhase extends Pick<EventOf<"cast_sleeping">, "until" | "provider" | "model" | "reason"> {
  readonly kind: "sleeping";
  readonly since: string;
  readonly paused: boolean;
  readonly before: CastPhase;
}

export function phaseBeforeEnd(phase: CastPhase): CastPhase {
  return "before" in phase ? phaseBeforeEnd(phase.before) : phase;
}

export type CastFailure =
  | { readonly kind: "limit"; readonly reached: EventOf<"limit_reached">; readonly hit: LimitHit }
  | { readonly kind: "turn"; readonly socket: SocketId; readonly message: string };

export interface Visit {
  readonly socket: SocketId;
  readonly number: number;
  readonly from: SocketId | null;
  readonly reworked: boolean;
  /** [I1] The conversation that it continues. */
  readonly continues?: SocketConversation;
  readonly repairs: number;
  readonly model?: string;
  readonly usage: Usage;
  /** [Z8] The model that took over in this visit, if one did. */
  readonly switchedTo: string | null;
  readonly refusals: number;
  /** Usage of the current turn when it was stopped or interrupted; nothing for a new one. */
  readonly turn: TurnUsage;
}

export interface TurnUsage {
  readonly usage: Usage;
  readonly ms: number;
  /** [Z15] How often the agent repeated one tool call, if that ended the turn. */
  readonly repeated?: number;
}

export const NO_TURN_USAGE: TurnUsage = { usage: NO_USAGE, ms: 0 };

export const NEW_VISIT = { repairs: 0, switchedTo: null, refusals: 0, usage: NO_USAGE, turn: NO_TURN_USAGE } as const;

export type TurnReason =
  | { readonly kind: "begin" }
  | { readonly kind: "repair"; readonly problems: readonly string[] }
  | { readonly kind: "answer"; readonly text: string }
  /** A person accepts: the result is the last reply, or one more turn writes it. */
  | { readonly kind: "finish"; readonly reply: string };

/** A person has answered yes or no; no turn follows. */
export interface PersonDecision {
  readonly kind: "judged";
  readonly satisfied: boolean;
  readonly text: string;
}

/** One pass over a loop's list, as the list was at entry. */
export interface LoopPass {
  readonly loop: string;
  /** [G26] The list itself: a new list is another one, even if it is equal. */
  readonly items: readonly WorkItem[];
  readonly note: GeneratorNote | null;
  readonly cursor: number;
  /** The end of the pass: after the list, or after the one item of this cast. */
  readonly end: number;
  /** Whether its items run one by one because they cannot run in parallel. */
  readonly oneByOne: boolean;
  /** The member by which the loop was entered. */
  readonly door: SocketId;
  readonly givenUp: readonly Pick<EventOf<"item_given_up">, "index" | "reason">[];
  /** The number of visits of the cast when the current item started. */
  readonly since: number;
}

/** Counts for the items of a list, by index; kept from one pass to the next. */
export interface ListCounts {
  readonly list: readonly WorkItem[];
  readonly taken: CountsByItem;
  readonly allowed: CountsByItem;
  /** Of lists that the loop walked before and that are still in state. */
  readonly earlier?: readonly ListCounts[];
}

export interface CastCounts {
  /** Ways outside loops, and ways that leave one. */
  readonly taken: Tally;
  /** Allowances of a person beyond a limit, for those ways and for repairs. */
  readonly allowed: Tally;
  readonly returns: PersistentMap<readonly ReturnCount[]>;
  /** [R9] Rework visits in a row that changed no file, by socket, for the item of the last one; null outside loops. */
  readonly unchanged: PersistentMap<{ readonly place: number | null; readonly visits: number }>;
  /** Loops that were skipped since the last visit. */
  readonly passedBy: Readonly<Record<string, number>>;
}

export type LimitHit =
  | { readonly limit: LimitName; readonly scope?: TraversalScope }
  | { readonly limit: "maxNoAdvanceCycles"; readonly at: SocketId | undefined };

export interface ProgressCounts {
  readonly visits: number;
  readonly itemsDone: number;
  readonly items: number;
  readonly itemsGivenUp?: number;
}

export interface CheckpointCommits {
  readonly base: string;
  readonly last: string;
  /** The commits at the start of the current visit and item. */
  readonly visit: string;
  readonly item: string;
  /** [Y6] Files that changed while the cast was stopped, for the next prompt. */
  readonly meanwhile: readonly string[];
}
