import * as v from "valibot";
import type { UndoHistory } from "./history.ts";

const StoredStep = v.object({ value: v.string(), what: v.string(), kind: v.exactOptional(v.string()) });

/** A history as texts: what survives the page. */
export const StoredHistory = v.object({ past: v.array(StoredStep), present: v.string(), future: v.array(StoredStep) });
export type StoredHistory = v.InferOutput<typeof StoredHistory>;

/** Nobody goes back further after a reload, and a browser keeps little. */
const MAX_STORED_STEPS = 50;
const MAX_STORED_CHARACTERS = 500_000;

/** [E23] The nearest steps, as many as there is room for. */
export function serializeHistory<T>({ past, present, future }: UndoHistory<T>, textOf: (value: T) => string): StoredHistory {
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

/** Read in the order in which it was done: what cannot be read by itself stands on what came before it. */
export function restoreHistory<T>(kept: StoredHistory, read: (text: string, before: T | undefined) => T): UndoHistory<T> {
  let before: T | undefined;
  const next = (text: string): T => {
    before = read(text, before);
    return before;
  };
  const past = kept.past.map((step) => ({ ...step, value: next(step.value) }));
  const present = next(kept.present);
  return { past, present, future: kept.future.map((step) => ({ ...step, value: next(step.value) })) };
}
