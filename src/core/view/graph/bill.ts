import type { Budget, CastLimits } from "../../model/config.ts";
import { materiaMayWrite, toolsInScope, KNOWN_TOOLS, type AgentMateria, type Materia } from "../../model/materia.ts";
import { countedText, oneLine, sanitizeForTerminal } from "../../model/text.ts";
import type { Settings } from "../../catalog/settings.ts";
import type { Flow } from "../../compile/flow.ts";
import { readingOrder, orderedBlocks, type GraphBlock } from "../../compile/reading-order.ts";
import { type Graph, materiaOf } from "../../compile/graph.ts";
import { equipmentNames } from "../../compile/sandboxes.ts";
import { evaluateFormula, worstCase } from "../../compile/worst-case.ts";
import type { CastStart } from "../../cast/state/state.ts";
import type { CastFacts, VisitFact } from "../../history/facts.ts";
import { forecastGraph, type QuantileRange } from "../../history/forecast.ts";
import * as v from "valibot";
import { CastId } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/json.ts";
import { line, toned, type Line } from "../line.ts";
import { amountText, costText } from "../numbers.ts";
import { formulaText, symbolsFor, type LoopSymbols, nameText } from "./labels.ts";

/** [YD1] What a cast of a loadout may take and do, for every app. */
export interface Bill {
  readonly loadout: string;
  /** `Auto-Plan → [ Build → Review ] × N` */
  readonly shape: string;
  readonly worstCase: {
    /** `2 + 6 N`; null where there is no bound. */
    readonly turns: string | null;
    /** The same for the likely number of items. */
    readonly forItems: number | null;
  };
  readonly items: number;
  readonly forecast: {
    readonly basis: string;
    /** Past casts that the figures come from; 0 for typical sizes. */
    readonly casts: number;
    readonly tokens: QuantileRange;
    /** Null without past casts: typical sizes have no price. */
    readonly cost: QuantileRange | null;
  } | null;
  /** Agents that may change files, and programs. */
  readonly writes: readonly string[];
  /** Programs, with the materia that runs them; an agent with a shell runs any. */
  readonly runs: readonly { readonly materia: string; readonly command: string }[];
  /** Tools that are not built into Pi. */
  readonly otherTools: readonly string[];
  /** Skills, extensions, servers, sandboxes and variables, with the materia that has them. */
  readonly equipment: readonly { readonly materia: string; readonly part: string }[];
  readonly asksPerson: readonly string[];
  readonly models: readonly { readonly materia: string; readonly model: string }[];
  readonly budget: Budget;
}

export interface BillRequest {
  readonly graph: Graph;
  readonly flow: Flow;
  readonly past: readonly CastFacts[];
  readonly limits: CastLimits;
  readonly budget: Budget;
  /** The model of agents that name none, if known. */
  readonly model?: string | undefined;
  /** The model that replaces all others. */
  readonly typedModel?: string | undefined;
  /** The number of items; if unset the likely one. */
  readonly items?: number;
}

/** `sessionModel` answers where the settings name no model. */
export function billSettings({ limits, budget, model }: Settings, sessionModel?: string) {
  return { limits, budget, model: model ?? sessionModel };
}

