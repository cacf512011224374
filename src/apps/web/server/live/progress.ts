import type { TurnProgress } from "../../../../shell/ports.ts";

/** What the agent of a visit does right now. It is kept nowhere: what counts is in the journal. */
export type Note = { readonly socket: string; readonly visit: number } & (
  | { readonly kind: "asked" }
  /** `from` characters of this turn's text came before: a listener that missed some can tell. */
  | { readonly kind: "text" | "thinking"; readonly from: number; readonly delta: string }
  | Extract<TurnProgress, { kind: "tool_started" | "tool_ended" | "retrying" }>
);

const MOST_CHARACTERS = 256 * 1024;
const MOST_NOTES = 2_000;

/** Notes that wait for a listener. Text that follows on text is one note, and the oldest go when there are too many. */
export interface NoteQueue {
  readonly push: (note: Note) => void;
  readonly take: () => Note | undefined;
  readonly all: () => readonly Note[];
  readonly clear: () => void;
}

export function noteQueue(): NoteQueue {
  let notes: Note[] = [];
  let characters = 0;
  const take = (): Note | undefined => {
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
      characters += sizeOf(note);
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

function joinNotes(a: Note, b: Note): Note | undefined {
  if ((a.kind !== "text" && a.kind !== "thinking") || a.kind !== b.kind) return undefined;
  if (a.socket !== b.socket || a.visit !== b.visit || a.from + a.delta.length !== b.from) return undefined;
  // A joined note may not grow for ever: beyond this the oldest ones go.
  return a.delta.length > MOST_CHARACTERS / 4 ? undefined : { ...a, delta: a.delta + b.delta };
}

function sizeOf(note: Note): number {
  return "delta" in note ? note.delta.length : 200;
}
