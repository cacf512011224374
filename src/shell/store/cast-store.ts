import type { AgentProgress } from "../../core/wire/stream.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastState } from "../../core/cast/state/state.ts";
import type { CastId, SocketId } from "../../core/model/ids.ts";
import type { Result } from "../../core/model/issue.ts";
import { type CastTimeline, advanceTimeline, startTimeline, applyStep } from "../../core/cast/timeline.ts";
import type { Artifacts, Journal } from "../ports.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import type { Redactor } from "../secrets/redact.ts";
import { type CastFile, castStartOf } from "./cast-file.ts";
import { isJsonObject } from "../../core/model/json.ts";
import type { CastSummary } from "../../core/cast/summary.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";

/** All access to casts goes through this port, so that another store can replace files. A failure is a value. */
export interface CastStore {
  /** The store, and a cast in it, in words for people. */
  readonly location: string;
  readonly locationOf: (castId: CastId) => string;

  /** [C6] The cast that a person or a program named. */
  readonly find: (text: string) => Promise<Result<CastId>>;
  readonly listIds: () => Promise<Result<readonly CastId[]>>;
  /** A listing's row for a cast, without reading the middle of its journal; undefined if there is no cast. */
  readonly summary: (castId: CastId) => Promise<CastSummary | undefined>;
  readonly list: () => Promise<Result<readonly CastSummary[]>>;
  readonly owner: (castId: CastId) => Promise<ProcessIdentity | undefined>;

  /** Changes whenever the cast file may have changed. */
  readonly stamp: (castId: CastId) => Promise<string | undefined>;
  readonly readCastFile: (castId: CastId) => Promise<Result<CastFile>>;
  /** The present state of a cast, from as little of its journal as possible. */
  readonly current: (castId: CastId) => Promise<Result<CurrentCast>>;
  /** The same with all events. */
  readonly load: (castId: CastId) => Promise<Result<LoadedCast>>;
  /** Folds the events of a cast one after another, without keeping them. An error that `step` throws is damage of its event. */
  readonly fold: <T>(castId: CastId, folding: CastFold<T>) => Promise<Result<FoldedCast<T>>>;
  /** The first event, and the last ones back to where `enough` is satisfied. */
  readonly readEnds: (castId: CastId, enough: HasEnoughEvents) => Promise<JournalEnds>;
  readonly readArtifact: (castId: CastId, at: ArtifactRef, part?: ByteRange) => Promise<ArtifactBytes | undefined>;
  /** [J26] A large value that inputs of the cast refer to, as JSON. */
  readonly readValue: (castId: CastId, digest: string) => Promise<string | undefined>;
  readonly readAttachment: (castId: CastId, name: string) => Promise<string | undefined>;
  /** How often a socket was visited, by the files of the cast. */
  readonly lastVisit: (castId: CastId, socket: SocketId) => Promise<number>;

  /** Nobody sees a cast before its owner has claimed it. */
  readonly create: (cast: NewCast, how: WriteOptions) => Promise<Result<OwnedCast>>;
  /** [J22] Of any number of processes that try at once, exactly one gets the cast. */
  readonly claim: (castId: CastId, how: WriteOptions) => Promise<Result<OwnedCast>>;
  readonly requestAbort: (castId: CastId) => Promise<void>;
  /** [Z4] Asks the owner of a sleeping cast to release it; absent if sleeping casts have no owner. */
  readonly requestRelease?: (castId: CastId) => Promise<void>;
  /** [D20] Removes casts without an owner, each as a whole, and returns their ids. */
  readonly remove: (casts: readonly string[]) => Promise<Result<readonly string[]>>;

  /** New events after a sequence number; `wake` is called when there may be some. */
  readonly followEvents: (castId: CastId, after: number, wake: () => void) => Subscription<EventUpdate>;
  /** The lines of a visit's transcript, and each new one. */
  readonly followTranscript: (castId: CastId, visit: VisitRef, wake: () => void) => Subscription<TranscriptUpdate>;
  /** [B27] The activity of a visit's agent: all of it as far as it is known, and then what is new. */
  readonly followTurn: (castId: CastId, visit: VisitRef, wake: () => void) => Subscription<readonly AgentProgress[]>;
  /** Call back when something may have changed; for the list with the cast, if known. The result stops it. */
  readonly onListChange: (listener: (castId?: string) => void) => () => void;
  readonly onCastChange: (castId: CastId, listener: () => void) => () => void;
  readonly onOwnerChange: (castId: CastId, listener: () => void) => () => void;
}

