import type { CastOutcome } from "../cast/state/event.ts";
import type { CastState } from "../cast/state/state.ts";
import { oneLine } from "../model/values/text.ts";
import { ageText, amountText, costText, doneCountText, parseMillis } from "./numbers.ts";
import type { DeliveryOutcome } from "./text/delivery.ts";
import type { CastFigures } from "./figures.ts";
import { columnsOf, cutColumns, padColumns } from "./text/columns.ts";
import { DEFAULT_WIDTH, fitLine, line, toned, type Line, type Span } from "./text/line.ts";

/** `queued` is a cast of a fleet that waits for a worker. */
export type CastStatus = CastOutcome | "running" | "waiting" | "interrupted" | "queued";

/** [C13] What a listing says of a cast. */
export interface CastSummary extends CastFigures {
  readonly castId: string;
  readonly status: CastStatus;
  readonly loadout: string;
  readonly request: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** [B16] Why no worker of a fleet could begin it. */
  readonly blocked?: string;
  /** [B29] Set while a worker makes its tree ready: no visit is under way there yet. */
  readonly settingUp?: { readonly worker: string; readonly since: string };
  /** [B24] What became of pushing its result, where a worker was to. */
  readonly delivered?: DeliveryOutcome;
  /** [B26] Set where it is a cast of a fleet. */
  readonly fleet?: CastOnFleet;
  /** [S10] Set where the cast was not begun by this user on this machine. */
  readonly foreign?: true;
  /** [C36] Set where its agents answer from a file. */
  readonly rehearsed?: true;
}

/** [B26] Whose cast it is, and who drives it now. */
export interface CastOnFleet {
  readonly project: string;
  readonly person: string;
  readonly worker: string | null;
}

/** Whether somebody drives a cast, or will once a worker of its fleet is free. */
export type CastLiveness = boolean | "queued";

/** How a cast stands by its own state; one that neither ended nor waits runs only while its process lives. */
export function castStatus({ phase }: CastState, alive: CastLiveness): CastStatus {
  if (phase.kind === "ended") return phase.outcome;
  if (alive === "queued") return "queued";
  if (phase.kind === "waiting") return "waiting";
  return alive ? "running" : "interrupted";
}

export function statusText(status: CastStatus): string {
  return status.replace("_", " ");
}

/** Glyph and colour of a status; neither is ever the only sign. */
export function statusSymbol(status: CastStatus): Span {
  return STATUS_SYMBOLS[status];
}

const STATUS_SYMBOLS: Readonly<Record<CastStatus, Span>> = {
  running: { text: "◔", tone: "accent" },
  waiting: { text: "‖", tone: "wait" },
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
  if ((columns.at(-1)?.columns ?? 0) < MIN_REQUEST_COLUMNS) return rows.flatMap((row) => narrowCastLines(row, width));
  const head = columns.map(({ name, title, columns: size }) =>
    toned("dim", name === "request" ? title : `${padColumns(title, size)}  `),
  );
  return [head, ...rows.map((row) => castRowLine(row, columns))].map((each) => fitLine(each, width));
}

/** [C37] In fewer columns nobody knows a request again. */
const MIN_REQUEST_COLUMNS = 16;

/** Two lines for each: which one it is and how it stands, and what it was to do. */
function narrowCastLines({ status, castId, age, items, loadout, request }: CastListRow, width: number): readonly Line[] {
  const what = [age, ...(items.text === "" ? [] : [items]), loadout].map(({ text }) => text).join(" · ");
  return [line(status, "  ", castId), line("  ", toned("dim", `${what} · `), request)].map((each) =>
    fitLine(each, width),
  );
}

const COLUMN_TITLES = {
  status: "status",
  castId: "cast",
  age: "age",
  items: "items",
  tokens: "tokens",
  cost: "cost",
  loadout: "loadout",
  request: "request",
} as const;
type ColumnName = keyof typeof COLUMN_TITLES;
type CastListRow = Readonly<Record<ColumnName, Span>>;

interface CastListColumn {
  readonly name: ColumnName;
  readonly title: string;
  readonly columns: number;
}

function castCells(cast: CastSummary, now: number): CastListRow {
  const mark = statusSymbol(cast.status);
  return {
    status: { ...mark, text: `${mark.text} ${statusText(cast.status)}` },
    castId: toned("strong", oneLine(cast.castId, 200)),
    age: toned("dim", ageText(now - parseMillis(cast.startedAt, now))),
    items: toned("plain", cast.items.total === 0 ? "" : doneCountText(cast.items)),
    tokens: toned("plain", amountText(cast.tokens)),
    cost: toned("plain", costText(cast.cost)),
    loadout: toned("plain", oneLine(cast.loadout, 200)),
    request: toned("plain", `${castFlagsText(cast)}${oneLine(cast.request, 400)}`),
  };
}

/** What must be known of a cast before anything else is read of it. */
function castFlagsText({ foreign, rehearsed }: Pick<CastSummary, "foreign" | "rehearsed">): string {
  return `${foreign ? "[foreign] " : ""}${rehearsed ? "[rehearsed] " : ""}`;
}

const NARROW_COLUMNS: readonly ColumnName[] = ["status", "castId", "items", "age", "loadout", "request"];
const WIDE_COLUMNS: readonly ColumnName[] = ["status", "castId", "items", "tokens", "cost", "age", "loadout", "request"];
const WIDE_MIN_WIDTH = 110;

/** Every column as wide as its widest cell; loadout and request share what is left. */
function chooseColumns(rows: readonly CastListRow[], width: number): readonly CastListColumn[] {
  const names = width >= WIDE_MIN_WIDTH ? WIDE_COLUMNS : NARROW_COLUMNS;
  const natural = new Map(
    names.map((name) => [
      name,
      rows.reduce((most, row) => Math.max(most, columnsOf(row[name].text)), COLUMN_TITLES[name].length),
    ]),
  );
  const loadout = Math.min(natural.get("loadout") ?? 0, Math.max(10, Math.floor(width / 5)));
  const fixed = names
    .filter((name) => name !== "request" && name !== "loadout")
    .reduce((sum, name) => sum + (natural.get(name) ?? 0) + 2, 0);
  const request = Math.max(0, width - fixed - loadout - 2);
  const size = (name: ColumnName): number =>
    name === "loadout" ? loadout : name === "request" ? request : (natural.get(name) ?? 0);
  return names.map((name) => ({ name, title: COLUMN_TITLES[name], columns: size(name) }));
}

function castRowLine(row: CastListRow, columns: readonly CastListColumn[]): Line {
  return columns.map(({ name, columns: size }) => ({
    ...row[name],
    text: `${padColumns(cutColumns(row[name].text, size), size)}${name === "request" ? "" : "  "}`,
  }));
}
