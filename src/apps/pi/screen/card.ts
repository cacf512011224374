import type { Theme } from "@earendil-works/pi-coding-agent";
import { sanitizeForTerminal } from "../../../core/model/text.ts";
import { fitLine, wrapLine, type Line, type Span, type Tone } from "../../../core/view/line.ts";
import { piTui } from "../session/user-session.ts";
import type { MarkdownTheme } from "@earendil-works/pi-tui";

/** A part of a line. A part that gives way is shortened, so that the parts after it stay readable. */
export interface CardSpan {
  readonly text: string;
  readonly tone?: Tone | "markdown";
  readonly indent?: number;
  readonly gives?: true;
}

export type CardLine = readonly CardSpan[];

/** A card: what it shows closed, and what it shows open. It is stored in the session, so it is plain data. */
export interface Card {
  readonly lines: readonly CardLine[];
  readonly opened?: readonly CardLine[];
  /** Whether long lines wrap, as they always do when it is open. */
  readonly wraps?: boolean;
  /** [X46] A card with an id opens alone; cards without one open together. */
  readonly id?: string;
}

export function markdownLine(text: string, indent = 0): CardLine {
  return [{ text, tone: "markdown", indent }];
}

interface ScreenComponent {
  readonly render: (width: number) => string[];
  readonly invalidate: () => void;
}

/** [X33] Cards are stored in the session: one that cannot be drawn shows that, instead of ending Pi at every start. */
export function drawCard(data: unknown, expanded: boolean, theme: Theme): ScreenComponent {
  const rowsAt = (width: number, isOpen: boolean): string[] => {
    try {
      return cardRows(data, isOpen, width, theme);
    } catch {
      return [fitRow(" materia: this card cannot be drawn", width)];
    }
  };
  const id = typeof data === "object" && data !== null && "id" in data ? data.id : undefined;
  // Pi draws the whole session with every frame, and a card does not change.
  let last: { readonly width: number; readonly isOpen: boolean; readonly rows: string[] } | undefined;
  return {
    render: (width) => {
      const isOpen = isCardOpen(id, expanded);
      if (last?.width !== width || last.isOpen !== isOpen) last = { width, isOpen, rows: rowsAt(width, isOpen) };
      return last.rows;
    },
    invalidate: () => void (last = undefined),
  };
}

function cardRows(data: unknown, isOpen: boolean, width: number, theme: Theme): string[] {
  if (!isCard(data)) throw new TypeError("no card");
  const { lines, opened, wraps } = data;
  const shown = isOpen && opened !== undefined ? opened : lines;
  const isWrapped = (isOpen && opened !== undefined) || wraps === true;
  const room = Math.max(1, width - MARGIN.length);
  const { visibleWidth } = piTui();
  return shown.flatMap((each) => {
    const [first] = each;
    if (first?.tone === "markdown") return markdownRows(first, width, theme);
    // The width of a tab is unknown, and a row is one line: replace tabs and line breaks.
    const plain = each.map(({ text, tone, gives }) => ({
      text: sanitizeForTerminal(text.replaceAll("\t", "    ").replaceAll("\n", " ")),
      ...(tone === undefined || tone === "markdown" ? {} : { tone }),
      ...(gives ? { gives } : {}),
    }));
    const rows = isWrapped ? [plain] : shrinkToFit(plain, room);
    const wrapped = rows.flatMap((row) => wrapLine(row, room, visibleWidth));
    return paintLines(wrapped, width, theme);
  });
}

function markdownRows({ text, indent = 0 }: CardSpan, width: number, theme: Theme): string[] {
  const { Markdown } = piTui();
  const left = MARGIN.length + (width < NARROW_WIDTH ? 0 : indent);
  return new Markdown(sanitizeForTerminal(text), left, 0, markdownTheme(theme))
    .render(width)
    .map((row) => fitRow(row, width));
}

type PlainSpan = Span & Pick<CardSpan, "gives">;

/** Fewer columns say nothing. In a narrow terminal what was said is worth a row. */
const MIN_SHRUNK_WIDTH = { wide: 12, narrow: 40 };

/** Parts that give way share the room that the others leave; where that is too little they have a row. */
function shrinkToFit(spans: readonly PlainSpan[], room: number): readonly Line[] {
  const { visibleWidth } = piTui();
  const columns = (some: readonly PlainSpan[]): number => some.reduce((sum, { text }) => sum + visibleWidth(text), 0);
  if (columns(spans) <= room) return [spans];
  const indent = " ".repeat(spans[0]?.text.search(/\S|$/) ?? 0);
  const free = room - columns(spans.filter(({ gives }) => !gives));
  const isApart = free < MIN_SHRUNK_WIDTH[room < NARROW_WIDTH ? "narrow" : "wide"];
  let left = isApart ? room - indent.length : free;
  const rows: PlainSpan[][] = [[]];
  for (const [at, span] of spans.entries()) {
    const fitted = span.gives ? fitQuotedWords(span, left) : [span];
    if (span.gives) left = Math.max(0, left - columns(fitted));
    const isNext = isApart && !span.gives && spans[at - 1]?.gives;
    if (isNext) rows.push([{ text: indent }]);
    // The gap between them.
    if (!isNext || span.text.trim() !== "") rows.at(-1)?.push(...fitted);
  }
  return rows;
}

