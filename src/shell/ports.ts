import type { Issue } from "../core/model/issue.ts";
import type { CastId, SocketId } from "../core/model/ids.ts";
import type { Json, JsonObject } from "../core/model/json.ts";
import type { ThinkingLevel, UtilityMateria } from "../core/model/materia.ts";
import type { CastEvent, EventOf } from "../core/cast/state/event.ts";
import type { Checkpoint, MissingCheckpoint } from "../core/model/checkpoint.ts";
import type { CastState } from "../core/cast/state/state.ts";
import type { Usage } from "../core/cast/state/usage.ts";
import type { HandOverTool } from "../core/prompt/handoff-contract.ts";
import type { ProviderAnswer } from "../core/cast/provider-refusal.ts";
import type { RehearsalUsage } from "../core/cast/rehearsal-usage.ts";
import type { AgentProgress, ExtensionQuestion } from "../core/wire/stream.ts";
import type { ItemRunner } from "./item-ports.ts";

/** Everything that a cast needs from outside. No function here rejects: a failure is a value. */
export interface Ports {
  readonly agents: AgentHost;
  readonly runUtility: (request: UtilityRequest) => Promise<UtilityOutcome>;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  /** Absent when the cast takes no checkpoints. */
  readonly checkpoints?: CastCheckpoints | undefined;
  /** Redacts secrets: in events before they count, in files before they are written. */
  readonly redact: (text: string) => string;
  /** Whether this process still owns the cast; asked before every effect. */
  readonly holdsClaim: () => Promise<boolean>;
  /** Whether this process knows that another owns the cast. Answers at once, for writes that cannot wait. */
  readonly isSuperseded: () => boolean;
  /** The transcript of a completed visit, of this cast or of an earlier attempt at its item. */
  readonly readTranscript?: (place: TranscriptPlace) => Promise<string | undefined>;
  /** Runs the items of parallel loops. Without it items run one by one. */
  readonly items?: ItemRunner | undefined;
  /** [V13] Asked before a turn of a cast that shares its budget; resolves when the turn may start. */
  readonly admit?: ((state: CastState, signal: AbortSignal) => Promise<TurnAdmission>) | undefined;
  /** [Z17] Limits of providers that casts which share the account have met. */
  readonly limits?: SharedLimits | undefined;
  readonly now: () => Date;
  /** Resolves after the delay, or as soon as the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A refusal of a model that ends at a time. All times are milliseconds since 1970. */
export interface ProviderLimit {
  readonly until: number;
  readonly metAt: number;
  readonly reason: string;
}

export interface SharedLimits {
  /** The limit of this model that lasts, if one is known. */
  readonly find: (model: string, now: number) => Promise<ProviderLimit | undefined>;
  readonly record: (model: string, limit: ProviderLimit) => Promise<void>;
  readonly clear: (model: string) => Promise<void>;
}

export type TranscriptPlace = Pick<TurnRequest, "castId" | "socket" | "visit">;

/** [Y1] Checkpoints of the working tree, as commits apart from the person's branches. */
export interface CastCheckpoints {
  /** Commits the present tree; undefined when nothing has changed since `since`. One call at a time. */
  readonly take: (request: CheckpointRequest) => Promise<Checkpoint | MissingCheckpoint | undefined>;
  /** [Y10] Describes the changes between two checkpoints, short enough for a prompt; empty if there are none. */
  readonly describe: (from: string, to: string, contextLines?: number) => Promise<string>;
  /** [V51] Whether all changes lie inside conflict marks of the first, and no mark is left in the second. */
  readonly isResolution?: (marked: string, resolved: string) => Promise<boolean>;
  /** [P17] The lines of a file in a checkpoint; undefined if it has none. */
  readonly linesOf?: (commit: string, path: string) => Promise<readonly string[] | undefined>;
}

export interface CheckpointRequest {
  /** The previous checkpoint, and the one from which changes are counted. */
  readonly last: string;
  readonly since: string;
  readonly title: string;
}

export interface AgentHost {
  /** Every problem that would stop these turns, before the cast exists. */
  readonly preflight: (needs: readonly AgentRequirement[], place?: PreflightPlace) => Promise<readonly Issue[]>;
  /** [YP4] What the last preflight found of Pi for these agents. */
  readonly equipment?: () => readonly EquipmentDigest[];
  readonly runTurn: (request: TurnRequest) => Promise<TurnOutcome>;
  /** [Z8] The models for materia that name none, in order; empty if only Pi knows. */
  readonly defaultModels?: () => Promise<readonly string[]>;
  /** [N38] The models that Pi has a key for, as `provider/id`. */
  readonly usableModels?: () => Promise<readonly string[]>;
  /** [Z13] The number of tokens that fit into the context of a model, if known. */
  readonly contextWindow?: (model: string) => Promise<number | undefined>;
  /** [Z17] A digest of the key for a model; undefined if there is none. */
  readonly keyDigest?: (model: string) => Promise<string | undefined>;
  /** The model, as `provider/id`, that answers a materia which names this one or none. */
  readonly resolveModel?: (wanted: string | undefined) => Promise<string | undefined>;
  /** [Q13] The scripted answer of a person; undefined when a real person must answer. */
  readonly answerGate?: (request: PersonGateRequest) => ScriptedAnswer | undefined;
  /** [T4] How far a rehearsal has been used. */
  readonly rehearsalUsage?: () => RehearsalUsage;
}

export type PersonGateRequest = Pick<TurnRequest, "socket" | "materia" | "item" | "earlierTurns">;

export type ScriptedAnswer =
  | { readonly kind: "judged"; readonly satisfied: boolean; readonly text: string }
  | { readonly kind: "failed"; readonly message: string };

/** The folder of a cast, whose skills, extensions and servers agents may have. */
export interface PreflightPlace {
  readonly cwd: string;
  /** [X24] The project is not trusted: nothing of it counts. */
  readonly withoutProject?: boolean | undefined;
}

/** [YP8] A sandbox that a materia names. Without a command this user has no such sandbox. */
export interface Sandbox {
  readonly name: string;
  readonly command?: readonly string[] | undefined;
}

export interface AgentEquipment {
  readonly skills?: readonly string[] | undefined;
  readonly extensions?: readonly string[] | undefined;
  readonly mcp?: readonly string[] | undefined;
  /** [YP8] All tools of Pi and all servers run in it. */
  readonly sandbox?: Sandbox | undefined;
  /** [YP18] Skills that came with the cast: where they are here, and their digests when it was submitted. */
  readonly packed?: { readonly folder: string; readonly digests: ReadonlyMap<string, string> } | undefined;
}

export interface EquipmentDigest {
  readonly kind: "skill" | "extension" | "server";
  readonly name: string;
  readonly digest: string;
  /** [YP7] It comes with the tree, and so to every worker. */
  readonly ofProject?: true;
}

export interface AgentRequirement extends AgentEquipment {
  readonly socket: SocketId;
  readonly materia: string;
  readonly tools: readonly string[];
  /** Models in order, separated by commas. */
  readonly model?: string;
}

export interface TurnRequest extends AgentEquipment {
  readonly withoutProject?: true;
  readonly castId: CastId;
  readonly socket: SocketId;
  readonly materia: string;
  readonly visit: number;
  /** The key of the current item, `WI-1`, `WI-2`, …, or `WI-2.2` for a second attempt; null outside loops. */
  readonly item: string | null;
  readonly cwd: string;
  readonly system: string;
  /** Which instruction files the agent gets: those of the project, only those of the user, or none. */
  readonly instructions: "project" | "user" | "none";
  readonly prompt: string;
  readonly tools: readonly string[];
  /** [H24] Offered beside the tools. A reply that only calls it ends the turn. */
  readonly handOver?: HandOverTool | undefined;
  readonly model?: string | undefined;
  readonly thinking?: ThinkingLevel | undefined;
  /** Whether a person refines the answer before the cast continues. */
  readonly interactive: boolean;
  /** The file of this visit's conversation; a turn that continues the conversation reads it. */
  readonly transcript: string;
  readonly history: "fresh" | "continued";
  /** Applied to every line of the transcript before it is written. */
  readonly redact: (text: string) => string;
  /** Turns of each socket in this cast, without the current one. */
  readonly earlierTurns: () => readonly SocketTurnCount[];
  readonly env: Readonly<Record<string, string>>;
  readonly isEnvironmentCurated?: true; // [T48] instead of the environment of this process
  /** Asked after each reply but the last, with the usage of the turn so far: true stops the turn. */
  readonly isBudgetSpent: (usage: Usage) => boolean;
  /** Asked before every request to the model and every tool call: whether this process still owns the cast. */
  readonly holdsClaim: () => Promise<boolean>;
  /** Asked before every line of the transcript, whose writer cannot wait: whether another process owns the cast. */
  readonly isSuperseded: () => boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: TurnProgress) => void;
  /** [YP19] Absent where nobody can be asked. */
  readonly askPerson?: AskPerson | undefined;
}