export function makeBill({ graph, flow, limits, budget, past, ...asked }: BillRequest): Bill {
  const { model, typedModel } = asked;
  const { turns } = worstCase(graph, flow, limits);
  const loops = orderedBlocks(graph).flatMap(({ loop }) => loop?.id ?? []);
  const symbols = symbolsFor(loops, "N");
  const start: CastStart = { castId: v.parse(CastId, "bill"), request: "", graph, limits, budget: {}, data: {} };
  const request = { start, flow, ...withoutUndefined({ model: typedModel ?? model, items: asked.items }) };
  const fromPast = forecastGraph(past, request);
  const forecast = fromPast ?? forecastGraph([typicalFacts(graph)], request);
  const items = loops.length === 0 ? 0 : (asked.items ?? forecast?.items ?? 1);
  const most = evaluateFormula(turns, () => items);
  const seated = new Map(readingOrder(graph).map((socket) => [socket.materia, materiaOf(graph, socket)]));
  const collect = <T>(of: (materia: Materia, name: string) => readonly T[]): readonly T[] =>
    [...seated].flatMap(([name, materia]) => of(materia, name));
  const tools = collect((each) => (each.type === "agent" ? toolsInScope(each.tools) : []));
  return {
    loadout: graph.name,
    shape: shapeText(graph, symbols),
    worstCase: { turns: formulaText(turns, symbols) ?? null, forItems: Number.isFinite(most) ? most : null },
    items,
    forecast: forecast
      ? {
          basis: fromPast ? countedText(fromPast.casts, "past cast") : "no history: typical sizes",
          casts: fromPast?.casts ?? 0,
          tokens: forecast.tokens,
          cost: fromPast ? forecast.cost : null,
        }
      : null,
    writes: collect((each, name) => (each.type === "agent" && materiaMayWrite(each) ? [name] : [])),
    runs: collect((each, name) => programsOf(each).map((command) => ({ materia: name, command }))),
    otherTools: [...new Set(tools.filter((tool) => !KNOWN_TOOLS.includes(tool)))],
    equipment: collect((each, materia) => {
      // Bundled programs may have those of every tool that they know.
      const variables = each.type === "utility" && each.script === undefined ? (each.env ?? []) : [];
      const parts = [...equipmentNames(graph, each), ...variables.map((name) => `variable ${name}`)];
      return parts.map((part) => ({ materia, part }));
    }),
    asksPerson: collect(({ type }, name) => (type === "person" ? [name] : [])),
    models: collect((each, name) => {
      if (each.type !== "agent") return [];
      return [{ materia: name, model: modelText(each, typedModel ?? each.model ?? model) }];
    }),
    budget,
  };
}

function modelText(materia: AgentMateria, model: string | undefined): string {
  const own = model ?? "the model of Pi's settings";
  return materia.notModelOf === undefined ? own : `${own}, another than that of ${materia.notModelOf}`;
}

const SHELL_TOOLS: ReadonlySet<string> = new Set(["bash", "powershell"]);

/** The command, the one in `params` of a bundled utility, or the name of that utility. */
function programsOf(materia: Materia): readonly string[] {
  if (materia.type === "agent")
    return toolsInScope(materia.tools).some((tool) => SHELL_TOOLS.has(tool)) ? ["any command"] : [];
  if (materia.type === "person") return [];
  const own = materia.command ?? materia.params?.["command"];
  if (typeof own === "string") return [own];
  return [Array.isArray(own) ? own.join(" ") : (materia.script ?? "")];
}

/** One line: loops in brackets, places side by side with a bar. Unreached sockets are left out. */
function shapeText(graph: Graph, symbols: LoopSymbols): string {
  const blocks = orderedBlocks(graph).filter(({ reached }) => reached);
  return placesText(blocks.map((block) => ({ text: blockText(block, symbols), aside: block.aside })));
}

function placesText(places: readonly { readonly text: string; readonly aside: number }[]): string {
  return places.map(({ text, aside }, index) => `${index === 0 ? "" : aside > 0 ? " | " : " → "}${text}`).join("");
}

function blockText({ loop, rows }: GraphBlock, symbols: LoopSymbols): string {
  const members = placesText(rows.map(({ socket, aside }) => ({ text: nameText(socket.materia), aside })));
  if (!loop) return members;
  const at = loop.parallel === undefined ? "" : `, ${loop.parallel} at once`;
  return `[ ${members} ] × ${symbols.get(loop.id) ?? "N"}${at}`;
}

/** [YD2] Sizes seen with the bundled materia: what a visit reads and writes depends most on its tools. */
const TYPICAL_TOKENS = { none: 4_000, reads: 25_000, writes: 60_000 };
const TYPICAL_ITEMS = [3, 4, 6, 8];

