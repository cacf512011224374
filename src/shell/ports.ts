import type { Issue } from "../core/model/issue.ts";
import type { CastId, SocketId } from "../core/model/ids.ts";
import type { Json, JsonObject } from "../core/model/json.ts";
import type { ThinkingLevel, UtilityMateria } from "../core/model/materia.ts";
import type { CastEvent } from "../core/cast/state/event.ts";
import type { Checkpoint, MissingCheckpoint } from "../core/model/checkpoint.ts";
import type { ItemResult, ItemCommit, MergeOutcome } from "../core/cast/decide-items.ts";
import type { ItemResume, ItemCastInput, ItemRunFields } from "../core/cast/state/parallel-run.ts";
import type { CastStart, CastState } from "../core/cast/state/state.ts";
import type { Usage } from "../core/cast/state/usage.ts";
import type { RehearsalUsage } from "../core/cast/rehearsal-usage.ts";

/** All that a cast needs of the world. No function here rejects: a failure is a value like any other. */
export interface Ports {
  readonly agents: AgentHost;
  readonly runUtility: (request: UtilityRequest) => Promise<UtilityOutcome>;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  /** Absent where the files of the cast are not kept. */
  readonly checkpoints?: CastCheckpoints;
  /** Takes secrets out of whatever is kept: events before they count, files before they are written. */
  readonly redact: (text: string) => string;
  /** Whether the cast is still this process's own; asked before every effect. */
  readonly holdsClaim: () => Promise<boolean>;
  /** Whether another process is known to have taken it; answered at once, for writes that nobody waits for. */
  readonly isSuperseded: () => boolean;
  /** Working trees for the items of parallel loops; where there are none, items are worked on one by one. */
  readonly items?: ItemRunner;
  /** [V13] Asked before a turn of a cast that shares its budget; resolves when the turn may begin. */
  readonly admit?: (state: CastState, signal: AbortSignal) => Promise<TurnAdmission>;
  readonly now: () => Date;
  /** Resolves after so long, or as soon as the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** [Y1] The working tree of a cast, kept as commits beside the person's own. */
export interface CastCheckpoints {
  /** The tree as it is now; nothing where it is what it was at `since`. One at a time. */
  readonly take: (request: CheckpointRequest) => Promise<Checkpoint | MissingCheckpoint | undefined>;
  /** [Y10] What lies between two of them, in words that a prompt has room for. */
  readonly describe: (from: string, to: string) => Promise<string>;
}

export interface CheckpointRequest {
  /** The checkpoint before, and the one that changes are counted from. */
  readonly last: string;
  readonly since: string;
  readonly title: string;
}

export interface AgentHost {
  /** What stands in the way of these turns, all of it, before a cast exists. */
  readonly preflight: (needs: readonly AgentRequirement[]) => Promise<readonly Issue[]>;
  readonly runTurn: (request: TurnRequest) => Promise<TurnOutcome>;
  /** [Q13] What a person is scripted to answer; nothing where a real one is to be asked, as without this. */
  readonly answerGate?: (request: PersonGateRequest) => ScriptedAnswer | undefined;
  /** [T4] What came of a script so far, where there is one. */
  readonly rehearsalUsage?: () => RehearsalUsage;
}

/** A person's gate that a cast has come to. */
export type PersonGateRequest = Pick<TurnRequest, "socket" | "materia" | "item" | "earlierTurns">;

export type ScriptedAnswer =
  | { readonly kind: "judged"; readonly satisfied: boolean; readonly text: string }
  /** The script says something that is no answer. */
  | { readonly kind: "failed"; readonly message: string };

/** What one socket will ask of the host. */
export interface AgentRequirement {
  readonly socket: SocketId;
  readonly materia: string;
  readonly tools: readonly string[];
  readonly model?: string;
}

export interface TurnRequest {
  readonly castId: CastId;
  readonly socket: SocketId;
  readonly materia: string;
  readonly visit: number;
  /** The key of the item in hand, `WI-1`, `WI-2`, …, or `WI-2.2` for a second attempt; null outside loops. */
  readonly item: string | null;
  readonly cwd: string;
  readonly system: string;
  /** What the agent is told besides: the instructions of its folder, only those of the user, or none. */
  readonly instructions: "project" | "user" | "none";
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Whether a person refines the answer before the cast goes on. */
  readonly interactive: boolean;
  /** Where the conversation of this visit is kept; a turn that continues it finds it there. */
  readonly transcript: string;
  readonly history: "fresh" | "continued";
  /** Every line of the transcript passes it on its way to the disk. */
  readonly redact: (text: string) => string;
  /** Turns that each socket has had in this cast, this one not counted. */
  readonly earlierTurns: () => readonly SocketTurnCount[];
  /** What the commands of the agent find in their environment besides. */
  readonly env: Readonly<Record<string, string>>;
  /** Asked at the end of each reply that is not the last, with what the turn has used so far: whether it stops there. */
  readonly isBudgetSpent: (usage: Usage) => boolean;
  /** Asked before every request to the model and every call of a tool: whether the cast is still this process's own. */
  readonly holdsClaim: () => Promise<boolean>;
  /** Asked before every line of the transcript, whose writer does not wait: whether another process has taken the cast. */
  readonly isSuperseded: () => boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TurnProgress) => void;
}