/** [YP19] Undefined declines. The signal is aborted when nobody need answer any more. */
export type AskPerson = (question: ExtensionQuestion, signal: AbortSignal) => Promise<string | undefined>;

export interface SocketTurnCount {
  readonly socket: SocketId;
  readonly materia: string;
  readonly turns: number;
  /** The turns for the item with this key. */
  readonly turnsFor: (item: string) => number;
}

/** What a turn reports while it runs. Listeners elsewhere get most of it as notes about a visit. */
export type TurnProgress =
  | { readonly kind: "asked"; readonly system?: string; readonly prompt?: string }
  | { readonly kind: "text" | "thinking"; readonly delta: string }
  | WithoutPlace<Extract<AgentProgress, { kind: "tool_started" | "tool_said" | "tool_ended" | "used" | "retrying" }>>
  /** Every tool call of the last reply has its result, and all of them are in the transcript. */
  | { readonly kind: "tools_over" }
  | ({ readonly kind: "extension_asked" } & Omit<EventOf<"extension_asked">, "type" | "socket" | "visit">)
  /** [Z9] Pi has summarised the conversation. */
  | { readonly kind: "compacted"; readonly reason: string; readonly tokensBefore: number };

type WithoutPlace<T> = T extends unknown ? Readonly<Omit<T, "socket" | "visit">> : never;

