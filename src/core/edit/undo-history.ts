import * as v from "valibot";

export interface UndoHistory<T> {
  readonly past: readonly UndoStep<T>[];
  readonly present: T;
  readonly future: readonly UndoStep<T>[];
}

interface UndoStep<T> {
  readonly value: T;
  readonly what: string;
  /** Consecutive steps of one kind, such as typing into one field, are one step. */
  readonly kind?: string | undefined;
}

/** Bounds the memory of a long session. */
const MAX_STEPS = 500;

export function startHistory<T>(present: T): UndoHistory<T> {
  return { past: [], present, future: [] };
}

/** [E10] Adds a named step and drops the undone steps. */
export function recordStep<T>(history: UndoHistory<T>, present: T, what: string, kind?: string): UndoHistory<T> {
  if (Object.is(present, history.present)) return history;
  const last = history.past.at(-1);
  if (kind !== undefined && last?.kind === kind && history.future.length === 0) return { ...history, present };
  const step = { value: history.present, what, kind };
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

/** Ends a series of steps of one kind, so that the next edit is a separate step. */
export function endStepGroup<T>(history: UndoHistory<T>): UndoHistory<T> {
  const last = history.past.at(-1);
  if (last?.kind === undefined) return history;
  return { ...history, past: [...history.past.slice(0, -1), { value: last.value, what: last.what }] };
}

const StoredStep = v.object({ value: v.string(), what: v.string(), kind: v.optional(v.string()) });

export const StoredHistory = v.object({ past: v.array(StoredStep), present: v.string(), future: v.array(StoredStep) });
export type StoredHistory = v.InferOutput<typeof StoredHistory>;

/** Bounds the stored history: browsers limit their storage. */
const MAX_STORED_STEPS = 50;
const MAX_STORED_CHARACTERS = 500_000;

/** [E23] The nearest steps that fit. */
export function serializeHistory<T>(
  { past, present, future }: UndoHistory<T>,
  textOf: (value: T) => string,
): StoredHistory {
  const written = textOf(present);
  let room = MAX_STORED_CHARACTERS - written.length;
  const near = (steps: UndoHistory<T>["past"]): StoredHistory["past"] => {
    const taken: StoredHistory["past"] = [];
    for (const { value, ...step } of steps.slice(0, MAX_STORED_STEPS)) {
      const text = textOf(value);
      room -= text.length;
      if (room < 0) break;
      taken.push({ ...step, value: text });
    }
    return taken;
  };
  const back = near(past.toReversed()).toReversed();
  return { past: back, present: written, future: near(future) };
}

/** Reads the steps in order: a broken text needs the draft before it. */
export function restoreHistory<T>(
  kept: StoredHistory,
  read: (text: string, before: T | undefined) => T,
): UndoHistory<T> {
  let before: T | undefined;
  const next = (text: string): T => {
    before = read(text, before);
    return before;
  };
  const past = kept.past.map((step) => ({ ...step, value: next(step.value) }));
  const present = next(kept.present);
  return { past, present, future: kept.future.map((step) => ({ ...step, value: next(step.value) })) };
}