export interface SocketTurnCount {
  readonly socket: SocketId;
  readonly materia: string;
  readonly turns: number;
  /** Those of them that it had for the item of this key. */
  readonly turnsFor: (item: string) => number;
}

export type TurnProgress =
  | { readonly kind: "told"; readonly system: string }
  | { readonly kind: "text"; readonly delta: string }
  | { readonly kind: "thinking"; readonly delta: string }
  | { readonly kind: "tool_started"; readonly id: string; readonly name: string; readonly args: unknown }
  | {
      readonly kind: "tool_ended";
      readonly id: string;
      readonly name: string;
      readonly failed: boolean;
      /** What the tool said. */
      readonly said: string;
    }
  /** All that a tool that still runs has said so far. */
  | { readonly kind: "tool_said"; readonly id: string; readonly said: string }
  /** Every call of the last reply has its result, and the transcript has them all. */
  | { readonly kind: "tools_over" }
  /** What the turn has used so far, at the end of each reply. */
  | { readonly kind: "used"; readonly usage: Usage }
  | { readonly kind: "retrying"; readonly attempt: number; readonly delayMs: number; readonly error: string };

export type TurnOutcome =
  | { readonly kind: "said"; readonly text: string; readonly usage: Usage; readonly model: string }
  | {
      readonly kind: "failed";
      readonly reason: "provider" | "timeout" | "overflow" | "aborted" | "rehearsal" | "disk" | "limit" | "taken_over";
      readonly message: string;
      readonly usage: Usage;
    };

export interface UtilityRequest {
  readonly materia: UtilityMateria;
  readonly input: JsonObject;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** How its time is told where no materia says how long it may take. */
  readonly limitText?: string;
  /** [D24] The visit's secret: by it the program and whatever it starts are found when nobody knows them any more. */
  readonly secret?: string;
  /** [U42] The same for every run of one visit, and for no other. */
  readonly idempotencyKey?: string;
  /** Told the leader of the program's process group, as soon as there is one. */
  readonly onStarted?: (pid: number) => void;
}

export type UtilityOutcome =
  | { readonly kind: "exited"; readonly stdout: string; readonly stdoutCut: boolean; readonly stderr: string }
  /** A gate that ended by itself; its output is both streams as they came. */
  | { readonly kind: "judged"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "failed"; readonly reason: string; readonly stdout: string; readonly stderr: string };

export interface Journal {
  /** One write for all of them, behind event `after`; the answer is a sentence when they could not be written. */
  readonly append: (events: readonly CastEvent[], after: number) => Promise<string | undefined>;
}

