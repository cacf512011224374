import { evaluateFormula, type TurnFormula } from "../../../core/compile/worst-case.ts";

/** `3 + 9 per item`. */
export function worstCaseText(turns: TurnFormula): string {
  if (turns === null) return "no bound";
  const loops = Object.keys(turns).filter((loop) => loop !== "");
  const words = loops.map((loop) => `${turns[loop]} per item${loops.length === 1 ? "" : ` of ${loop}`}`);
  const outside = turns[""] === undefined ? [] : [String(turns[""])];
  return [...outside, ...words].join(" + ") || "0";
}

export function worstCaseExample(turns: TurnFormula): string | null {
  const counted = Object.keys(turns ?? {}).some((loop) => loop !== "");
  const total = evaluateFormula(turns, () => 10);
  return counted && Number.isFinite(total) ? `${total.toLocaleString("en")} with 10 items` : null;
}