/** A cast that this process owns, until it releases the cast or loses it. */
export interface OwnedCast {
  readonly castId: CastId;
  /** The folder for working trees of its items. */
  readonly worktreesFolder: string;
  /** Rises with every owner; each line of the journal has it. */
  readonly epoch: number;
  /** The present state, which nobody else can change now. `loaded` is used if nothing has changed since. */
  readonly load: (loaded?: CurrentCast) => Promise<Result<CurrentCast>>;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  /** A folder for temporary files of the run; it may hold files of a killed owner. */
  readonly scratch: string;
  readonly checkpointPolicy?: CheckpointPolicy;
  /** A short note for the next owner, by name. */
  readonly writeNote: (name: NoteName, text: string) => Promise<void>;
  readonly readNote: (name: NoteName) => Promise<string | undefined>;
  readonly heartbeat: () => Promise<void>;
  /** True if no other owner has claimed it since: a process that slept may have been evicted. */
  readonly holdsClaim: () => Promise<boolean>;
  /** True if this process knows that another owns it. Answers at once, for writes that cannot wait. */
  readonly isSuperseded: () => boolean;
  /** Calls back when anyone asks for the end of the cast. The returned function stops it. */
  readonly onAbortRequest: (listener: () => void) => () => void;
  /** [Z4] Calls back when another process wants to continue the cast while it sleeps. */
  readonly onReleaseRequest?: (listener: () => void) => () => void;
  readonly release: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

/** [B36] Checkpoints of a fleet are complete or fail. */
export interface CheckpointPolicy {
  /** At most this many bytes of changed files are read: more could not be stored. */
  readonly maxBytes: number;
  /** Called after each checkpoint with its problem, or undefined. */
  readonly onCheckpoint: (problem: string | undefined) => void;
}

export type Durability = "write" | "sync";

export interface WriteOptions {
  readonly durability?: Durability;
  readonly redact?: Redactor;
}

export interface NewCast {
  readonly file: CastFile;
  readonly attachments?: Readonly<Record<string, string>>;
  /** [T50] Writes the first events and their files, before anybody sees the cast; returns a problem if that failed. */
  readonly writePast?: ((owned: OwnedCast) => Promise<string | undefined>) | undefined;
}

interface ReadCast {
  readonly castId: CastId;
  readonly file: CastFile;
  /** Bytes of a last line that was torn in a write; it never counted. */
  readonly tornBytes: number;
  /** Whether the journal is unchanged since it was read. */
  readonly stamp: string;
}

export interface CurrentCast extends ReadCast {
  readonly state: CastState;
  /** The state with the times of events. */
  readonly timeline: CastTimeline;
}

export interface LoadedCast extends CurrentCast {
  readonly events: readonly CastEvent[];
}

export interface CastFold<T> {
  readonly begin: (file: CastFile) => T;
  readonly step: (value: T, event: CastEvent) => T;
}

export interface FoldedCast<T> extends ReadCast {
  readonly value: T;
}

export type HasEnoughEvents = (events: readonly CastEvent[]) => boolean;

export interface JournalEnds {
  readonly first?: CastEvent | undefined;
  readonly last: readonly CastEvent[];
  /** Damaged or torn lines among the last ones. */
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

export interface ByteRange {
  readonly from?: number;
  readonly maxBytes?: number;
}

export interface ArtifactBytes {
  readonly bytes: Uint8Array;
  readonly size: number;
  /** Time of the last write in milliseconds, by the clock of the store. */
  readonly changedAt: number;
}

/** A note of an owner to the next: the running program. */
export type NoteName = "program";

export interface Subscription<T> {
  /** New values; called again until there are none. */
  readonly next: () => Promise<T>;
  readonly close: () => void;
}

export type EventUpdate =
  | { readonly kind: "events"; readonly events: readonly CastEvent[] }
  | { readonly kind: "nothing" }
  /** The followed file is gone, or shorter than before. */
  | { readonly kind: "lost" }
  /** The events before the damage, and its line. */
  | { readonly kind: "damaged"; readonly events: readonly CastEvent[]; readonly line: number };

export type TranscriptUpdate =
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | { readonly kind: "nothing" }
  /** A visit that starts again empties it. */
  | { readonly kind: "restarted" };

export const TIMELINE: CastFold<CastTimeline> = {
  begin: (file) => startTimeline(initialState(castStartOf(file))),
  step: (timeline, event) => advanceTimeline(timeline, applyStep(timeline.state, event)),
};

export interface TimelineWithEvents {
  readonly timeline: CastTimeline;
  readonly events: CastEvent[];
}

export const TIMELINE_WITH_EVENTS: CastFold<TimelineWithEvents> = {
  begin: (file) => ({ timeline: TIMELINE.begin(file), events: [] }),
  step: ({ timeline, events }, event) => {
    const next = TIMELINE.step(timeline, event);
    events.push(event);
    return { timeline: next, events };
  },
};

/** A folded cast as `current` gives it, for every store. */
export function currentFrom({ value: timeline, ...cast }: FoldedCast<CastTimeline>): CurrentCast {
  return { ...cast, timeline, state: timeline.state };
}

/** The same as `load` gives it. */
export function loadedFrom({ value, ...cast }: FoldedCast<TimelineWithEvents>): LoadedCast {
  return { ...cast, ...value, state: value.timeline.state };
}

export async function readArtifactText(
  store: Pick<CastStore, "readArtifact">,
  castId: CastId,
  at: ArtifactRef,
  part?: ByteRange,
): Promise<string | undefined> {
  const found = await store.readArtifact(castId, at, part);
  return found && Buffer.from(found.bytes).toString("utf8");
}

/** [N42] A JSON text with the large values that it refers to filled in, as far as the limit allows. */
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
    // Damaged text is shown unchanged.
    return text;
  }
}
