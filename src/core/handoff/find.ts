import { isJsonObject } from "../model/json.ts";
import type { JsonObject } from "../model/json.ts";

export interface Found {
  readonly object: JsonObject;
  readonly found: "exact" | "fenced" | "embedded";
}

/** [H1] The whole reply; else the last fenced block that is an object; else the last object that stands in the text by itself. */
export function findObject(reply: string): Found | undefined {
  const whole = parseJson(reply.trim());
  if (whole !== undefined) return isJsonObject(whole) ? { object: whole, found: "exact" } : undefined;
  const fenced = lastFencedObject(reply);
  if (fenced) return { object: fenced, found: "fenced" };
  const embedded = lastEmbeddedObject(reply);
  return embedded && { object: embedded, found: "embedded" };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

function lastFencedObject(reply: string): JsonObject | undefined {
  let last: JsonObject | undefined;
  let fence: string | undefined;
  let lines: string[] = [];
  // A JSON string holds no raw line break, so a fence inside one never stands at the beginning of a line.
  for (const line of reply.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === undefined) {
      if (mark) [fence, lines] = [mark[1], []];
    } else if (mark?.[1]?.startsWith(fence) && mark[2]?.trim() === "") {
      last = blockObject(lines) ?? last;
      fence = undefined;
    } else lines.push(line);
  }
  return fence === undefined ? last : (blockObject(lines) ?? last);
}

function blockObject(lines: readonly string[]): JsonObject | undefined {
  const block = lines.join("\n").trim();
  return block.startsWith("{") && block.endsWith("}") ? parseObject(block) : undefined;
}

function lastEmbeddedObject(reply: string): JsonObject | undefined {
  let last: JsonObject | undefined;
  // Braces in prose may open without end; hostile text must not make this quadratic.
  let work = 20 * reply.length + 1_000_000;
  const opening = /\{\s*["}]|\[\s*[[{"\-0-9tfn\]]/g;
  for (let match = opening.exec(reply); match && work > 0; match = opening.exec(reply)) {
    const start = match.index;
    const end = closingOf(reply, start);
    work -= (end ?? reply.length) - start;
    const value = end === undefined ? undefined : parseJson(reply.slice(start, end));
    if (value !== undefined && end !== undefined) opening.lastIndex = end;
    else opening.lastIndex = start + 1;
    // A list that parses is passed over whole: an object inside it is not top-level.
    if (isJsonObject(value)) last = value;
  }
  return last;
}

/** Where the bracket at `start` is closed, strings passed over. */
function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      at = stringEnd(text, at);
      if (at === -1) return undefined;
    } else if (character === 0x7b || character === 0x5b) depth += 1;
    else if (character === 0x7d || character === 0x5d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at += 1;
    else if (character === 0x22) return at;
    else if (character === 0x0a) return -1;
  }
  return -1;
}
