import type { CastEvent } from "../../core/cast/state/event.ts";
import { type CastState, initialState } from "../../core/cast/state/state.ts";
import type { CastId, SocketId } from "../../core/model/ids.ts";
import type { Result } from "../../core/model/issue.ts";
import { type CastTimeline, advanceTimeline, startTimeline } from "../../core/cast/timeline.ts";
import type { Artifacts, Journal } from "../ports.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import type { Redactor } from "../secrets/redact.ts";
import { type CastFile, castStartOf } from "./cast-file.ts";
import { applyStep } from "../../core/cast/cast-step.ts";
import { isJsonObject } from "../../core/model/json.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/**
 * Where casts are kept. Everything that the rest of the program knows of a cast's whereabouts goes through here, so that
 * another kind of store can take the place of files. Nothing rejects: a failure is a value.
 */
export interface CastStore {
  /** Where casts are kept, and where one of them is, in words for people. */
  readonly location: string;
  readonly locationOf: (castId: CastId) => string;

  /** [C6] The cast that a person or a program named. */
  readonly find: (text: string) => Promise<Result<CastId>>;
  /** Newest first. */
  readonly listIds: () => Promise<Result<readonly CastId[]>>;
  /** What a listing says of a cast, without reading its middle; nothing where there is no cast to speak of. */
  readonly summary: (castId: CastId) => Promise<CastSummary | undefined>;
  readonly list: () => Promise<Result<readonly CastSummary[]>>;
  readonly owner: (castId: CastId) => Promise<ProcessIdentity | undefined>;

  /** Another one than before where what a cast was started with may have become another. */
  readonly stamp: (castId: CastId) => Promise<string | undefined>;
  /** What a cast was started with. */
  readonly readCastFile: (castId: CastId) => Promise<Result<CastFile>>;
  /** How a cast stands, by as little of its journal as is needed to know that. */
  readonly current: (castId: CastId) => Promise<Result<CurrentCast>>;
  /** The same, with all that happened to it. */
  readonly load: (castId: CastId) => Promise<Result<LoadedCast>>;
  /** The events of a cast one after another, none of them kept. What `step` throws is damage of its event. */
  readonly fold: <T>(castId: CastId, folding: CastFold<T>) => Promise<Result<FoldedCast<T>>>;
  /** The first event, and the last ones back to where `enough` is content. */
  readonly readEnds: (castId: CastId, enough: StopCondition) => Promise<JournalEnds>;
  readonly readArtifact: (castId: CastId, at: ArtifactRef, part?: ByteRange) => Promise<ArtifactBytes | undefined>;
  /** [J26] A large value that inputs of the cast refer to, as JSON. */
  readonly readValue: (castId: CastId, digest: string) => Promise<string | undefined>;
  /** A file that the cast brought with it. */
  readonly readAttachment: (castId: CastId, name: string) => Promise<string | undefined>;
  /** How often a socket has been visited, as far as files tell. */
  readonly lastVisit: (castId: CastId, socket: SocketId) => Promise<number>;

  /** Nobody sees a cast before its owner has it. */
  readonly create: (cast: NewCast, how: WriteOptions) => Promise<Result<OwnedCast>>;
  /** [J22] Of any number of processes that try at once, exactly one gets the cast. */
  readonly claim: (castId: CastId, how: WriteOptions) => Promise<Result<OwnedCast>>;
  readonly requestAbort: (castId: CastId) => Promise<void>;
  /** [D20] Removes those that nobody owns, each as a whole, and says which. */
  readonly remove: (casts: readonly string[]) => Promise<Result<readonly string[]>>;

  /** New events behind a place; `wake` is called when there may be some. */
  readonly followEvents: (castId: CastId, after: number, wake: () => void) => Subscription<EventUpdate>;
  /** The lines of a visit's transcript, and each new one. */
  readonly followTranscript: (castId: CastId, visit: VisitRef, wake: () => void) => Subscription<TranscriptUpdate>;
  /**
   * Calls back when something may have changed: in the list, in a cast, in who owns it. The answer stops it. Of the list it
   * is said in which cast, where that is known.
   */
  readonly onListChange: (listener: (castId?: string) => void) => () => void;
  readonly onCastChange: (castId: CastId, listener: () => void) => () => void;
  readonly onOwnerChange: (castId: CastId, listener: () => void) => () => void;
}

/** A cast that this process owns, until it lets go or is given up. */
export interface OwnedCast {
  readonly castId: CastId;
  /** The folder where working trees of its items are made. */
  readonly worktreesFolder: string;
  /** Rises with every owner; each line of the journal carries it. */
  readonly epoch: number;
  /** The cast as it stands, now that nobody else can change it; `known` is taken as it is where nothing has changed since. */
  readonly load: (known?: CurrentCast) => Promise<Result<CurrentCast>>;
  readonly journal: Journal;
  /** Told after each write how the cast stands, so that the next to read it can begin there; absent where nothing is made of it. */
  readonly bookmark?: (trail: CastTimeline) => void;
  readonly artifacts: Artifacts;
  /** A folder of the cast for what nobody needs once it is driven no more; it may hold what a killed owner left. */
  readonly scratch: string;
  /** Set where its files are kept elsewhere than in the folder that it works in. */
  readonly checkpointPolicy?: CheckpointPolicy;
  /** A few words that the next owner finds, by name. */
  readonly writeNote: (name: NoteName, text: string) => Promise<void>;
  readonly readNote: (name: NoteName) => Promise<string | undefined>;
  /** Shows that the owner lives. */
  readonly heartbeat: () => Promise<void>;
  /** Whether nobody has taken it since: a process that slept may have been given up. */
  readonly holdsClaim: () => Promise<boolean>;
  /** Whether it is known that another has taken it: answered at once, for writes that cannot wait. */
  readonly isSuperseded: () => boolean;
  /** Calls back when anyone asks for the end of the cast. The answer stops listening. */
  readonly onAbortRequest: (listener: () => void) => () => void;
  readonly release: () => Promise<void>;
  /** Takes back a cast that could not begin. */
  readonly discard: () => Promise<void>;
}

