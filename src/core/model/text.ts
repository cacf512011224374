/** At most `limit` characters; what was cut away is said, so that nobody takes a part for the whole. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = `… [cut: ${text.length - limit} more characters]`;
  return `${wholeCharacters(text.slice(0, limit))}${mark}`;
}

/** One line for a list: white space folded, the end marked with an ellipsis. */
export function oneLine(text: string, limit: number): string {
  const line = harmless(text).replace(/\s+/g, " ").trim();
  return line.length <= limit ? line : `${wholeCharacters(line.slice(0, Math.max(0, limit - 1)))}…`;
}

/** A terminal obeys escape sequences, and bidirectional marks reorder what people read; neither may come from a title. */
export function harmless(text: string): string {
  return text
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
    .replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
    .toWellFormed();
}

function wholeCharacters(text: string): string {
  // A cut between the halves of a surrogate pair leaves a lone one, which is not valid text.
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
