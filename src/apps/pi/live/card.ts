import type { Theme } from "@earendil-works/pi-coding-agent";
import { harmless } from "../../../core/model/values/text.ts";
import { fitLine, wrapLine } from "../../../core/view/text/line.ts";
import type { Line, Tone } from "../../../core/view/text/line.ts";
import { piTui } from "../session/tui.ts";

/** What a card shows at a glance, and what it shows when it is opened. Kept in the session, so it is plain data. */
export interface Card {
  readonly lines: readonly Line[];
  readonly opened?: readonly Line[];
  /** Whether lines too long for the screen go on in the next row, as they always do when it is opened. */
  readonly wraps?: boolean;
}

/** A piece of Pi's screen. */
export interface Drawn {
  readonly render: (width: number) => string[];
  readonly invalidate: () => void;
}

/** [X33] A card is kept in the session: one that cannot be drawn, whoever wrote it, shows that instead of ending Pi at every start. */
export function drawCard(data: unknown, expanded: boolean, theme: Theme): Drawn {
  const rowsAt = (width: number): string[] => {
    try {
      return cardRows(data, { expanded, width, theme });
    } catch {
      return [fitRow(" materia: this card cannot be drawn", width)];
    }
  };
  // Pi draws the whole session with every frame, and a card does not change.
  let last: { readonly width: number; readonly rows: string[] } | undefined;
  return {
    render: (width) => {
      if (last?.width !== width) last = { width, rows: rowsAt(width) };
      return last.rows;
    },
    invalidate: () => {
      last = undefined;
    },
  };
}

interface Drawing {
  readonly expanded: boolean;
  readonly width: number;
  readonly theme: Theme;
}

function cardRows(data: unknown, { expanded, width, theme }: Drawing): string[] {
  if (!isCard(data)) throw new TypeError("no card");
  const { lines, opened, wraps } = data;
  const isOpen = expanded && opened !== undefined;
  const shown = (isOpen ? opened : lines).map(withoutTabs);
  const room = width - MARGIN.length;
  const { visibleWidth } = piTui();
  const rows = isOpen || wraps === true ? shown.flatMap((each) => wrapLine(each, room, visibleWidth)) : shown;
  return paintLines(rows, width, theme);
}

/** How wide a tab is, nobody knows; and a row is one line, whoever has written it. */
function withoutTabs(line: Line): Line {
  return line.map((span) => ({ ...span, text: harmless(span.text.replaceAll("\t", "    ").replaceAll("\n", " ")) }));
}

export function drawn(render: (width: number) => string[]): Drawn {
  return { render, invalidate: () => undefined };
}

const MARGIN = " ";

/** [X33] Rows as Pi measures them: it ends where one is wider than the screen. */
export function paintLines(lines: readonly Line[], width: number, theme: Theme): string[] {
  const { visibleWidth } = piTui();
  const room = Math.max(1, width - MARGIN.length);
  return lines.map((line) => fitRow(`${MARGIN}${paint(fitLine(line, room, visibleWidth), theme)}`, width));
}

/** Where neighbours join into one character, a row may be wider than its pieces were. */
export function fitRow(row: string, width: number): string {
  const { visibleWidth, truncateToWidth } = piTui();
  if (visibleWidth(row) <= width) return row;
  const cut = truncateToWidth(row, Math.max(0, width), "…");
  return visibleWidth(cut) <= width ? cut : "";
}

function paint(line: Line, theme: Theme): string {
  return line.map(({ text, tone = "plain" }) => PAINTS[tone](theme, text)).join("");
}

const PAINTS: Readonly<Record<Tone, (theme: Theme, text: string) => string>> = {
  plain: (_theme, text) => text,
  dim: (theme, text) => theme.fg("dim", text),
  strong: (theme, text) => theme.bold(text),
  accent: (theme, text) => theme.fg("accent", text),
  ok: (theme, text) => theme.fg("success", text),
  rework: (theme, text) => theme.fg("warning", text),
  bad: (theme, text) => theme.fg("error", text),
  wait: (theme, text) => theme.fg("customMessageLabel", text),
};

function isCard(data: unknown): data is Card {
  if (typeof data !== "object" || data === null || !("lines" in data) || !isLines(data.lines)) return false;
  return !("opened" in data) || data.opened === undefined || isLines(data.opened);
}

function isLines(value: unknown): value is readonly Line[] {
  return Array.isArray(value) && value.every((line) => Array.isArray(line) && line.every(isSpan));
}

function isSpan(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("text" in value) || typeof value.text !== "string") return false;
  const { tone } = { tone: undefined, ...value };
  return tone === undefined || (typeof tone === "string" && Object.hasOwn(PAINTS, tone));
}
