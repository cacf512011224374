import type { CastState } from "../../core/cast/state/state.ts";
import { truncate } from "../../core/model/text.ts";
import { type AgentProgress, tailOfOutput } from "../../core/wire/stream.ts";
import type { TurnProgress } from "../ports.ts";

const MAX_ARGUMENT_CHARS = 2_000;

export function createProgressReporter(
  tell: (note: AgentProgress) => void,
): (progress: TurnProgress, state: CastState) => void {
  const before = { text: 0, thinking: 0 };
  return (progress, state) => {
    const { phase } = state;
    const place = phase.kind === "visiting" ? { socket: phase.visit.socket, visit: phase.visit.number } : undefined;
    if (!place) return;
    switch (progress.kind) {
      case "asked":
        before.text = 0;
        before.thinking = 0;
        return tell({ ...place, kind: "asked" });
      case "text":
      case "thinking":
        tell({ ...place, kind: progress.kind, from: before[progress.kind], delta: progress.delta });
        before[progress.kind] += progress.delta.length;
        return undefined;
      case "tool_started":
        return tell({ ...place, ...progress, args: shortenArguments(progress.args) });
      case "tool_said":
      case "tool_ended":
        return tell({ ...place, ...progress, said: tailOfOutput(progress.said) });
      case "used":
      case "retrying":
        return tell({ ...place, ...progress });
      case "compacted":
      case "extension_asked":
      case "tools_over":
        return undefined;
    }
  };
}

/** An argument may be a whole file: shorten it. The transcript has all of it. */
function shortenArguments(args: unknown): unknown {
  if (typeof args !== "object" || args === null) return args;
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, shortenValue(value)]));
}

function shortenValue(value: unknown): unknown {
  if (typeof value === "string") return truncate(value, MAX_ARGUMENT_CHARS);
  const text = JSON.stringify(value) ?? "";
  return text.length > MAX_ARGUMENT_CHARS ? truncate(text, MAX_ARGUMENT_CHARS) : value;
}

/** Progress of a turn from a note of another process. */
export function turnProgressFrom({ socket: _socket, visit: _visit, ...note }: AgentProgress): TurnProgress {
  return note;
}

export interface ProgressQueueLimits {
  readonly characters: number;
  readonly notes: number;
}

const LOCAL_QUEUE_LIMITS: ProgressQueueLimits = { characters: 256 * 1024, notes: 2_000 };

export type ProgressQueue = ReturnType<typeof createProgressQueue>;

/** Notes that wait for a listener. Consecutive text becomes one note; the oldest notes are dropped when there are too many. */
export function createProgressQueue(room: ProgressQueueLimits = LOCAL_QUEUE_LIMITS) {
  let notes: AgentProgress[] = [];
  let characters = 0;
  let taken = 0;
  const take = (): AgentProgress | undefined => {
    const first = notes.shift();
    if (!first) return undefined;
    characters -= progressSize(first);
    taken += 1;
    return first;
  };
  const isTooLong = (): boolean => notes.length > 1 && (characters > room.characters || notes.length > room.notes);
  return {
    push: (note: AgentProgress): void => {
      const last = notes.at(-1);
      const joined = last && mergeProgress(last, note, room);
      if (joined) notes[notes.length - 1] = joined;
      else notes.push(note);
      characters += progressSize(joined ?? note) - (last && joined ? progressSize(last) : 0);
      while (isTooLong()) take();
    },
    take,
    all: (): readonly AgentProgress[] => notes,
    removedCount: () => taken,
    dropUsage: (): void => {
      notes = notes.filter(({ kind }) => kind !== "used");
      characters = notes.reduce((sum, note) => sum + progressSize(note), 0);
    },
    clear: (): void => {
      notes = [];
      characters = 0;
      taken = 0;
    },
  };
}

function mergeProgress(a: AgentProgress, b: AgentProgress, room: ProgressQueueLimits): AgentProgress | undefined {
  // The output so far replaces the earlier output.
  if (a.kind === "tool_said" && b.kind === "tool_said" && a.id === b.id) return b;
  if ((a.kind !== "text" && a.kind !== "thinking") || a.kind !== b.kind) return undefined;
  if (a.socket !== b.socket || a.visit !== b.visit || a.from + a.delta.length !== b.from) return undefined;
  // Limit a joined note: beyond this the oldest ones are dropped.
  return a.delta.length > room.characters / 4 ? undefined : { ...a, delta: a.delta + b.delta };
}

function progressSize(note: AgentProgress): number {
  return "delta" in note ? note.delta.length : "said" in note ? 200 + note.said.length : 200;
}