export type TurnOutcome =
  | {
      readonly kind: "said";
      readonly text: string;
      /** [H25] The text is the argument of `hand_over`. */
      readonly byTool?: true;
      readonly usage: Usage;
      readonly model: string;
    }
  | {
      readonly kind: "failed";
      readonly reason: "provider" | "timeout" | "overflow" | "aborted" | "rehearsal" | "disk" | "limit" | "taken_over";
      readonly message: string;
      readonly usage: Usage;
      readonly model?: string;
      /** [Z1] Status and headers of the provider's refusal. */
      readonly response?: Pick<ProviderAnswer, "status" | "headers">;
    };

export interface UtilityRequest {
  readonly materia: UtilityMateria;
  readonly sandbox?: Sandbox | undefined;
  readonly input: JsonObject;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The text for its time limit when no materia sets one. */
  readonly limitText?: string;
  /** [D24] The visit's secret: it identifies the program and its children after the owner was killed. */
  readonly secret?: string;
  /** [U42] The same for every run of one visit, and different for every other visit. */
  readonly idempotencyKey?: string;
  /** Called with the leader of the program's process group, as soon as it runs. */
  readonly onStarted?: (pid: number) => void;
}

export type UtilityOutcome =
  | { readonly kind: "exited"; readonly stdout: string; readonly stdoutCut: boolean; readonly stderr: string }
  /** A gate that ended by itself; its output is both streams in order of arrival. */
  | { readonly kind: "judged"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "failed"; readonly reason: string; readonly stdout: string; readonly stderr: string };

export interface Journal {
  /** Writes all events at once, after event `after`; returns the problem when that failed. */
  readonly append: (events: readonly CastEvent[], after: number) => Promise<string | undefined>;
}

/** The files of a cast's visits, read and written by agents and programs. */
export interface Artifacts {
  /** The folder of the cast, and the path of a visit's file as agents and utilities see it. */
  readonly folder: string;
  readonly pathOf: (socket: SocketId, visit: number, name: string) => string;
  readonly write: (socket: SocketId, visit: number, name: string, text: string) => Promise<string | undefined>;
  readonly append: (socket: SocketId, visit: number, name: string, text: string) => Promise<string | undefined>;
  /** [B56] Marks the present length of the transcript as belonging to this checkpoint. */
  readonly markTranscript?: (socket: SocketId, visit: number, commit: string) => void;
  /** Replaces a large value by a reference to the copy that the cast stores once; returns a small one unchanged. */
  readonly storeValue: (value: Json) => Promise<StoredValue>;
}

export type StoredValue =
  | { readonly kind: "kept"; readonly json: Json }
  | { readonly kind: "failed"; readonly problem: string };

/** Permission for a turn, with the usage of other casts since the last one. */
export interface TurnAdmission {
  readonly usedElsewhere: Usage;
  /** Whether this turn and all others together have spent the budget. */
  readonly isBudgetSpent: (usage: Usage) => boolean;
  readonly reportUsage: (usage: Usage) => void;
  readonly end: () => void;
}
