import type { Progress } from "../../../core/wire/stream.ts";

/** How much is kept for a listener. */
export interface Room {
  readonly characters: number;
  readonly notes: number;
}

const HERE: Room = { characters: 256 * 1024, notes: 2_000 };

/** Notes that wait for a listener. Text that follows on text is one note, and the oldest go when there are too many. */
export interface NoteQueue {
  readonly push: (note: Progress) => void;
  readonly take: () => Progress | undefined;
  readonly all: () => readonly Progress[];
  /** How many were taken or went since it was last cleared. */
  readonly gone: () => number;
  readonly clear: () => void;
}

export function noteQueue(room: Room = HERE): NoteQueue {
  let notes: Progress[] = [];
  let characters = 0;
  let gone = 0;
  const take = (): Progress | undefined => {
    const first = notes.shift();
    if (!first) return undefined;
    characters -= sizeOf(first);
    gone += 1;
    return first;
  };
  const isTooLong = (): boolean => notes.length > 1 && (characters > room.characters || notes.length > room.notes);
  return {
    push: (note) => {
      const last = notes.at(-1);
      const joined = last && joinNotes(last, note, room);
      if (joined) notes[notes.length - 1] = joined;
      else notes.push(note);
      characters += sizeOf(joined ?? note) - (last && joined ? sizeOf(last) : 0);
      while (isTooLong()) take();
    },
    take,
    all: () => notes,
    gone: () => gone,
    clear: () => {
      notes = [];
      characters = 0;
      gone = 0;
    },
  };
}

function joinNotes(a: Progress, b: Progress, room: Room): Progress | undefined {
  // What a tool has said so far takes the place of what it had said before.
  if (a.kind === "tool_said" && b.kind === "tool_said" && a.id === b.id) return b;
  if ((a.kind !== "text" && a.kind !== "thinking") || a.kind !== b.kind) return undefined;
  if (a.socket !== b.socket || a.visit !== b.visit || a.from + a.delta.length !== b.from) return undefined;
  // A joined note may not grow for ever: beyond this the oldest ones go.
  return a.delta.length > room.characters / 4 ? undefined : { ...a, delta: a.delta + b.delta };
}

function sizeOf(note: Progress): number {
  return "delta" in note ? note.delta.length : "said" in note ? 200 + note.said.length : 200;
}
