import type { Graph } from "../compile/graph.ts";
import type { Budget, CastLimits } from "../model/config.ts";
import type { WorkItem } from "../model/handoff.ts";
import type { CastId, Destination, SocketId } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import type { CastOutcome, EventOf, LimitName } from "./event.ts";
import { EMPTY_TALLY } from "./tally.ts";
import type { Tally } from "./tally.ts";
import { NO_USAGE } from "./usage.ts";
import type { Usage } from "./usage.ts";

/** A cast as it stands: the fold of its journal over what it was started with. Only `apply` makes a new one. */
export interface CastState {
  readonly graph: Graph;
  readonly castId: CastId;
  readonly request: string;
  readonly limits: CastLimits;
  readonly budget: Budget;
  readonly seq: number;
  readonly phase: Phase;
  /** What materia share: `state.…` in prompts, assignments and utilities. */
  readonly data: JsonObject;
  readonly pass: Pass | null;
  readonly handed: Handed | null;
  /** What generators said beside their lists, by where in state the list stands. */
  readonly notes: Readonly<Record<string, Note>>;
  /** What the last completed visit said of itself. */
  readonly satisfied: boolean | undefined;
  readonly visits: Tally;
  readonly turns: Tally;
  /** The sockets that were visited last, oldest first; no more than a person reads. */
  readonly walked: readonly SocketId[];
  readonly counts: Counts;
  /** Reasons that wait for a socket, newest first. */
  readonly rework: Readonly<Record<string, readonly string[]>>;
  readonly usage: Usage;
  readonly done: Done;
  readonly warned: boolean;
}

/** What a cast was started with; kept in `cast.json`, so that a resume needs nothing else. */
export interface CastStart {
  readonly castId: CastId;
  readonly request: string;
  readonly graph: Graph;
  readonly limits: CastLimits;
  readonly budget: Budget;
  readonly data: JsonObject;
}

export type Phase =
  | { readonly kind: "unstarted" }
  /** On the way to a place; the visit there has not begun. */
  | { readonly kind: "arriving"; readonly at: Destination; readonly from: SocketId | null }
  /** At the door of a loop whose list is empty. */
  | { readonly kind: "bypassing"; readonly loop: string; readonly member: SocketId }
  | { readonly kind: "visiting"; readonly visit: Visit; readonly ask: Ask | Judged }
  /** An interactive agent has replied; the person has not been called yet. */
  | { readonly kind: "answered"; readonly visit: Visit; readonly reply: string }
  /** `reply` is what the person is shown: what the agent said, or what they are asked themselves. */
  | { readonly kind: "waiting"; readonly visit: Visit; readonly reply: string }
  /** The result is kept; that the visit is over has not been written. */
  | { readonly kind: "accepted"; readonly visit: Visit }
  /** The visit is over; which way it goes on has not been written. */
  | { readonly kind: "leaving"; readonly visit: Visit; readonly moved: "no" | "advanced" | "exhausted" }
  /** Something failed or a limit was reached; the end has not been written. */
  | { readonly kind: "failing"; readonly failure: Failure; readonly before: Phase }
  | {
      readonly kind: "ended";
      readonly outcome: CastOutcome;
      /** As the journal has it. */
      readonly reason: string;
      readonly limit: LimitHit | null;
      readonly before: Phase;
    };

/** What made a cast fail: a limit that it reached, or a turn that gave nothing. */
export type Failure =
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
  readonly turn: TurnUse;
}

export interface TurnUse {
  readonly usage: Usage;
  readonly ms: number;
}

export const NOTHING_USED: TurnUse = { usage: NO_USAGE, ms: 0 };

/** Why the agent is asked now. */
export type Ask =
  | { readonly kind: "begin" }
  | { readonly kind: "repair"; readonly problems: readonly string[] }
  | { readonly kind: "answer"; readonly text: string }
  /** A person is content: the agreed result is taken from the last reply, or asked for once more. */
  | { readonly kind: "finish"; readonly reply: string };

/** A person has said yes or no; nobody is asked any more. */
export interface Judged {
  readonly kind: "judged";
  readonly satisfied: boolean;
  readonly text: string;
}

/** One walk through a loop's list, as the list was at entry. */
export interface Pass {
  readonly loop: string;
  readonly items: readonly WorkItem[];
  /** What was said beside this list when it was made. */
  readonly note: Note | null;
  readonly cursor: number;
}

/** What a generator said beside its list, for everybody who works on an item of it. */
export interface Note {
  readonly socket: SocketId;
  readonly materia: string;
  readonly text: string;
}

/** What the socket before passes to the next prompt. */
export interface Handed {
  readonly socket: SocketId;
  readonly materia: string;
  readonly item: string | null;
  readonly text: string;
  /** Why it was not satisfied, where it said so: its own words, or the beginning of its output. */
  readonly reason: string;
  readonly workItems: readonly WorkItem[] | null;
}

export interface Counts {
  /** Edges inside a loop, for the current item. */
  readonly item: Tally;
  /** Edges outside loops, and those that leave one, by item of the list they were taken for. */
  readonly lasting: Tally;
  /** Arrivals at sockets since something last made progress. */
  readonly arrivals: Tally;
  /** Further traversals, repairs or returns that a person has allowed, by what they count. */
  readonly allowed: Readonly<Record<string, number>>;
}

export interface LimitHit {
  readonly limit: LimitName;
  /** What `allow` raises; empty for a budget. */
  readonly key: string;
}

export interface Done {
  readonly visits: number;
  readonly itemsDone: number;
  readonly items: number;
}

export function startState(start: CastStart): CastState {
  return {
    ...start,
    seq: 0,
    phase: { kind: "unstarted" },
    pass: null,
    handed: null,
    notes: {},
    satisfied: undefined,
    visits: EMPTY_TALLY,
    turns: EMPTY_TALLY,
    walked: [],
    counts: { item: EMPTY_TALLY, lasting: EMPTY_TALLY, arrivals: EMPTY_TALLY, allowed: {} },
    rework: {},
    usage: NO_USAGE,
    done: { visits: 0, itemsDone: 0, items: 0 },
    warned: false,
  };
}

/** [O4] The item in hand: only inside its loop. */
export function currentItem(state: CastState): WorkItem | null {
  return state.pass?.items[state.pass.cursor] ?? null;
}
