import type { Theme } from "@earendil-works/pi-coding-agent";
import { fitLine, wrapLine } from "../../../core/view/text/line.ts";
import type { Line, Tone } from "../../../core/view/text/line.ts";

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

/** A card that an earlier version or another program has written is not trusted to have our shape. */
export function drawCard(data: unknown, expanded: boolean, theme: Theme): Drawn | undefined {
  if (!isCard(data)) return undefined;
  const { lines, opened, wraps } = data;
  const isOpen = expanded && opened !== undefined;
  const shown = (isOpen ? opened : lines).map(withoutTabs);
  const cuts = !isOpen && wraps !== true;
  return drawn((width) => {
    const room = width - MARGIN.length;
    return paintLines(cuts ? shown : shown.flatMap((each) => wrapLine(each, room)), room, theme);
  });
}

/** How wide a tab is, nobody knows; and Pi ends where a row is too wide. */
function withoutTabs(line: Line): Line {
  return line.map((span) => ({ ...span, text: span.text.replaceAll("\t", "    ") }));
}

export function drawn(render: (width: number) => string[]): Drawn {
  return { render, invalidate: () => undefined };
}

const MARGIN = " ";

export function paintLines(lines: readonly Line[], width: number, theme: Theme): string[] {
  return lines.map((line) => `${MARGIN}${paint(fitLine(line, Math.max(1, width)), theme)}`);
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