/** Made-up figures for a graph without history: one answer in four is a no. */
function typicalFacts(graph: Graph): CastFacts {
  const visits = Object.values(graph.sockets).flatMap((socket) => {
    const materia = materiaOf(graph, socket);
    const tokens = materia.type === "agent" ? typicalTokens(materia) : 0;
    return TYPICAL_ITEMS.map((list, index): VisitFact => ({
      socket: socket.id,
      materia: socket.materia,
      model: materia.type === "agent" ? (materia.model ?? "") : "",
      item: null,
      ms: 0,
      tokens,
      cost: 0,
      turns: 1,
      rejected: 0,
      rejectedByTool: 0,
      satisfied: index > 0,
      list: socket.generator ? list : undefined,
      because: undefined,
    }));
  });
  return { visits, itemsDone: 0, outcome: "completed" };
}

function typicalTokens(materia: AgentMateria): number {
  if (materiaMayWrite(materia)) return TYPICAL_TOKENS.writes;
  return toolsInScope(materia.tools).length > 0 ? TYPICAL_TOKENS.reads : TYPICAL_TOKENS.none;
}

/** [YD3] Name and shape, the price, what it does, and who answers. */
export function billLines(bill: Bill): readonly Line[] {
  return [
    line(toned("strong", cleanText(bill.loadout)), `  ${bill.shape}`),
    line(billPriceText(bill)),
    line(billEffectsText(bill)),
    line(toned("dim", modelsText(bill))),
  ];
}

/** Control characters out, nothing cut: the end of a command counts as much as its beginning. */
function cleanText(text: string): string {
  return oneLine(sanitizeForTerminal(text), Infinity);
}

function modelsText({ models }: Bill): string {
  const groups = [...Map.groupBy(models, ({ model }) => model)];
  if (groups.length === 0) return "asks no model";
  const texts = groups.map(
    ([model, of]) => `${cleanText(model)} (${of.map(({ materia }) => cleanText(materia)).join(", ")})`,
  );
  return `models: ${texts.join("; ")}`;
}

function billPriceText({ worstCase: worst, items, forecast, budget }: Bill): string {
  const forItems = items > 0 && worst.forItems !== null ? ` (${worst.forItems} for ${countedText(items, "item")})` : "";
  const limits = [
    ...(budget.maxCostUsd === undefined ? [] : [costText(budget.maxCostUsd)]),
    ...(budget.maxTokens === undefined ? [] : [`${amountText(budget.maxTokens)} tokens`]),
  ];
  return [
    worst.turns === null
      ? "no bound on its turns"
      : `at most ${worst.turns} ${worst.turns === "1" ? "turn" : "turns"}${forItems}`,
    forecast ? likelyText(forecast) : "no agent, no tokens",
    limits.length === 0 ? "no budget set" : `budget ${limits.join(" or ")}`,
  ].join(" · ");
}

function likelyText({ basis, tokens, cost }: NonNullable<Bill["forecast"]>): string {
  const [of, text] = cost === null ? [tokens, amountText] : [cost, costText];
  const range = text(of.p50) === text(of.p90) ? text(of.p50) : `${text(of.p50)} to ${text(of.p90)}`;
  return `likely ${range}${cost === null ? " tokens" : ""} (${basis})`;
}

/** Everything that a person must know before saying yes: no name is left out. */
function billEffectsText({ runs, writes, otherTools, equipment, asksPerson }: Bill): string {
  const list = (names: readonly string[]): string => names.map(cleanText).join(", ");
  const programs = runs.map(({ materia, command }) => (command === materia ? materia : `${command} (${materia})`));
  return [
    programs.length === 0 ? "runs no program" : `runs: ${list(programs)}`,
    writes.length === 0 ? "no agent writes files" : `may write files: ${list(writes)}`,
    ...(otherTools.length === 0 ? [] : [`other tools: ${list(otherTools)}`]),
    ...[...Map.groupBy(equipment, ({ part }) => part)].map(
      ([part, of]) => `${cleanText(part)} (${list(of.map(({ materia }) => materia))})`,
    ),
    ...(asksPerson.length === 0 ? [] : [`asks a person: ${list(asksPerson)}`]),
  ].join(" · ");
}
