import type { EventOf, FreshReason } from "../../cast/state/event.ts";
import { isGraphLoop, materiaOf, type Graph, type GraphLoop, type GraphSocket } from "../../compile/graph.ts";
import { END, type Destination } from "../../model/ids.ts";
import type { Condition } from "../../model/loadout.ts";
import type { Materia } from "../../model/materia.ts";
import { oneLine } from "../../model/text.ts";
import type { Tone } from "../line.ts";
import { evaluateFormula, type TurnFormula, type WorstCase } from "../../compile/worst-case.ts";
import { buildFlow } from "../../compile/flow.ts";
import { cyclesOfLoopsAlone } from "../../compile/check/cycles.ts";
import { groupedText } from "../numbers.ts";

const NAME_LIMIT = 100;

/** A name in one line, without control characters. */
export function nameText(name: string): string {
  return oneLine(name, NAME_LIMIT);
}

/** `Socket-6 (Maintain)`, by the ids of this graph; or `end`. */
export function destinationText(graph: Graph, to: Destination): string {
  if (to === END) return END;
  const socket = Object.hasOwn(graph.sockets, to) ? graph.sockets[to] : undefined;
  return socket ? `${nameText(to)} (${nameText(socket.materia)})` : nameText(to);
}

/** [I8] Whose conversation a visit continues, or why it starts a new one; empty for most visits. */
export function conversationText({ continues, fresh }: Pick<EventOf<"visit_started">, "continues" | "fresh">): string {
  if (continues !== undefined) return `continues visit ${continues}`;
  return fresh === undefined ? "" : `new conversation: the last one ${FRESH_TEXTS[fresh]}`;
}

const FRESH_TEXTS: Readonly<Record<FreshReason, string>> = {
  length: "is too long",
  model: "was with another model",
  missing: "is missing",
};

/** `Build (Socket-4)`: reports put the materia first. */
export function visitLabel(socket: string, materia: string): string {
  return `${nameText(materia)} (${nameText(socket)})`;
}

const CONDITIONS: Readonly<Record<Condition, readonly [text: string, tone: Tone]>> = {
  always: ["always", "plain"],
  satisfied: ["✓ satisfied", "ok"],
  not_satisfied: ["✗ not satisfied", "rework"],
};

/** [YP21] Names who asks: the words below it are those of the extension. */
export function extensionQuestionTitle(
  extension: string,
  { socket, materia, item }: { readonly socket: string; readonly materia: string; readonly item: string | null },
): string {
  return `The extension ${nameText(extension)} asks, in ${visitLabel(socket, materia)}${item === null ? "" : ` for ${item}`}:`;
}

export function conditionText(when: Condition): string {
  return CONDITIONS[when][0];
}

export function conditionTone(when: Condition): Tone {
  return CONDITIONS[when][1];
}

/** A circle for an agent, a diamond for a utility, a triangle for a person. */
export function materiaIcon(type: Materia["type"]): string {
  return { agent: "●", utility: "◆", person: "▲" }[type];
}

export function iconOf(graph: Graph, socket: GraphSocket): string {
  return materiaIcon(materiaOf(graph, socket).type);
}

/** [V4] `Loop workItemIteration (4 at once) over the work items of Socket-3 (Auto-Plan)`: a narrow terminal cuts the end. */
export function loopText(graph: Graph, loop: GraphLoop): string {
  const lanes = loop.parallel === undefined ? "" : ` (${loop.parallel} at once)`;
  return `Loop ${nameText(loop.id)}${lanes}${loopListText(graph, loop)}`;
}

function loopListText(graph: Graph, { from, items }: GraphLoop): string {
  if (from !== null) return ` over the work items of ${destinationText(graph, from)}`;
  return items === null ? ", which walks no list" : ` over the items of state.${nameText(items.join("."))}`;
}

/** [G23] `at most 3 + 9 n turns (n work items); 5 + 14 n with every repair`. */
export function worstCaseText(graph: Graph, { turns, withRepairs }: WorstCase): string {
  // One loop is `n`, several are `n₁`, `n₂`, …
  const amounts = [turns, withRepairs];
  const loops = [...new Set(amounts.flatMap((amount) => termsOf(amount).flatMap(([loop]) => loop || [])))];
  const symbols = symbolsFor(loops, "n");
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
  return hasItems && Number.isFinite(total) ? `${groupedText(total)} with 10 items` : null;
}

export type LoopSymbols = ReadonlyMap<string, string>;

export function symbolsFor(loops: readonly string[], letter: string): LoopSymbols {
  return new Map(loops.map((loop, index) => [loop, loops.length === 1 ? letter : `${letter}${subscript(index + 1)}`]));
}

/** Terms without items come first. */
function termsOf(amount: TurnFormula): readonly (readonly [string, number])[] {
  const terms = Object.entries(amount ?? {}).filter(([, count]) => count !== 0);
  return terms.toSorted(([a], [b]) => Number(a !== "") - Number(b !== ""));
}

/** Undefined where there is no bound. */
export function formulaText(amount: TurnFormula, symbols: LoopSymbols): string | undefined {
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
  const [round] = cyclesOfLoopsAlone(graph, buildFlow(graph));
  if (!round) return "the formula grows beyond all numbers";
  const places = round.map((place) =>
    isGraphLoop(place) ? `the loop ${nameText(place.id)}` : destinationText(graph, place.id),
  );
  const shown = places.length > 5 ? [...places.slice(0, 4), `${places.length - 4} more`] : places;
  const names = shown.length === 1 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
  return `nothing ends the way round ${names}: no exit is counted, and each pass begins anew; lead it through a socket outside loops`;
}

function subscript(number: number): string {
  return String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉".charAt(Number(digit)));
}
