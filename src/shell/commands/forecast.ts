import * as v from "valibot";
import { suggest, typed, error, ok, type Issue, type Result } from "../../core/model/issue.ts";
import type { TargetRef, CommandOf } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { compileTargets } from "../../core/compile/targets/compile.ts";
import type { Budget } from "../../core/model/config.ts";
import { worstCase } from "../../core/compile/worst-case.ts";
import { CastId } from "../../core/model/ids.ts";
import { sanitizeForTerminal, oneLine, countedText } from "../../core/model/text.ts";
import {
  forecastGraph,
  maxTurns,
  type Forecast,
  type QuantileRange,
  materiaStats,
  type MateriaStats,
} from "../../core/history/forecast.ts";
import { amountText, durationText, costText } from "../../core/view/numbers.ts";
import {
  padColumns,
  plainText,
  tableLines,
  line,
  toned,
  wrapLine,
  type Line,
  type TableColumn,
} from "../../core/view/line.ts";
import { worstCaseText } from "../../core/view/graph/labels.ts";
import type { ForecastResponse } from "../../core/wire/catalog.ts";
import { SESSION_MODEL_VARIABLE } from "../workspace/agent-hosts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { castFacts, type CastFacts } from "../../core/history/facts.ts";
import type { CastStore, LoadedCast } from "../store/cast-store.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { billLines, billSettings, makeBill, type Bill } from "../../core/view/graph/bill.ts";

function rehearsalsNote(rehearsed: number): string {
  return rehearsed === 0 ? "" : ` ${countedText(rehearsed, "rehearsal")} left out.`;
}

/** [T22] Figures for each materia and model. */
export async function runStats(workspace: Workspace): CommandResult {
  const past = await loadPastCasts(workspace.store);
  if (!past.ok) return past;
  const { casts, rehearsed } = past.value;
  const rows = materiaStats(casts);
  const none = line(`No figures yet: no past cast here used a model.${rehearsalsNote(rehearsed)}`);
  return answer({ casts: casts.length, rehearsed, materia: rows }, (width) =>
    casts.length === 0 ? wrapLine(none, width) : statsLines(rows, past.value, width),
  );
}

function statsLines(rows: readonly MateriaStats[], { casts, rehearsed }: PastCasts, width: number): readonly Line[] {
  const columns: readonly TableColumn<MateriaStats>[] = [
    { title: "materia", of: (row) => oneLine(row.materia, 24) },
    { title: "model", of: (row) => oneLine(row.model, 28) },
    { title: "visits", of: (row) => String(row.visits) },
    // [T22] Handoffs that were refused, and how many of them were calls of `hand_over`.
    {
      title: "refused",
      of: (row) => `${row.rejected}${row.rejectedByTool === 0 ? "" : ` (${row.rejectedByTool} by tool)`}`,
    },
    { title: "sent back / was sent back", of: (row) => `${row.reworkCaused}/${row.reworkReceived}` },
    { title: "approvals later reversed", of: (row) => (row.yes === 0 ? "" : `${row.overturned} of ${row.yes}`) },
    { title: "tokens/item", of: (row) => (row.tokensPerItem === null ? "" : amountText(row.tokensPerItem)) },
    { title: "cost", of: (row) => costText(row.cost) },
    { title: "time", of: (row) => durationText(row.seconds * 1000) },
  ];
  const newest = `From the newest ${countedText(casts.length, "cast")}.${rehearsalsNote(rehearsed)}`;
  return [...tableLines(columns, rows, width), line(toned("dim", newest))];
}

/** [T23] An estimate of a cast before it costs anything. */
export async function runForecast(workspace: Workspace, command: CommandOf<"forecast">): CommandResult {
  const name = command.loadout ?? workspace.catalog.settings.activeLoadout.value;
  const { items, model } = command;
  const made = await makeForecast(workspace, { targets: [{ kind: "loadout", name }], items, model });
  if (!made.ok) return made;
  const { forecast, worst } = made.value;
  const range = (of: QuantileRange | undefined) => ({ p50: of?.p50 ?? null, p90: of?.p90 ?? null });
  const data: ForecastResponse = {
    loadout: name,
    casts: forecast?.casts ?? 0,
    items: made.value.items,
    turns: { ...range(forecast?.turns), worst },
    worstCase: made.value.text,
    tokens: range(forecast?.tokens),
    cost: range(forecast?.cost),
    seconds: range(forecast?.seconds),
    unknown: [...(forecast?.unknown ?? [])],
    otherModel: [...(forecast?.otherModel ?? [])],
  };
  return answer(data, (width) => forecastLines(name, made.value).flatMap((each) => wrapLine(each, width)));
}

