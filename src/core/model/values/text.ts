/** At most `limit` characters; what was cut away is said, so that nobody takes a part for the whole. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = `… [cut: ${text.length - limit} more characters]`;
  return `${dropHalfCharacter(text.slice(0, limit))}${mark}`;
}

/** The end of a text, at most `limit` characters with the mark that says what was cut away before it. */
export function truncateStart(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = Math.max(0, limit - TRUNCATED_START_MARK.length - String(text.length).length);
  const kept = room === 0 ? "" : text.slice(-room).replace(LONE_LOW_SURROGATE, "");
  return `${TRUNCATED_START_MARK.replace("N", String(text.length - kept.length))}${kept}`;
}

const TRUNCATED_START_MARK = "[cut: N characters before this] …";

/** The beginning and the end of a text, with a line between them that says what was cut away. */
export function truncateMiddle(text: string, keep: { readonly beginning: number; readonly end: number }): string {
  if (text.length <= keep.beginning + keep.end) return text;
  const [first, last] = [dropHalfCharacter(text.slice(0, keep.beginning)), text.slice(-keep.end)];
  return `${first}\n… [cut: ${text.length - first.length - last.length} characters] …\n${last.replace(LONE_LOW_SURROGATE, "")}`;
}

/** The second half of a surrogate pair whose first was cut off is not valid text. */
const LONE_LOW_SURROGATE = /^[\udc00-\udfff]/;

/** What a program printed, as words: no control characters, no colours; lines and tabs stay. */
export function stripControls(text: string): string {
  return stripEscapeSequences(text.replace(/\r\n?/g, "\n")).replace(CONTROLS, "").toWellFormed();
}

/** One line for a list: white space folded, the end marked with an ellipsis. */
export function oneLine(text: string, limit: number): string {
  const line = sanitizeForTerminal(text).replace(/\s+/g, " ").trim();
  return line.length <= limit ? line : `${dropHalfCharacter(line.slice(0, Math.max(0, limit - 1)))}…`;
}

/** A terminal obeys escape sequences, and bidirectional marks reorder what people read; neither may come from a title. */
export function sanitizeForTerminal(text: string): string {
  return stripEscapeSequences(text).replace(CONTROLS, "\ufffd").toWellFormed();
}

/** What was thrown, in its own words. */
export function thrownMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function stripEscapeSequences(text: string): string {
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "");
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function dropHalfCharacter(text: string): string {
  // A cut between the halves of a surrogate pair leaves a lone one, which is not valid text.
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
