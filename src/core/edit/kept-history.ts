import * as v from "valibot";
import type { History } from "./history.ts";

const Step = v.object({ value: v.string(), what: v.string(), kind: v.exactOptional(v.string()) });

/** A history as texts: what survives the page. */
export const KeptHistory = v.object({ past: v.array(Step), present: v.string(), future: v.array(Step) });
export type KeptHistory = v.InferOutput<typeof KeptHistory>;

/** Nobody goes back further after a reload, and a browser keeps little. */
const KEPT_STEPS = 50;
const KEPT_CHARACTERS = 500_000;

/** [E23] The nearest steps, as many as there is room for. */
export function keepHistory<T>({ past, present, future }: History<T>, textOf: (value: T) => string): KeptHistory {
  const written = textOf(present);
  let room = KEPT_CHARACTERS - written.length;
  const near = (steps: History<T>["past"]): KeptHistory["past"] => {
    const taken: KeptHistory["past"] = [];
    for (const { value, ...step } of steps.slice(0, KEPT_STEPS)) {
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
export function readHistory<T>(kept: KeptHistory, read: (text: string, before: T | undefined) => T): History<T> {
  let before: T | undefined;
  const next = (text: string): T => {
    before = read(text, before);
    return before;
  };
  const past = kept.past.map((step) => ({ ...step, value: next(step.value) }));
  const present = next(kept.present);
  return { past, present, future: kept.future.map((step) => ({ ...step, value: next(step.value) })) };
}