/** A quotation that is cut keeps its end mark. */
function fitQuotedWords(span: Span, room: number): Line {
  const mark = span.text.endsWith("”") ? "”" : "";
  const words = { ...span, text: span.text.slice(0, span.text.length - mark.length) };
  return [...fitWords([words], room - mark.length), ...(mark === "" ? [] : [{ ...span, text: mark }])];
}

const MAX_WORD_WIDTH = 24;

/** As many whole words as fit; a script without spaces between words is cut anywhere. */
export function fitWords(spans: Line, room: number): Line {
  const { visibleWidth } = piTui();
  const fitted = fitLine(spans, room, visibleWidth);
  const last = fitted.at(-1);
  if (fitted === spans || !last) return fitted;
  const [cut = "", word = ""] = /(?<=\s)(\S*)…$/.exec(last.text) ?? [];
  if (cut === "" || visibleWidth(word) > MAX_WORD_WIDTH) return fitted;
  return [...fitted.slice(0, -1), { ...last, text: `${last.text.slice(0, -cut.length)}…` }];
}

const MARGIN = " ";
/** In a narrow terminal every column is needed for words. */
const NARROW_WIDTH = 80;

/** [X33] Rows as Pi measures them: Pi exits if one is wider than the screen. */
export function paintLines(lines: readonly Line[], width: number, theme: Theme): string[] {
  const room = Math.max(1, width - MARGIN.length);
  return lines.map((line) => fitRow(`${MARGIN}${paintLine(fitWords(line, room), theme)}`, width));
}

/** Joined characters may make a row wider than its parts. */
export function fitRow(row: string, width: number): string {
  const { visibleWidth, truncateToWidth } = piTui();
  if (visibleWidth(row) <= width) return row;
  const cut = truncateToWidth(row, Math.max(0, width), "…");
  return visibleWidth(cut) <= width ? cut : "";
}

function paintLine(line: Line, theme: Theme): string {
  return line.map(({ text, tone = "plain" }) => TONE_PAINTERS[tone](theme, text.replaceAll(/[\n\r]/g, " "))).join("");
}

const TONE_PAINTERS: Readonly<Record<Tone, (theme: Theme, text: string) => string>> = {
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
  if (typeof data !== "object" || data === null || !("lines" in data) || !areCardLines(data.lines)) return false;
  return !("opened" in data) || data.opened === undefined || areCardLines(data.opened);
}

function areCardLines(value: unknown): value is readonly CardLine[] {
  return Array.isArray(value) && value.every((line) => Array.isArray(line) && line.every(isCardSpan));
}

function isCardSpan(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("text" in value) || typeof value.text !== "string") return false;
  const { tone, indent } = { tone: undefined, indent: 0, ...value };
  if (typeof indent !== "number" || !(indent >= 0 && indent <= 8)) return false;
  return tone === undefined || tone === "markdown" || (typeof tone === "string" && Object.hasOwn(TONE_PAINTERS, tone));
}

/** Pi's colours for Markdown, from the theme of the card: Pi's library is not loaded yet at the first card. */
function markdownTheme(theme: Theme): MarkdownTheme {
  const coloured = (colour: Parameters<Theme["fg"]>[0]) => (text: string) => theme.fg(colour, text);
  return {
    heading: coloured("mdHeading"),
    link: coloured("mdLink"),
    linkUrl: coloured("mdLinkUrl"),
    code: coloured("mdCode"),
    codeBlock: coloured("mdCodeBlock"),
    codeBlockBorder: coloured("mdCodeBlockBorder"),
    quote: coloured("mdQuote"),
    quoteBorder: coloured("mdQuoteBorder"),
    hr: coloured("mdHr"),
    listBullet: coloured("mdListBullet"),
    bold: (text) => theme.bold(text),
    italic: (text) => theme.italic(text),
    strikethrough: (text) => theme.strikethrough(text),
    underline: (text) => theme.underline(text),
  };
}

/** Cards in the order in which they were first drawn, which is that of the session. */
const cardIds = new Set<string>();
let newestCard: string | undefined;
let chosenCard: string | undefined;

/** [X46] Whether a card is open: of the cards with an id only the chosen one, or the newest if all were to be expanded. */
function isCardOpen(id: unknown, expanded: boolean): boolean {
  if (typeof id !== "string") return expanded;
  if (!cardIds.has(id)) {
    cardIds.add(id);
    newestCard = id;
  }
  return id === (chosenCard ?? (expanded ? newestCard : undefined));
}

/** [X46] Opens the card before the open one, starting at the newest; after the oldest none is open. */
export function openNextCard(): void {
  const all = [...cardIds];
  const at = chosenCard === undefined ? all.length : all.indexOf(chosenCard);
  chosenCard = all[at - 1];
}

/** [X64] The open card, or the newest, as the words of `diff`: its cast, and its visit if it is of one. */
export function shownCardPlace(): string | undefined {
  return (chosenCard ?? newestCard)?.replace(/\/(?:end .*)?/, " ");
}

/** Another session has other cards. */
export function resetCards(): void {
  cardIds.clear();
  newestCard = undefined;
  chosenCard = undefined;
}
