/** Where a person is in what they did; each step knows what it was. */
export interface History<T> {
  readonly past: readonly Step<T>[];
  readonly present: T;
  readonly future: readonly Step<T>[];
}

interface Step<T> {
  readonly value: T;
  /** What leads from here to the next value. */
  readonly what: string;
  /** Steps of one kind in a row, such as letters typed into one field, are one step. */
  readonly kind?: string;
}

/** Nobody undoes more, and a long session keeps a bounded size. */
const KEPT = 500;

export function historyOf<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/** [E10] What was done, with its name. Doing something anew forgets what was undone. */
export function historyWith<T>(history: History<T>, present: T, what: string, kind?: string): History<T> {
  if (Object.is(present, history.present)) return history;
  const last = history.past.at(-1);
  if (kind !== undefined && last?.kind === kind && history.future.length === 0) return { ...history, present };
  const step: Step<T> = { value: history.present, what, ...(kind === undefined ? {} : { kind }) };
  return { past: [...history.past, step].slice(-KEPT), present, future: [] };
}

export function undo<T>(history: History<T>): History<T> {
  const step = history.past.at(-1);
  if (!step) return history;
  return {
    past: history.past.slice(0, -1),
    present: step.value,
    future: [{ ...step, value: history.present }, ...history.future],
  };
}

export function redo<T>(history: History<T>): History<T> {
  const [step, ...future] = history.future;
  if (!step) return history;
  return { past: [...history.past, { ...step, value: history.present }], present: step.value, future };
}

/** Ends a row of steps of one kind, so that the next one is a step of its own. */
export function settle<T>(history: History<T>): History<T> {
  const last = history.past.at(-1);
  if (last?.kind === undefined) return history;
  return { ...history, past: [...history.past.slice(0, -1), { value: last.value, what: last.what }] };
}
