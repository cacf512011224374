/** Where a person is in what they did; each step knows what it was. */
export interface UndoHistory<T> {
  readonly past: readonly UndoStep<T>[];
  readonly present: T;
  readonly future: readonly UndoStep<T>[];
}

interface UndoStep<T> {
  readonly value: T;
  /** What leads from here to the next value. */
  readonly what: string;
  /** Steps of one kind in a row, such as letters typed into one field, are one step. */
  readonly kind?: string;
}

/** Nobody undoes more, and a long session keeps a bounded size. */
const MAX_STEPS = 500;

export function startHistory<T>(present: T): UndoHistory<T> {
  return { past: [], present, future: [] };
}

/** [E10] What was done, with its name. Doing something anew forgets what was undone. */
export function recordStep<T>(history: UndoHistory<T>, present: T, what: string, kind?: string): UndoHistory<T> {
  if (Object.is(present, history.present)) return history;
  const last = history.past.at(-1);
  if (kind !== undefined && last?.kind === kind && history.future.length === 0) return { ...history, present };
  const step: UndoStep<T> = { value: history.present, what, ...(kind === undefined ? {} : { kind }) };
  return { past: [...history.past, step].slice(-MAX_STEPS), present, future: [] };
}

export function undo<T>(history: UndoHistory<T>): UndoHistory<T> {
  const step = history.past.at(-1);
  if (!step) return history;
  return {
    past: history.past.slice(0, -1),
    present: step.value,
    future: [{ ...step, value: history.present }, ...history.future],
  };
}

export function redo<T>(history: UndoHistory<T>): UndoHistory<T> {
  const [step, ...future] = history.future;
  if (!step) return history;
  return { past: [...history.past, { ...step, value: history.present }], present: step.value, future };
}

/** Ends a row of steps of one kind, so that the next one is a step of its own. */
export function endStepGroup<T>(history: UndoHistory<T>): UndoHistory<T> {
  const last = history.past.at(-1);
  if (last?.kind === undefined) return history;
  return { ...history, past: [...history.past.slice(0, -1), { value: last.value, what: last.what }] };
}
