import { SIMPLE, type Choice } from "./choice.ts";
import { castOnce, type FuzzedCast, type Subject } from "./one-cast.ts";

const MOST_TRIES = 200;

/** The same finding with answers as simple as it allows, and none that it does not need. */
export function smaller(subject: Subject, found: FuzzedCast, what: string): FuzzedCast {
  let best = found;
  const accept = (choices: readonly Choice[]): boolean => {
    const one = castOnce(subject, (at) => choices[at] ?? SIMPLE, found.itemsGo);
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
    if (!isSimple(choices[at] ?? SIMPLE)) accept([...choices.slice(0, at), SIMPLE, ...choices.slice(at + 1)]);
    at += 1;
  }
  return best;
}

export function isSimple({ satisfied, items, hostile }: Choice): boolean {
  return satisfied === SIMPLE.satisfied && items === SIMPLE.items && hostile === undefined;
}
