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
    // What holds a backtick behind its own is code in a line of text, not the beginning of a block.
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line);
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
    const closing = closingOf(reply, start);
    work -= closing.at - start;
    // What is inside something that was cut off is not top-level, however whole it looks.
    if (closing.kind === "never") return last;
    const value = closing.kind === "closed" ? parseJson(reply.slice(start, closing.at)) : undefined;
    // A list that parses is passed over whole: an object inside it is not top-level either.
    opening.lastIndex = closing.kind === "broken" || value !== undefined ? closing.at : start + 1;
    if (isJsonObject(value)) last = value;
  }
  return last;
}

interface Closing {
  /** `broken`: a string runs into the end of its line, so this was never JSON. */
  readonly kind: "closed" | "broken" | "never";
  readonly at: number;
}

/** Where the bracket at `start` is closed, strings passed over. */
function closingOf(text: string, start: number): Closing {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      const end = stringEnd(text, at);
      if (end.kind !== "closed") return end;
      at = end.at;
    } else if (character === 0x7b || character === 0x5b) depth += 1;
    else if (character === 0x7d || character === 0x5d) {
      depth -= 1;
      if (depth === 0) return { kind: "closed", at: at + 1 };
    }
  }
  return { kind: "never", at: text.length };
}

function stringEnd(text: string, start: number): Closing {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at += 1;
    else if (character === 0x22) return { kind: "closed", at };
    else if (character === 0x0a) return { kind: "broken", at };
  }
  return { kind: "never", at: text.length };
}
