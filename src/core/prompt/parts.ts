import { truncate } from "../model/text.ts";

/** A part of a prompt under its heading; nothing for an empty one. */
export function section(title: string, body: string): string {
  return isBlank(body) ? "" : `## ${title}\n\n${body}`;
}

/** The parts that say something. */
export function join(parts: readonly string[]): string {
  let text = "";
  for (const part of parts) if (!isBlank(part)) text += text === "" ? part : `\n\n${part}`;
  return text;
}

export function itemLabel(item: string | null): string {
  return item === null ? "" : `, item "${truncate(item, 500)}"`;
}

function isBlank(text: string): boolean {
  return text === "" || text.trim() === "";
}
