import { oneLine, sanitizeForTerminal, parseMillis } from "../model/text.ts";
import { ageText, amountText, costText, doneCountText, workTimeText } from "./numbers.ts";
import {
  columnsOf,
  cutColumns,
  padColumns,
  DEFAULT_WIDTH,
  fitLine,
  line,
  toned,
  type Line,
  type Span,
} from "./line.ts";
import { workTime, type CastStatus, type CastSummary, type DeliveryOutcome, type WorkTime } from "../cast/summary.ts";

export function statusText(status: CastStatus): string {
  return status.replace("_", " ");
}

/** Glyph and colour of a status. The text beside it says the same. */
export function statusSymbol(status: CastStatus): Span {
  return STATUS_SYMBOLS[status];
}

/** `✓ completed`, in its colour. */
export function statusSpan(status: CastStatus): Span {
  const symbol = statusSymbol(status);
  return { ...symbol, text: `${symbol.text} ${statusText(status)}` };
}

const STATUS_SYMBOLS: Readonly<Record<CastStatus, Span>> = {
  running: { text: "◔", tone: "accent" },
  waiting: { text: "‖", tone: "wait" },
  sleeping: { text: "☾", tone: "wait" },
  paused: { text: "☾", tone: "rework" },
  completed: { text: "✓", tone: "ok" },
  not_satisfied: { text: "⊖", tone: "rework" },
  failed: { text: "✕", tone: "bad" },
  aborted: { text: "■", tone: "dim" },
  interrupted: { text: "╌", tone: "rework" },
  queued: { text: "◌", tone: "dim" },
};

/** The listing in aligned columns, in the order given. `now` in milliseconds. */
export function castListLines(
  casts: readonly CastSummary[],
  { now, width = DEFAULT_WIDTH }: { readonly now: number; readonly width?: number },
): readonly Line[] {
  if (casts.length === 0) return [fitLine(line("No casts yet. Start one, or run the demo: it needs no model."), width)];
  const rows = casts.map((cast) => castCells(cast, now));
  const columns = chooseColumns(rows, width);
  if ((columns.at(-1)?.size ?? 0) < MIN_REQUEST_COLUMNS) return rows.flatMap((row) => narrowCastLines(row, width));
  const head = columns.map(({ name, size }) => toned("dim", name === "request" ? name : `${padColumns(name, size)}  `));
  return [head, ...rows.map((row) => castRowLine(row, columns))].map((each) => fitLine(each, width));
}

/** [C37] The least columns in which a request is recognizable. */
const MIN_REQUEST_COLUMNS = 16;

/** Two lines for each cast: id and status, then the request. */
function narrowCastLines({ status, cast, started, items, loadout, request }: CastListRow, width: number) {
  const what = [started, ...(items.text === "" ? [] : [items]), loadout].map(({ text }) => text).join(" · ");
  const lines = [line(status, "  ", cast), line("  ", toned("dim", `${what} · `), request)];
  return lines.map((each) => fitLine(each, width));
}

const COLUMNS = ["status", "cast", "items", "time", "tokens", "cost", "started", "loadout", "request"] as const;
type ColumnName = (typeof COLUMNS)[number];
type CastListRow = Readonly<Record<ColumnName, Span>>;

function castCells(cast: CastSummary, now: number): CastListRow {
  // Warnings that a reader must see before the request.
  const flags = `${cast.foreign ? "[started elsewhere] " : ""}${cast.rehearsed ? "[rehearsed] " : ""}`;
  return {
    status: statusSpan(cast.status),
    cast: toned("strong", oneLine(cast.castId, 200)),
    items: toned("plain", cast.items.total === 0 ? "" : doneCountText(cast.items)),
    time: toned("plain", workTimeText(castWorkTime(cast, now))),
    tokens: toned("plain", amountText(cast.tokens)),
    cost: toned("plain", costText(cast.cost)),
    started: toned("dim", `${ageText(now - parseMillis(cast.startedAt, now))} ago`),
    loadout: toned("plain", oneLine(cast.loadout, 200)),
    request: toned("plain", `${flags}${oneLine(cast.request, 400)}`),
  };
}

/** Time, tokens and cost need this width. */
const WIDE_MIN_WIDTH = 110;
const WIDE_COLUMNS: readonly ColumnName[] = ["time", "tokens", "cost"];

interface SizedColumn {
  readonly name: ColumnName;
  readonly size: number;
}

/** Each column has the width of its widest cell; loadout and request share the rest. */
function chooseColumns(rows: readonly CastListRow[], width: number): readonly SizedColumn[] {
  let room = width;
  return COLUMNS.flatMap((name) => {
    if (width < WIDE_MIN_WIDTH && WIDE_COLUMNS.includes(name)) return [];
    const natural = rows.reduce((most, row) => Math.max(most, columnsOf(row[name].text)), name.length);
    const limit = name === "loadout" ? Math.max(10, Math.floor(width / 5)) : Infinity;
    const size = name === "request" ? Math.max(0, room) : Math.min(natural, limit);
    room -= size + 2;
    return [{ name, size }];
  });
}

function castRowLine(row: CastListRow, columns: readonly SizedColumn[]): Line {
  return columns.map(({ name, size }) => ({
    ...row[name],
    text: `${padColumns(cutColumns(row[name].text, size), size)}${name === "request" ? "" : "  "}`,
  }));
}

export interface CastGroup {
  readonly title: string;
  readonly casts: readonly CastSummary[];
  /** Shown only on request. */
  readonly isFolded?: boolean;
}