/** Files of a cast's visits, where agents and programs find and leave them. */
export interface Artifacts {
  /** The folder of the cast, and where a file of one visit is, as given to agents and utilities. */
  readonly folder: string;
  readonly pathOf: (socket: SocketId, visit: number, name: string) => string;
  readonly write: (socket: SocketId, visit: number, name: string, text: string) => Promise<string | undefined>;
  readonly append: (socket: SocketId, visit: number, name: string, text: string) => Promise<string | undefined>;
  /** [B56] Of the transcript of a visit, what is there now is what belongs to this checkpoint. */
  readonly markTranscript?: (socket: SocketId, visit: number, commit: string) => void;
  /** What stands for a value in a file of a visit: itself, or where it is kept once for the whole cast. */
  readonly storeValue: (value: Json) => Promise<StoredValue>;
}

export type StoredValue =
  | { readonly kind: "kept"; readonly json: Json }
  | { readonly kind: "failed"; readonly problem: string };

/** A turn that may begin, and what others have used of the budget since this cast was told last. */
export interface TurnAdmission {
  readonly usedElsewhere: Usage;
  /** Whether the budget is used up by now, by this turn and all others together. */
  readonly isBudgetSpent: (usage: Usage) => boolean;
  /** Tells what the turn has used so far. */
  readonly reportUsage: (usage: Usage) => void;
  /** The turn is over, or does not take place. */
  readonly end: () => void;
}

/** The items of a parallel loop. Every function may be called again for what it has done already. */
export interface ItemRunner {
  /** [V16] From which commit they begin, or why they cannot be worked on at once. */
  readonly findBase: (signal: AbortSignal) => Promise<ParallelBase>;
  readonly run: (item: ItemRequest) => Promise<ItemOutcome>;
  readonly merge: (item: MergeRequest) => Promise<MergeOutcome | ItemsFailure>;
  readonly join: (tip: JoinRequest) => Promise<JoinOutcome>;
  /** [V14] Set where others drive their casts: ends these, and resolves when they are over. */
  readonly abort?: (children: readonly CastId[]) => Promise<void>;
}

export type ParallelBase = { readonly kind: "forked"; readonly base: string } | ItemsRefusal;

export interface ItemsRefusal {
  readonly kind: "refused";
  /** In words, as the end of a sentence. */
  readonly reason: string;
}

export interface ItemsFailure {
  readonly kind: "broken";
  readonly problem: string;
}

export interface ItemRequest {
  readonly fork: number;
  readonly work: ItemRunFields;
  readonly start: CastStart;
  readonly title: string;
  readonly parent: Pick<CastState, "budget" | "usage" | "largest">;
  /** What its parent has counted of it already. */
  readonly countedUsage: Usage;
  /** Set where a cast that failed is to go on. */
  readonly resume: ItemResume | null;
  readonly signal: AbortSignal;
}

export type ItemOutcome =
  | { readonly kind: "ended"; readonly end: ItemResult }
  /** Stopped with the cast that it belongs to. */
  | { readonly kind: "aborted" }
  | ItemsFailure;

export interface MergeRequest {
  readonly fork: number;
  readonly work: ItemRunFields;
  readonly title: string;
  readonly commit: string | null;
  readonly tip: string;
}

export interface JoinRequest {
  readonly fork: number;
  readonly base: string;
  readonly tip: string;
  /** Casts of items whose work is not in it. */
  readonly unmerged: readonly CastId[];
}

export type JoinOutcome = { readonly kind: "joined"; readonly commit: string } | ItemsRefusal | ItemsFailure;

/** Working trees for the casts of items, and what becomes of the work in them. Every function may be called again. */
export interface ItemWorktrees extends Pick<ItemRunner, "findBase" | "merge" | "join"> {
  /** A folder with the files that an item begins from, made anew for one that has not begun. */
  readonly prepare: (
    child: CastId,
    window: ItemCastInput,
    has: "begun" | "not begun",
  ) => Promise<PreparedWorktree | ItemsFailure>;
  /** All that was done in the tree, as a commit that nothing removes; null where nothing was. */
  readonly saveWork: (child: CastId, window: ItemCastInput, title: string) => Promise<SavedWork | ItemsFailure>;
}

export interface PreparedWorktree {
  readonly kind: "ready";
  readonly cwd: string;
}

export interface SavedWork extends ItemCommit {
  readonly kind: "kept";
}
