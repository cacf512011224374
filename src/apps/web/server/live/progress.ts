import type { Progress } from "../../../../core/wire/stream.ts";

const MOST_CHARACTERS = 256 * 1024;
const MOST_NOTES = 2_000;

const MOST_SAID = 8_000;

/** The end of what a tool said: it may say as much as it likes, and the transcript has all of it. */
export function saidAtLast(said: string): string {
  return said.length > MOST_SAID ? `…${said.slice(-MOST_SAID)}` : said;
}

/** Notes that wait for a listener. Text that follows on text is one note, and the oldest go when there are too many. */
export interface NoteQueue {
  readonly push: (note: Progress) => void;
  readonly take: () => Progress | undefined;
  readonly all: () => readonly Progress[];
  readonly clear: () => void;
}

export function noteQueue(): NoteQueue {
  let notes: Progress[] = [];
  let characters = 0;
  const take = (): Progress | undefined => {
    const first = notes.shift();
    if (first) characters -= sizeOf(first);
    return first;
  };
  const isTooLong = (): boolean => notes.length > 1 && (characters > MOST_CHARACTERS || notes.length > MOST_NOTES);
  return {
    push: (note) => {
      const last = notes.at(-1);
      const joined = last && joinNotes(last, note);
      if (joined) notes[notes.length - 1] = joined;
      else notes.push(note);
      characters += sizeOf(joined ?? note) - (last && joined ? sizeOf(last) : 0);
      while (isTooLong()) take();
    },
    take,
    all: () => notes,
    clear: () => {
      notes = [];
      characters = 0;
    },
  };
}

function joinNotes(a: Progress, b: Progress): Progress | undefined {
  // What a tool has said so far takes the place of what it had said before.
  if (a.kind === "tool_said" && b.kind === "tool_said" && a.id === b.id) return b;
  if ((a.kind !== "text" && a.kind !== "thinking") || a.kind !== b.kind) return undefined;
  if (a.socket !== b.socket || a.visit !== b.visit || a.from + a.delta.length !== b.from) return undefined;
  // A joined note may not grow for ever: beyond this the oldest ones go.
  return a.delta.length > MOST_CHARACTERS / 4 ? undefined : { ...a, delta: a.delta + b.delta };
}

function sizeOf(note: Progress): number {
  return "delta" in note ? note.delta.length : "said" in note ? 200 + note.said.length : 200;
}
