import { SIMPLEST_ANSWER, type SimulatedAnswer } from "./choice.ts";
import { runFuzzCast, type FuzzedCast, type FuzzSubject } from "./one-cast.ts";

const MOST_TRIES = 200;

/** The same finding with answers as simple as it allows, and none that it does not need. */
export function shrinkFuzzedCast(subject: FuzzSubject, found: FuzzedCast, what: string): FuzzedCast {
  let best = found;
  const accept = (choices: readonly SimulatedAnswer[]): boolean => {
    const one = runFuzzCast(subject, (at) => choices[at] ?? SIMPLEST_ANSWER, found.itemsGo);
    if (!one.findings.includes(what) || one.choices.length > best.choices.length) return false;
    best = one;
    return true;
  };
  let at = 0;
  // Each try costs a cast.
  for (let tries = 0; tries < MOST_TRIES && at < best.choices.length; tries += 1) {
    const { choices } = best;
    // Left out, else as simple as it can be.
    if (accept([...choices.slice(0, at), ...choices.slice(at + 1)]) && best.choices.length < choices.length) continue;
    if (!isSimplestAnswer(choices[at] ?? SIMPLEST_ANSWER)) accept([...choices.slice(0, at), SIMPLEST_ANSWER, ...choices.slice(at + 1)]);
    at += 1;
  }
  return best;
}

export function isSimplestAnswer({ satisfied, items, hostile }: SimulatedAnswer): boolean {
  return satisfied === SIMPLEST_ANSWER.satisfied && items === SIMPLEST_ANSWER.items && hostile === undefined;
}
