import { isJsonObject, type JsonObject } from "../model/values/json.ts";
import { scanJson } from "./scan.ts";

export interface FoundObject {
  readonly object: JsonObject;
  readonly found: "exact" | "fenced" | "embedded";
}

/** [H1] The whole reply; else the last fenced block that is an object; else the last object that stands in the text by itself. */
export function findObject(reply: string): FoundObject | undefined {
  const whole = parseJson(reply.trim());
  if (whole !== undefined) return isJsonObject(whole) ? { object: whole, found: "exact" } : undefined;
  // A byte order mark is no character of the first line: a fence behind it still begins that line.
  const text = reply.replace(/^\uFEFF/, "");
  const fenced = lastFencedObject(text);
  if (fenced) return { object: fenced, found: "fenced" };
  const embedded = lastEmbeddedObject(text);
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

/** Each bracket of the text is tried once, so that no reply, however hostile, takes more than a few passes. */
function lastEmbeddedObject(reply: string): JsonObject | undefined {
  let last: JsonObject | undefined;
  const tried = new Set<number>();
  const bracket = /[{[]/g;
  for (let match = bracket.exec(reply); match; match = bracket.exec(reply)) {
    if (tried.delete(match.index)) continue;
    const scan = scanJson(reply, match.index);
    // What is inside something that was cut off is not top-level, however whole it looks.
    if (scan.kind === "cut") return last;
    if (scan.kind === "broken") for (const open of scan.open.slice(1)) tried.add(open);
    else {
      // A list is passed over whole: an object inside it is not top-level either.
      bracket.lastIndex = scan.end;
      last = parseObject(reply.slice(match.index, scan.end)) ?? last;
    }
  }
  return last;
}
