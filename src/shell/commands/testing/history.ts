import type { Command } from "../../../core/command/command.ts";
import { compile } from "../../../core/compile/targets/compile.ts";
import { worstCase } from "../../../core/compile/weigh/worst-case.ts";
import { parseCastId } from "../../../core/model/ids.ts";
import { error, fail, ok } from "../../../core/model/issue.ts";
import type { Issue, Result } from "../../../core/model/issue.ts";
import { harmless, oneLine } from "../../../core/model/values/text.ts";
import { factsOf } from "../../../core/testing/history/facts.ts";
import type { CastFacts } from "../../../core/testing/history/facts.ts";
import { forecast as forecastGraph, worstTurns } from "../../../core/testing/history/forecast.ts";
import type { Forecast, Range } from "../../../core/testing/history/forecast.ts";
import { statsOf } from "../../../core/testing/history/stats.ts";
import type { MateriaStats } from "../../../core/testing/history/stats.ts";
import { amountText, clockText, costText, countedText } from "../../../core/view/numbers.ts";
import { padColumns } from "../../../core/view/text/columns.ts";
import { line, toned } from "../../../core/view/text/line.ts";
import type { Line } from "../../../core/view/text/line.ts";
import { worstCaseText } from "../../../core/view/worst-case.ts";
import type { Workspace } from "../../casting/workspace/workspace.ts";
import type { Answer } from "../answer/answer.ts";

/** No cost may grow with history: the newest casts say what is true now. */
const LOOKED_AT = 300;

async function pastCasts({ store }: Workspace, most: number): Promise<Result<readonly CastFacts[]>> {
  const ids = await store.ids();
  if (!ids.ok) return ids;
  const casts = await Promise.all(ids.value.slice(0, most).map((id) => store.load(id)));
  return ok(casts.flatMap((cast) => (cast.ok ? [factsOf(cast.value.file, cast.value.events)] : [])));
}

/** [T22] Who does what, how well, and for how much. */
export async function stats(workspace: Workspace): Promise<Result<Answer>> {
  const past = await pastCasts(workspace, LOOKED_AT);
  if (!past.ok) return past;
  if (past.value.length === 0)
    return fail(
      error("no_cast", workspace.store.place, "there are no casts here yet", `start one with "cast <prompt>"`),
    );
  const rows = statsOf(past.value);
  return ok({
    code: 0,
    data: { casts: past.value.length, materia: rows },
    lines: () => statsLines(rows, past.value.length),
  });
}

function statsLines(rows: readonly MateriaStats[], casts: number): readonly Line[] {
  const cells = rows.map((row) => [
    oneLine(row.materia, 24),
    oneLine(row.model, 28),
    String(row.visits),
    String(row.rejected),
    `${row.reworkCaused}/${row.reworkReceived}`,
    row.yes === 0 ? "" : `${row.overturned} of ${row.yes}`,
    row.tokensPerItem === null ? "" : amountText(row.tokensPerItem),
    costText(row.cost),
    clockText(row.seconds * 1000),
  ]);
  const heads = [
    "materia",
    "model",
    "visits",
    "refused",
    "rework made/got",
    "yes overturned",
    "tokens/item",
    "cost",
    "time",
  ];
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const text = (row: readonly string[]): string => row.map((cell, at) => padColumns(cell, widths[at] ?? 0)).join("  ");
  return [
    line(toned("dim", text(heads))),
    ...cells.map((row) => line(text(row))),
    line(toned("dim", `From the newest ${countedText(casts, "cast")}.`)),
  ];
}

type ForecastCommand = Extract<Command, { kind: "forecast" }>;

/** [T23] What a cast will take, before money is spent. */
export async function forecast(workspace: Workspace, { loadout, items }: ForecastCommand): Promise<Result<Answer>> {
  const { catalog } = workspace;
  const name = loadout ?? catalog.settings.activeLoadout.value;
  const made = await forecastOf(workspace, name, items);
  if (!made.ok) return made;
  const { told, worst, text } = made.value;
  const range = (of: Range | undefined) => ({ p50: of?.p50 ?? null, p90: of?.p90 ?? null });
  return ok({
    code: 0,
    data: {
      loadout: name,
      casts: told?.casts ?? 0,
      items: items ?? null,
      turns: { ...range(told?.turns), worst },
      tokens: range(told?.tokens),
      cost: range(told?.cost),
      seconds: range(told?.seconds),
      unknown: told?.unknown ?? [],
    },
    lines: () => forecastLines(name, told, text),
  });
}

interface MadeForecast {
  readonly told: Forecast | undefined;
  readonly worst: number | null;
  readonly text: string;
}

async function forecastOf(workspace: Workspace, name: string, items?: number): Promise<Result<MadeForecast>> {
  const { catalog } = workspace;
  const { limits } = catalog.settings;
  const compiled = compile([{ kind: "loadout", name }], catalog);
  if (!compiled.ok) return compiled;
  const past = await pastCasts(workspace, LOOKED_AT);
  if (!past.ok) return past;
  const { graph, flow } = compiled.value;
  const castId = parseCastId("forecast");
  if (castId === undefined) throw new Error("an id of this form can be had");
  const start = { castId, request: "", graph, limits, budget: {}, data: {} };
  const request = { start, flow, ...(items === undefined ? {} : { items }) };
  const worst = items === undefined ? null : worstTurns(request, items);
  return ok({
    told: forecastGraph(past.value, request),
    worst,
    text: worstCaseText(graph, worstCase(graph, flow, limits)),
  });
}

function forecastLines(name: string, told: Forecast | undefined, worst: string): readonly Line[] {
  const head = line(toned("strong", harmless(name)), toned("dim", `  worst case: ${worst}`));
  if (!told) return [head, line("No past cast of these materia here, so that nothing likely can be said.")];
  const row = (what: string, { p50, p90 }: Range, text: (value: number) => string): Line =>
    line(toned("dim", padColumns(what, 8)), `${text(p50)} likely, `, toned("rework", `${text(p90)} if it goes badly`));
  return [
    head,
    row("turns", told.turns, String),
    row("tokens", told.tokens, amountText),
    row("cost", told.cost, costText),
    row("time", told.seconds, (seconds) => clockText(seconds * 1000)),
    line(toned("dim", `From ${countedText(told.casts, "past cast")}, 500 runs of the graph.`)),
    ...(told.unknown.length === 0
      ? []
      : [
          line(
            toned("rework", `Without a past: ${told.unknown.map(harmless).join(", ")}; the others stand in for them.`),
          ),
        ]),
  ];
}

/** [T24] Why a cast is not begun, where its bad case costs more than was allowed. */
export async function tooDear(workspace: Workspace, name: string, mostUsd: number): Promise<Issue | undefined> {
  const made = await forecastOf(workspace, name);
  const bad = made.ok ? made.value.told?.cost.p90 : undefined;
  if (bad === undefined || bad <= mostUsd) return undefined;
  const message = `a cast of ${name} may cost ${costText(bad)}, more than ${costText(mostUsd)}`;
  return error("forecast_too_high", "--max-forecast", message, `"forecast ${name}" says what that rests on`);
}
