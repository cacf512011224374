import { parseEvent, type CastEvent } from "../../../src/core/cast/state/event.ts";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { error, fail, ok } from "../../../src/core/model/issue.ts";
import { redactEvent } from "../../../src/shell/secrets/redact-event.ts";
import type { CastFile } from "../../../src/shell/store/cast-file.ts";
import {
  type ArtifactRef,
  type LoadedCast,
  type OwnedCast,
  type WriteOptions,
  TIMELINE,
} from "../../../src/shell/store/cast-store.ts";

/** A cast in memory. */
export interface Kept {
  readonly file: CastFile;
  readonly brings: Readonly<Record<string, string>>;
  readonly events: CastEvent[];
  readonly artifacts: Map<string, Buffer>;
  readonly notes: Map<string, string>;
  readonly listeners: Set<() => void>;
  readonly abortListeners: Set<() => void>;
  epoch: number;
  /** How often all its events were read. */
  reads: number;
  /** The epoch of the owner, while there is one. */
  owner: number | undefined;
}

export function keptCast(file: CastFile, brings: Readonly<Record<string, string>>): Kept {
  return {
    file,
    brings,
    events: [],
    artifacts: new Map(),
    notes: new Map(),
    listeners: new Set(),
    abortListeners: new Set(),
    epoch: 0,
    reads: 0,
    owner: undefined,
  };
}

interface Ways {
  /** Whether the cast is still there. */
  readonly load: () => boolean;
  readonly discard: () => void;
}

export function ownedOf(kept: Kept, { redact = (text) => text }: WriteOptions, ways: Ways): OwnedCast {
  kept.epoch += 1;
  kept.owner = kept.epoch;
  const { epoch } = kept;
  const { castId } = kept.file;
  const holds = (): boolean => kept.owner === epoch && ways.load();
  const tell = (): void => kept.listeners.forEach((listener) => listener());
  const put = async (name: string, text: string, before: Buffer): Promise<string | undefined> => {
    if (!holds()) return "another process owns this cast now";
    kept.artifacts.set(name, Buffer.concat([before, Buffer.from(redact(text))]));
    tell();
    return undefined;
  };
  const release = async (): Promise<void> => {
    if (holds()) kept.owner = undefined;
    tell();
  };
  tell();
  return {
    castId,
    epoch,
    worktreesFolder: `trees of ${castId}`,
    load: async (known) => {
      if (!holds()) return fail(error("unknown_cast", castId, "it is not held any more"));
      return ok(known?.stamp === stampOf(kept) ? known : loaded(kept));
    },
    journal: {
      append: async (events, after) => {
        if (!holds()) return "another process owns this cast now";
        if (after !== kept.events.length) return `the journal is at event ${kept.events.length}, not at ${after}`;
        for (const event of events) {
          // [J28] What the reader of a journal refuses is never written.
          const read = parseEvent(JSON.parse(JSON.stringify(event)));
          if (typeof read === "string") throw new Error(`${event.type} cannot be read again: ${read}`);
          kept.events.push(redactEvent(event, redact));
        }
        tell();
        return undefined;
      },
    },
    scratch: join(tmpdir(), `scratch-${castId}`),
    artifacts: {
      folder: `memory of ${castId}`,
      pathOf: (socket, visit, name) => nameOf({ socket, visit, name }),
      storeValue: async (json) => ({ kind: "kept", json }),
      write: (socket, visit, name, text) => put(nameOf({ socket, visit, name }), text, Buffer.alloc(0)),
      append: (socket, visit, name, text) => {
        const at = nameOf({ socket, visit, name });
        return put(at, text, kept.artifacts.get(at) ?? Buffer.alloc(0));
      },
    },
    writeNote: async (name, text) => void kept.notes.set(name, text),
    readNote: async (name) => kept.notes.get(name),
    heartbeat: async () => undefined,
    holdsClaim: async () => holds(),
    isSuperseded: () => kept.epoch !== epoch,
    onAbortRequest: (listener) => {
      kept.abortListeners.add(listener);
      return () => void kept.abortListeners.delete(listener);
    },
    release,
    discard: async () => {
      if (holds()) ways.discard();
      await release();
    },
  };
}

export function loaded(kept: Kept): LoadedCast {
  const { file, events } = kept;
  kept.reads += 1;
  const trail = events.reduce(TIMELINE.step, TIMELINE.begin(file));
  return {
    castId: file.castId,
    file,
    events: [...events],
    state: trail.state,
    timeline: trail,
    tornBytes: 0,
    stamp: stampOf(kept),
  };
}

/** Events are only ever added. */
function stampOf({ events }: Kept): string {
  return String(events.length);
}

export function nameOf({ socket, visit, name }: ArtifactRef): string {
  return `${socket}/${visit}/${name}`;
}