interface ForecastTarget {
  readonly targets: readonly TargetRef[];
  readonly items?: number | undefined;
  readonly model?: string | undefined;
}

interface ForecastResult {
  readonly forecast: Forecast | undefined;
  /** The number of items that the worst case is for: as given, else the largest of the past, else 1. */
  readonly items: number;
  readonly worst: number | null;
  readonly text: string;
  readonly rehearsed: number;
}

async function makeForecast(
  workspace: Workspace,
  { targets, items, model }: ForecastTarget,
): Promise<Result<ForecastResult>> {
  const { catalog } = workspace;
  const { limits } = catalog.settings;
  const compiled = compileTargets(targets, catalog);
  if (!compiled.ok) return compiled;
  const past = await loadPastCasts(workspace.store);
  if (!past.ok) return past;
  const { graph, flow } = compiled.value;
  const start = { castId: v.parse(CastId, "forecast"), request: "", graph, limits, budget: {}, data: {} };
  const request = { start, flow, ...withoutUndefined({ items, model }) };
  const forecast = forecastGraph(past.value.casts, request);
  const assumed = items ?? forecast?.items ?? 1;
  return ok({
    forecast,
    items: assumed,
    worst: maxTurns(request, assumed),
    text: worstCaseText(graph, worstCase(graph, flow, limits)),
    rehearsed: past.value.rehearsed,
  });
}

function forecastLines(name: string, { forecast, text: worst, rehearsed }: ForecastResult): readonly Line[] {
  const head = line(toned("strong", sanitizeForTerminal(name)), toned("dim", `  worst case: ${worst}`));
  if (!forecast) return [head, line(`${NO_PAST}.${rehearsalsNote(rehearsed)}`)];
  const row = (what: string, { p50, p90 }: QuantileRange, text: (value: number) => string): Line =>
    line(
      toned("dim", padColumns(what, 8)),
      `${text(p50)} likely, `,
      toned("rework", `${text(p90)} at the 90th percentile`),
    );
  const named = (materia: readonly string[], what: (names: string) => string): readonly Line[] =>
    materia.length === 0
      ? []
      : [line(toned("rework", what(materia.map((each) => sanitizeForTerminal(each)).join(", "))))];
  return [
    head,
    row("turns", forecast.turns, String),
    row("tokens", forecast.tokens, amountText),
    row("cost", forecast.cost, costText),
    row("time", forecast.seconds, (seconds) => durationText(seconds * 1000)),
    line(
      toned(
        "dim",
        `From ${countedText(forecast.casts, "past cast")}, 500 runs of the graph.${rehearsalsNote(rehearsed)}`,
      ),
    ),
    ...named(forecast.unknown, (names) => `No history: ${names}; figures of the others are used for them.`),
    ...named(forecast.otherModel, (names) => `Only with other models so far: ${names}.`),
  ];
}

const NO_PAST = "No estimate yet: no comparable casts";

/** [T24] Refuses a cast whose pessimistic forecast exceeds the limit; says so if there is no forecast. */
export async function checkForecastLimit(
  workspace: Workspace,
  what: ForecastTarget,
  mostUsd: number,
): Promise<{ readonly issue?: Issue; readonly note?: string }> {
  const made = await makeForecast(workspace, what);
  // Starting the cast reports compile problems, with all of them at once.
  if (!made.ok) return {};
  const bad = made.value.forecast?.cost.p90;
  if (bad === undefined)
    return { note: `--max-forecast had no effect: ${NO_PAST.toLowerCase()}; --cost USD stops a running cast` };
  if (bad <= mostUsd) return {};
  const name = what.targets.map(({ name: each }) => each).join(" → ");
  const message = `a cast of ${name} may cost ${costText(bad)}, more than ${costText(mostUsd)}`;
  return { issue: error("forecast_too_high", "--max-forecast", message, FORECAST_HINT) };
}

