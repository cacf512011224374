import { evaluateFormula, type TurnFormula, type WorstCase } from "../../compile/worst-case.ts";
import { buildFlow, type Flow } from "../../compile/flow.ts";
import type { Graph } from "../../compile/graph.ts";
import { nameText, destinationText } from "./labels.ts";
import { isGraphLoop, cyclesOfLoopsAlone } from "../../compile/check/cycles.ts";

/** [G23] `at most 3 + 9 n turns (n work items); 5 + 14 n with every repair`. */
export function worstCaseText(graph: Graph, { turns, withRepairs }: WorstCase): string {
  const symbols = loopSymbols([turns, withRepairs]);
  const plain = formulaText(turns, symbols);
  const repaired = formulaText(withRepairs, symbols);
  if (plain === undefined || repaired === undefined) return `no bound: ${unboundedReason(graph)}`;
  const legend = legendText(graph, symbols);
  const unit = plain === "1" ? "turn" : "turns";
  return `at most ${plain} ${unit}${legend}${repaired === plain ? "" : `; ${repaired} with every repair`}`;
}

/** `350 with 10 items`, for a formula that counts items. */
export function worstCaseExample({ turns }: WorstCase): string | null {
  const total = evaluateFormula(turns, () => 10);
  const hasItems = termsOf(turns).some(([loop]) => loop !== "");
  return hasItems && Number.isFinite(total) ? `${total.toLocaleString("en")} with 10 items` : null;
}

type LoopSymbols = ReadonlyMap<string, string>;

/** One loop is `n`, several are `n₁`, `n₂`, … */
function loopSymbols(amounts: readonly TurnFormula[]): LoopSymbols {
  const loops = [...new Set(amounts.flatMap((amount) => termsOf(amount).flatMap(([loop]) => loop || [])))];
  return new Map(loops.map((loop, index) => [loop, loops.length === 1 ? "n" : `n${subscript(index + 1)}`]));
}

/** Terms without items come first. */
function termsOf(amount: TurnFormula): readonly (readonly [string, number])[] {
  const terms = Object.entries(amount ?? {}).filter(([, count]) => count !== 0);
  return terms.toSorted(([a], [b]) => Number(a !== "") - Number(b !== ""));
}

function formulaText(amount: TurnFormula, symbols: LoopSymbols): string | undefined {
  if (amount === null) return undefined;
  const terms = termsOf(amount).map(([loop, count]) => termText(count, symbols.get(loop)));
  if (terms.includes(undefined)) return undefined;
  return terms.length === 0 ? "0" : terms.join(" + ");
}

/** `3`, `9 n`, `n`, `2 n₁`; an infinite count has no bound. */
function termText(count: number, symbol: string | undefined): string | undefined {
  if (!Number.isFinite(count)) return undefined;
  const shown = Number.isSafeInteger(count) ? String(count) : count.toExponential(1).replace("e+", "e");
  if (symbol === undefined) return shown;
  return count === 1 ? symbol : `${shown} ${symbol}`;
}

const LEGEND_SHOWN = 6;

function legendText(graph: Graph, symbols: LoopSymbols): string {
  if (symbols.size === 0) return "";
  const entries = [...symbols].map(
    ([id, symbol]) =>
      `${symbol} ${symbols.size === 1 ? loopItemsText(graph, id) : `items of the loop ${nameText(id)}`}`,
  );
  const more = entries.length > LEGEND_SHOWN ? [`… and ${entries.length - LEGEND_SHOWN} more`] : [];
  return ` (${[...entries.slice(0, LEGEND_SHOWN), ...more].join(", ")})`;
}

function loopItemsText(graph: Graph, id: string): string {
  const items = Object.hasOwn(graph.loops, id) ? (graph.loops[id]?.items?.join(".") ?? "workItems") : "workItems";
  return items === "workItems" ? "work items" : `items of state.${nameText(items)}`;
}

function unboundedReason(graph: Graph): string {
  const [places] = unboundedCycles(graph, buildFlow(graph));
  if (!places) return "the formula grows beyond all numbers";
  const shown = places.length > 5 ? [...places.slice(0, 4), `${places.length - 4} more`] : places;
  const names = shown.length === 1 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
  return `nothing ends the way round ${names}: no exit is counted, and each pass begins anew; lead it through a socket outside loops`;
}

function subscript(number: number): string {
  return String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉".charAt(Number(digit)));
}

/** Cycles between loops without a bound, each as the names of its places. */
function unboundedCycles(graph: Graph, flow: Flow): readonly (readonly string[])[] {
  return cyclesOfLoopsAlone(graph, flow).map((round) =>
    round.map((place) => (isGraphLoop(place) ? `the loop ${nameText(place.id)}` : destinationText(graph, place.id))),
  );
}
