import { parseJson, isJsonObject, type JsonObject } from "../model/json.ts";

export interface FoundObject {
  readonly object: JsonObject;
  readonly found: "exact" | "fenced" | "embedded";
  readonly words: string;
}

type PlacedObject = Pick<FoundObject, "object" | "words">;

/** [H1] The whole reply; else the last fenced block that is an object; else the last top-level object in the text. */
export function findObject(reply: string): FoundObject | undefined {
  const whole = parseJson(reply.trim());
  if (whole !== undefined) return isJsonObject(whole) ? { object: whole, found: "exact", words: "" } : undefined;
  // A byte order mark must not hide a fence at the start of the first line.
  const text = reply.replace(/^\uFEFF/, "");
  const fenced = lastFencedObject(text);
  if (fenced) return { ...fenced, found: "fenced" };
  const embedded = lastEmbeddedObject(text);
  return embedded && { ...embedded, found: "embedded" };
}

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

function lastFencedObject(reply: string): PlacedObject | undefined {
  let last: { readonly object: JsonObject; readonly line: number } | undefined;
  let fence: string | undefined;
  let lines: string[] = [];
  let first = 0;
  const all = reply.split(/\r?\n/);
  const take = (): void => {
    const block = lines.join("\n").trim();
    const object = block.startsWith("{") && block.endsWith("}") ? parseObject(block) : undefined;
    if (object) last = { object, line: first };
  };
  // A JSON string holds no raw line break, so a fence inside one is never at the start of a line.
  for (const [number, line] of all.entries()) {
    // A further backtick makes it inline code, not a fence.
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line);
    if (fence === undefined) {
      if (mark) [fence, lines, first] = [mark[1], [], number];
    } else if (mark?.[1]?.startsWith(fence) && mark[2]?.trim() === "") {
      take();
      fence = undefined;
    } else lines.push(line);
  }
  if (fence !== undefined) take();
  return last && { object: last.object, words: all.slice(0, last.line).join("\n") };
}

/** Tries each bracket once: a hostile reply must not take more than a few passes. */
function lastEmbeddedObject(reply: string): PlacedObject | undefined {
  let last: { readonly object: JsonObject; readonly start: number } | undefined;
  const tried = new Set<number>();
  const bracket = /[{[]/g;
  for (let match = bracket.exec(reply); match; match = bracket.exec(reply)) {
    if (tried.delete(match.index)) continue;
    const scan = scanJson(reply, match.index);
    // An object inside truncated JSON is not top-level.
    if (scan.kind === "cut") break;
    if (scan.kind === "broken") for (const open of scan.open.slice(1)) tried.add(open);
    else {
      // Skip a whole list: an object inside it is not top-level.
      bracket.lastIndex = scan.end;
      const object = parseObject(reply.slice(match.index, scan.end));
      if (object) last = { object, start: match.index };
    }
  }
  return last && { object: last.object, words: reply.slice(0, last.start) };
}

export type JsonScan =
  | { readonly kind: "whole"; readonly end: number }
  /** The brackets that were still open: each of them fails at the same position. */
  | { readonly kind: "broken"; readonly open: readonly number[] }
  | { readonly kind: "cut" };

type ExpectedToken = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end";

const LITERAL = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\r\n]*/y;

/** Follows the grammar of JSON from a bracket on. Without recursion: replies may be nested as deep as they are long. */
function scanJson(text: string, start: number): JsonScan {
  const open: number[] = [];
  let expected: ExpectedToken = "value";
  for (let at = start; ;) {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
    if (at >= text.length) return { kind: "cut" };
    const step = stepAt(text, at, expected, open);
    if (step === "broken") return { kind: "broken", open };
    if (step === "cut") return { kind: "cut" };
    at = step.at;
    if (open.length === 0) return { kind: "whole", end: at };
    expected = step.expected;
  }
}

type JsonStep = { readonly at: number; readonly expected: ExpectedToken } | "broken" | "cut";

function stepAt(text: string, at: number, expected: ExpectedToken, open: number[]): JsonStep {
  const character = text.charAt(at);
  const isObject = text.charAt(open.at(-1) ?? -1) === "{";
  if (character === (isObject ? "}" : "]") && expected.endsWith("or end")) {
    open.pop();
    return { at: at + 1, expected: "comma or end" };
  }
  if (expected === "comma or end")
    return character === "," ? { at: at + 1, expected: isObject ? "key" : "value" } : "broken";
  if (expected === "colon") return character === ":" ? { at: at + 1, expected: "value" } : "broken";
  if (character === '"') {
    const end = stringEnd(text, at);
    return typeof end === "string" ? end : { at: end, expected: expected.startsWith("key") ? "colon" : "comma or end" };
  }
  if (expected.startsWith("key")) return "broken";
  if (character === "{" || character === "[") {
    open.push(at);
    return { at: at + 1, expected: character === "{" ? "key or end" : "value or end" };
  }
  LITERAL.lastIndex = at;
  if (LITERAL.test(text)) return { at: LITERAL.lastIndex, expected: "comma or end" };
  return ["true", "false", "null", "-"].some((word) => word.startsWith(text.slice(at, at + 6))) && at + 5 > text.length
    ? "cut"
    : "broken";
}

function stringEnd(text: string, start: number): number | "broken" | "cut" {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x5c) at += 1;
    else if (character === 0x22) return at + 1;
    else if (character < 0x20) return "broken";
  }
  return "cut";
}
