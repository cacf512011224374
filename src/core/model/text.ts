/** At most `limit` characters. A mark says how much is missing, so that a part is not taken for the whole. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = `… [cut: ${text.length - limit} more characters]`;
  return `${dropHalfCharacter(text.slice(0, limit))}${mark}`;
}

/** The end of a text, at most `limit` characters, after a mark that says how much is missing. */
export function truncateStart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = Math.max(0, limit - TRUNCATED_START_MARK.length - String(text.length).length);
  const kept = room === 0 ? "" : text.slice(-room).replace(LONE_LOW_SURROGATE, "");
  return `${TRUNCATED_START_MARK.replace("N", String(text.length - kept.length))}${kept}`;
}

const TRUNCATED_START_MARK = "[cut: N characters before this] …";

/** For people, who can open the whole text: the marks of `truncate` and `truncateStart` as an ellipsis. */
export function withoutCutMarks(text: string): string {
  return text.replace(/\[cut: \d+ characters before this\] …|… \[cut: \d+ (?:more )?characters\]/g, "…");
}

export function truncateMiddle(text: string, keep: { readonly beginning: number; readonly end: number }): string {
  if (text.length <= keep.beginning + keep.end) return text;
  const [first, last] = [dropHalfCharacter(text.slice(0, keep.beginning)), text.slice(-keep.end)];
  return `${first}\n… [cut: ${text.length - first.length - last.length} characters] …\n${last.replace(LONE_LOW_SURROGATE, "")}`;
}

/** The second half of a surrogate pair alone is not valid text. */
const LONE_LOW_SURROGATE = /^[\udc00-\udfff]/;

/** The output of a program without control characters and colours; line breaks and tabs stay. */
export function stripControls(text: string): string {
  return stripEscapeSequences(text.replace(/\r\n?/g, "\n")).replace(CONTROLS, "").toWellFormed();
}

/** One line for a list: white space collapsed, a cut end marked with an ellipsis. */
export function oneLine(text: string, limit: number): string {
  const line = sanitizeForTerminal(text).replace(/\s+/g, " ").trim();
  return line.length <= limit ? line : `${dropHalfCharacter(line.slice(0, Math.max(0, limit - 1)))}…`;
}

/** Removes escape sequences and bidirectional marks: a title must not control the terminal or reorder text. */
export function sanitizeForTerminal(text: string): string {
  return stripEscapeSequences(text).replace(CONTROLS, "\ufffd").toWellFormed();
}

export function thrownMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function stripEscapeSequences(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "");
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function dropHalfCharacter(text: string): string {
  // A cut inside a surrogate pair would leave invalid text.
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

export function nearestName(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of known) {
    if (Math.abs(name.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const name = nearestName(word, known);
  return name === undefined ? undefined : `did you mean "${name}"?`;
}

function editDistance(a: string, b: string): number {
  // Long names are hostile; no suggestion is worth the time.
  if (a.length > 100 || b.length > 100) return 100;
  let beforeLast: readonly number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      // Two swapped neighbours count as one slip.
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(substitution, swapped, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    [beforeLast, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}

export function countedText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A time of the journal in milliseconds; `otherwise` if it is invalid. */
export function parseMillis(at: string | null, otherwise: number): number {
  const parsed = at === null ? Number.NaN : Date.parse(at);
  return Number.isNaN(parsed) ? otherwise : parsed;
}

export const TIME_UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const UNIT_WORDS = /^(?:(d)(?:ays?)?|(h)(?:ours?|rs?)?|(ms|milliseconds?)|(m)(?:in(?:ute)?s?)?|(s)(?:ec(?:ond)?s?)?)$/i;
const DURATION = /^~?\s*\d+(?:\.\d+)?\s*[a-z]+(?:\s*(?:,|and)?\s*\d+(?:\.\d+)?\s*[a-z]+)*$/i;

/** [Z1] A duration: `20s`, `~3 min`, `6m0s`, `1h30m`, `2 hours 5 minutes`; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  if (!DURATION.test(text.trim())) return undefined;
  let total = 0;
  for (const [, amount = "", word = ""] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const [, day, hour, milli, minute, second] = UNIT_WORDS.exec(word) ?? [];
    const unit = day ? "d" : hour ? "h" : milli ? "ms" : minute ? "m" : second ? "s" : undefined;
    if (unit === undefined) return undefined;
    total += Number(amount) * TIME_UNITS[unit];
  }
  return Number.isFinite(total) ? total : undefined;
}