/** [T27] What a person sees before a cast. */
export async function billNote(
  workspace: Workspace,
  { targets, model }: ForecastTarget,
  budget: Budget = {},
): Promise<string | undefined> {
  const bill = await billFor(workspace, targets, model);
  if (!bill.ok) return undefined;
  return plainText(billLines({ ...bill.value, budget: { ...bill.value.budget, ...budget } }));
}

const FORECAST_HINT = suggest`${typed`forecast`} says what that rests on; --cost USD stops a running cast instead`;

interface PastCasts {
  readonly casts: readonly CastFacts[];
  /** How many casts were left out: rehearsals use no model, no time and no money. */
  readonly rehearsed: number;
}

/** Bound the cost: only the newest casts count. */
const MOST_CASTS = 300;
/** Items of parallel loops are casts themselves. */
const MOST_LOADED = 2_000;

export async function loadPastCasts(store: CastStore): Promise<Result<PastCasts>> {
  const ids = await store.listIds();
  if (!ids.ok) return ids;
  const casts: CastFacts[] = [];
  let [rehearsed, loaded] = [0, 0];
  for (const id of ids.value) {
    if (casts.length === MOST_CASTS || loaded >= MOST_LOADED) break;
    if ((await store.summary(id))?.rehearsed) {
      rehearsed += 1;
      continue;
    }
    const cast = await readCastEvents(store, id);
    if (!cast) continue;
    const items = await readItemCasts(store, cast, MOST_LOADED - loaded);
    loaded += 1 + items.length;
    const { visits, ...facts } = castFacts(cast.file, cast.events);
    const theirs = items.flatMap(({ file, events }) => castFacts(file, events).visits);
    casts.push({ ...facts, visits: [...visits, ...theirs] });
  }
  return ok({ casts, rehearsed });
}

type CastWithEvents = Pick<LoadedCast, "file" | "events">;

/** Events without their states: building the states of all casts would dominate the cost. */
async function readCastEvents(store: CastStore, castId: CastId): Promise<CastWithEvents | undefined> {
  const events: CastEvent[] = [];
  const cast = await store.fold(castId, { begin: () => undefined, step: (_none, event) => void events.push(event) });
  return cast.ok ? { file: cast.value.file, events } : undefined;
}

async function readItemCasts(
  store: CastStore,
  { events }: CastWithEvents,
  most: number,
): Promise<readonly CastWithEvents[]> {
  const found: CastWithEvents[] = [];
  const children = events.flatMap((event) => (event.type === "item_started" ? [event.child] : []));
  for (const child of [...new Set(children)].slice(0, Math.max(0, most))) {
    const cast = await readCastEvents(store, child);
    if (cast) found.push(cast);
  }
  return found;
}

/** [YD1] The bill of a chain in its project. `model` replaces all others. */
async function billFor(
  { catalog, store, place }: Pick<Workspace, "catalog" | "store" | "place">,
  targets: readonly TargetRef[],
  typedModel: string | undefined,
): Promise<Result<Bill>> {
  const compiled = compileTargets(targets, catalog);
  if (!compiled.ok) return compiled;
  const past = await loadPastCasts(store);
  const { graph, flow } = compiled.value;
  // Without history the bill uses typical sizes.
  const facts = past.ok ? past.value.casts : [];
  const settings = billSettings(catalog.settings, place.env[SESSION_MODEL_VARIABLE]);
  return ok(makeBill({ graph, flow, past: facts, ...settings, typedModel }));
}

export async function activeBill(
  workspace: Workspace,
  { loadout, model }: Pick<Options, "loadout" | "model">,
): Promise<Bill | undefined> {
  const name = loadout ?? workspace.catalog.settings.activeLoadout.value;
  const bill = await billFor(workspace, [{ kind: "loadout", name }], model);
  return bill.ok ? bill.value : undefined;
}