/** [B36] How the files of a cast travel: whole, or not at all. */
export interface CheckpointPolicy {
  /** So many bytes of changed files are read at the most: no more of them could be kept. */
  readonly maxBytes: number;
  /** Told after each look at the files why they cannot be kept; nothing where they can. */
  readonly onCheckpoint: (problem: string | undefined) => void;
}

export type Durability = "write" | "sync";

/** How the owner of a cast writes it. */
export interface WriteOptions {
  readonly durability?: Durability;
  readonly redact?: Redactor;
}

export interface NewCast {
  readonly file: CastFile;
  /** Files that the cast brings with it, by name. */
  readonly attachments?: Readonly<Record<string, string>>;
}

export interface CurrentCast {
  readonly castId: CastId;
  readonly file: CastFile;
  readonly state: CastState;
  /** The state with when things happened. */
  readonly timeline: CastTimeline;
  /** Bytes of a last line that was cut off in the middle of a write; it never counted. */
  readonly tornBytes: number;
  /** Tells whether the journal is still what was read. */
  readonly stamp: string;
}

export interface LoadedCast extends CurrentCast {
  readonly events: readonly CastEvent[];
}

export interface CastFold<T> {
  readonly begin: (file: CastFile) => T;
  readonly step: (value: T, event: CastEvent) => T;
}

export interface FoldedCast<T> {
  readonly castId: CastId;
  readonly file: CastFile;
  readonly value: T;
  readonly tornBytes: number;
  readonly stamp: string;
}

export type StopCondition = (events: readonly CastEvent[]) => boolean;

export interface JournalEnds {
  readonly first?: CastEvent;
  readonly last: readonly CastEvent[];
  /** Lines among the last that are damaged or were cut off. */
  readonly unread: number;
  readonly problem?: string;
}

export interface VisitRef {
  readonly socket: SocketId;
  readonly visit: number;
}

export interface ArtifactRef extends VisitRef {
  readonly name: string;
}

/** Bytes from a place on, at most so many. */
export interface ByteRange {
  readonly from?: number;
  readonly maxBytes?: number;
}

export interface ArtifactBytes {
  readonly bytes: Uint8Array;
  /** Of the whole. */
  readonly size: number;
  /** When it was last written, in milliseconds, by the clock of the store. */
  readonly changedAt: number;
}

/** Words of an owner to the next: which program runs. */
export type NoteName = "program";

export interface Subscription<T> {
  /** What is new; asked again until there is nothing. */
  readonly next: () => Promise<T>;
  readonly close: () => void;
}

export type EventUpdate =
  | { readonly kind: "events"; readonly events: readonly CastEvent[] }
  | { readonly kind: "nothing" }
  /** What was followed is gone, or shorter than what was read of it. */
  | { readonly kind: "lost" }
  /** The events before the damage, and its line. */
  | { readonly kind: "damaged"; readonly events: readonly CastEvent[]; readonly line: number };

export type TranscriptUpdate =
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | { readonly kind: "nothing" }
  /** A visit that begins again empties it. */
  | { readonly kind: "restarted" };

/** How a cast stands. */
export const TIMELINE: CastFold<CastTimeline> = {
  begin: (file) => startTimeline(initialState(castStartOf(file))),
  step: (trail, event) => advanceTimeline(trail, applyStep(trail.state, event)),
};

export interface TimelineWithEvents {
  readonly timeline: CastTimeline;
  readonly events: CastEvent[];
}

/** The same, with every event that led there. */
export const TIMELINE_WITH_EVENTS: CastFold<TimelineWithEvents> = {
  begin: (file) => ({ timeline: TIMELINE.begin(file), events: [] }),
  step: ({ timeline: trail, events }, event) => {
    const next = TIMELINE.step(trail, event);
    events.push(event);
    return { timeline: next, events };
  },
};

/** [N42] A JSON text with the large values of the cast that it refers to in their places, as far as there is room for them. */
export async function inlineValues(store: CastStore, castId: CastId, text: string, most: number): Promise<string> {
  const left = { bytes: most };
  const whole = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) {
      const parts: unknown[] = [];
      for (const part of value) parts.push(await whole(part));
      return parts;
    }
    if (!isJsonObject(value)) return value;
    const { $value: digest, ...others } = value;
    if (typeof digest === "string" && Object.keys(others).length === 0) {
      const kept = await store.readValue(castId, digest);
      if (kept === undefined || kept.length > left.bytes) return value;
      left.bytes -= kept.length;
      return whole(JSON.parse(kept));
    }
    const entries: [string, unknown][] = [];
    for (const [key, part] of Object.entries(value)) entries.push([key, await whole(part)]);
    return Object.fromEntries(entries);
  };
  try {
    return JSON.stringify(await whole(JSON.parse(text)));
  } catch {
    // What is damaged is shown as it is.
    return text;
  }
}
