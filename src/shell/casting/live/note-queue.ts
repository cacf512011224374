import type { AgentProgress } from "../../../core/wire/stream.ts";

/** How much is kept for a listener. */
export interface ProgressQueueLimits {
  readonly characters: number;
  readonly notes: number;
}

const LOCAL_QUEUE_LIMITS: ProgressQueueLimits = { characters: 256 * 1024, notes: 2_000 };

/** Notes that wait for a listener. Text that follows on text is one note, and the oldest go when there are too many. */
export interface ProgressQueue {
  readonly push: (note: AgentProgress) => void;
  readonly take: () => AgentProgress | undefined;
  readonly all: () => readonly AgentProgress[];
  /** How many were taken or went since it was last cleared. */
  readonly removedCount: () => number;
  readonly clear: () => void;
}

export function createProgressQueue(room: ProgressQueueLimits = LOCAL_QUEUE_LIMITS): ProgressQueue {
  let notes: AgentProgress[] = [];
  let characters = 0;
  let gone = 0;
  const take = (): AgentProgress | undefined => {
    const first = notes.shift();
    if (!first) return undefined;
    characters -= progressSize(first);
    gone += 1;
    return first;
  };
  const isTooLong = (): boolean => notes.length > 1 && (characters > room.characters || notes.length > room.notes);
  return {
    push: (note) => {
      const last = notes.at(-1);
      const joined = last && mergeProgress(last, note, room);
      if (joined) notes[notes.length - 1] = joined;
      else notes.push(note);
      characters += progressSize(joined ?? note) - (last && joined ? progressSize(last) : 0);
      while (isTooLong()) take();
    },
    take,
    all: () => notes,
    removedCount: () => gone,
    clear: () => {
      notes = [];
      characters = 0;
      gone = 0;
    },
  };
}

function mergeProgress(a: AgentProgress, b: AgentProgress, room: ProgressQueueLimits): AgentProgress | undefined {
  // What a tool has said so far takes the place of what it had said before.
  if (a.kind === "tool_said" && b.kind === "tool_said" && a.id === b.id) return b;
  if ((a.kind !== "text" && a.kind !== "thinking") || a.kind !== b.kind) return undefined;
  if (a.socket !== b.socket || a.visit !== b.visit || a.from + a.delta.length !== b.from) return undefined;
  // A joined note may not grow for ever: beyond this the oldest ones go.
  return a.delta.length > room.characters / 4 ? undefined : { ...a, delta: a.delta + b.delta };
}

function progressSize(note: AgentProgress): number {
  return "delta" in note ? note.delta.length : "said" in note ? 200 + note.said.length : 200;
}
