import { evaluate, loopsOf } from "../../../../core/compile/amount.ts";
import type { Amount } from "../../../../core/compile/amount.ts";

/** `3 + 9 per item`. */
export function worstWords(turns: Amount): string {
  if (turns === null) return "no bound";
  const terms = Object.entries(turns).toSorted(([a], [b]) => loopsOf(a).length - loopsOf(b).length);
  const loops = new Set(terms.flatMap(([term]) => loopsOf(term)));
  const words = terms.map(([term, count]) => {
    const own = loopsOf(term);
    if (own.length === 0) return `${count}`;
    return own.length === 1 && loops.size === 1 ? `${count} per item` : `${count} per item of ${own.join(" × ")}`;
  });
  return words.length === 0 ? "0" : words.join(" + ");
}

export function exampleOf(turns: Amount): string | null {
  const counted = Object.keys(turns ?? {}).some((term) => loopsOf(term).length > 0);
  const total = evaluate(turns, () => 10);
  return counted && Number.isFinite(total) ? `${total.toLocaleString("en")} with 10 items` : null;
}