const REHEARSALS = "Rehearsals";

/** [W11] Waiting casts first, then running ones, those that stopped, the rest by day, and rehearsals of the past. */
export function groupCasts(casts: readonly CastSummary[], dayOf: (at: string) => string): readonly CastGroup[] {
  const isAll = casts.every(({ rehearsed }) => rehearsed);
  const titles = casts.map((cast) => groupTitle(cast, isAll) ?? dayOf(cast.startedAt));
  const groups = Map.groupBy(casts, (_cast, index) => titles[index] ?? "");
  const days = [...groups.keys()].filter((title) => !FIRST_GROUPS.includes(title) && title !== REHEARSALS);
  return [...FIRST_GROUPS, ...days, REHEARSALS].flatMap((title) => {
    const group = groups.get(title);
    return group ? [{ title, casts: group, isFolded: title === REHEARSALS }] : [];
  });
}

const FIRST_GROUPS: readonly string[] = ["Needs you", "Running", "Waiting for a worker", "Failed or interrupted"];

/** Null for a group by day. Rehearsals fold only beside casts with a model. */
function groupTitle(cast: CastSummary, areAllRehearsed: boolean): string | null {
  if (needsPersonNow(cast)) return "Needs you";
  if (cast.status === "running" || cast.status === "sleeping") return "Running";
  if (cast.status === "queued") return "Waiting for a worker";
  if (cast.rehearsed && !areAllRehearsed) return REHEARSALS;
  return cast.status === "failed" || cast.status === "interrupted" ? "Failed or interrupted" : null;
}

/** Whether the cast waits for a person: the list, its badge and the title of the tab count the same casts. */
export function needsPersonNow({ status }: Pick<CastSummary, "status">): boolean {
  return status === "waiting" || status === "paused";
}

/** What a listing can be sorted by, and the value of a cast. */
export const CAST_SORTS = {
  status: ({ status }) => status,
  request: ({ request }) => request.toLowerCase(),
  cast: ({ castId }) => castId,
  loadout: ({ loadout }) => loadout.toLowerCase(),
  model: ({ model = "" }) => model,
  items: ({ items }) => (items.total === 0 ? 0 : items.done / items.total),
  visits: ({ visits }) => visits,
  tokens: ({ tokens }) => tokens,
  cost: ({ cost }) => cost,
  duration: (cast, now) => castWorkTime(cast, now).elapsedMs,
  age: (cast, now) => now - parseMillis(cast.startedAt, now),
} as const satisfies Record<string, (cast: CastSummary, now: number) => string | number>;
export type CastSortKey = keyof typeof CAST_SORTS;

export interface CastSort {
  readonly by: CastSortKey;
  readonly isDescending: boolean;
}

export function sortCasts(casts: readonly CastSummary[], { by, isDescending }: CastSort, now: number): CastSummary[] {
  const valueOf = CAST_SORTS[by];
  return casts.toSorted((a, b) => {
    const [left, right] = isDescending ? [valueOf(b, now), valueOf(a, now)] : [valueOf(a, now), valueOf(b, now)];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

/** [C57] As far as both ends of the journal show it: earlier waits count as work. */
export function castWorkTime({ status, startedAt, endedAt, idleSince }: CastSummary, now: number): WorkTime {
  return workTime(
    { startedAt, lastAt: endedAt ?? idleSince ?? new Date(now).toISOString(), idleMs: 0 },
    { status, now },
  );
}

export const CAST_FILTERS = [
  "all",
  "needs_you",
  "running",
  "queued",
  "completed",
  "not_satisfied",
  "failed",
  "interrupted",
  "aborted",
  "rehearsed",
  "archived",
] as const;
export type CastFilter = (typeof CAST_FILTERS)[number];

export interface CastSearch {
  readonly filter: CastFilter;
  readonly text: string;
  readonly loadout: string | null;
}

export const ALL_CASTS: CastSearch = { filter: "all", text: "", loadout: null };

function matchesFilter(cast: CastSummary, filter: CastFilter): boolean {
  // The page knows which casts a person has archived.
  if (filter === "all" || filter === "archived") return true;
  if (filter === "needs_you") return needsPersonNow(cast);
  return filter === "rehearsed" ? cast.rehearsed === true : cast.status === filter;
}

export function matchesSearch(cast: CastSummary, { filter, text, loadout }: CastSearch): boolean {
  if (!matchesFilter(cast, filter) || (loadout !== null && cast.loadout !== loadout)) return false;
  const whose = cast.fleet ? ` ${cast.fleet.project} ${cast.fleet.person} ${cast.fleet.worker ?? ""}` : "";
  const all = `${cast.request} ${cast.castId} ${cast.loadout}${whose}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

export function deliveryText(delivered: DeliveryOutcome): string {
  if ("branch" in delivered) return `pushed as ${delivered.branch}`;
  if ("problem" in delivered) return `not pushed: ${sanitizeForTerminal(delivered.problem)}`;
  return `not pushed: ${delivered.found.map(({ file, kind }) => `${sanitizeForTerminal(file)} holds ${kind}`).join("; ")}`;
}

/** Empty if the cast has nothing to push. */
export function deliveryLines(delivered: DeliveryOutcome | undefined): readonly Line[] {
  if (!delivered) return [];
  const [tone, more] = "branch" in delivered ? (["ok", ""] as const) : (["rework", '; "take" brings it'] as const);
  return [line(toned(tone, `Its result was ${deliveryText(delivered)}${more}.`))];
}
