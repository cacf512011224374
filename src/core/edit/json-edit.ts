import {
  findNodeAtLocation,
  parseTree,
  type JSONPath,
  type Node,
  printParseErrorCode,
  type ParseError,
} from "jsonc-parser";
import { isJsonObject, isSameJson, type Json, type JsonObject, withJsonAt } from "../model/json.ts";
import { error, failAll, ok, type Result } from "../model/issue.ts";

/** Parses JSON with comments and trailing commas: its value and positions, or all faults with their lines. */
export function parseJsonc(text: string): Result<{ readonly value: unknown; readonly tree: Node }> {
  const faults: ParseError[] = [];
  const tree = parseTree(text, faults, { allowTrailingComma: true });
  if (tree && faults.length === 0) return ok({ value: valueOf(tree), tree });
  if (faults.length === 0)
    return failAll([error("bad_json", "line 1, column 1", "the text is empty", "begin with { }")]);
  return failAll(
    faults.slice(0, 10).map(({ offset, error: code }) => {
      const before = text.slice(0, offset);
      const [line, column] = [before.split("\n").length, offset - before.lastIndexOf("\n")];
      const words = printParseErrorCode(code)
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase();
      const message = `this is not JSON at line ${line}, column ${column}: ${words}`;
      return error("bad_json", `line ${line}, column ${column}`, message);
    }),
  );
}

/** The object of a text; an empty one if the text has none. */
export function parseJsoncObject(text: string): JsonObject {
  const read = parseJsonc(text);
  return read.ok && isJsonObject(read.value.value) ? read.value.value : {};
}

/** Defines keys one by one: an assignment to `__proto__` would change the prototype. */
function valueOf(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(valueOf);
  if (node.type !== "object") return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).flatMap((property): [string, unknown][] => {
      const [key, value] = property.children ?? [];
      return key && value ? [[String(key.value), valueOf(value)]] : [];
    }),
  );
}

export function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

const WIDTH = 116;
const STEP = "  ";

/** JSON as people write it: short values on one line, except the outermost `apart` levels. */
export function printJson(value: Json, indent = "", apart = 0): string {
  const flat = flatJson(value);
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return flat;
  if (apart <= 0 && indent.length + flat.length <= WIDTH && hasAtMostLevels(value, 2)) return flat;
  const deeper = indent + STEP;
  const lines = entryTexts(value, (each) => printJson(each, deeper, apart - 1)).map((each) => `${deeper}${each}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

function flatJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = entryTexts(value, flatJson).join(", ");
  if (Array.isArray(value)) return `[${entries}]`;
  return entries === "" ? "{}" : `{ ${entries} }`;
}

function entryTexts(value: JsonObject | readonly Json[], textOf: (value: Json) => string): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf);
  return Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${textOf(each)}`);
}

/** Two levels are an edge on one line, but not a socket with its edges. */
function hasAtMostLevels(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((each: Json) => hasAtMostLevels(each, levels - 1));
}

/** The levels of a loadout with one entry per line: itself, its sockets and its loops. */
export const LOADOUT_EXPANDED_LEVELS = 2;

interface JsonTextEdit {
  readonly path: JSONPath;
  readonly value: Json | undefined;
  readonly insert: boolean;
}

/** [E13] Writes the difference between two values into a text, and keeps its comments. */
export function updateJsonText(text: string, before: Json, after: Json): string {
  if (isSameJson(before, after)) return text;
  let stepped = text;
  try {
    for (const edit of editsBetween(before, after, [])) stepped = applyEdit(stepped, edit);
  } catch {
    // The text no longer has the expected structure: write it anew.
    return printJson(after, "", LOADOUT_EXPANDED_LEVELS);
  }
  const read = parseJsonc(stepped);
  // The text must contain the new value, or the editor would show something else.
  return read.ok && includesJson(read.value.value, after) ? stepped : printJson(after, "", LOADOUT_EXPANDED_LEVELS);
}

/** Changes only the edited values: a value on one line stays on one line. */
function applyEdit(text: string, { path, value, insert }: JsonTextEdit): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const place = tree && findNodeAtLocation(tree, path);
  if (value === undefined) return place ? removeValue(text, place) : text;
  if (place && !insert) return replaceValue(text, place, printJson(value, indentAt(text, place.offset)));
  const parent = tree && findNodeAtLocation(tree, path.slice(0, -1));
  const key = path.at(-1);
  if (!parent || key === undefined) throw new RangeError("the text has no such place");
  return insertValue(text, parent, { key, value, apart: Math.max(0, LOADOUT_EXPANDED_LEVELS - path.length + 1) });
}

function insertValue(
  text: string,
  parent: Node,
  { key, value, apart: levels }: { readonly key: string | number; readonly value: Json; readonly apart: number },
): string {
  const children = parent.children ?? [];
  const [first] = children;
  const name = parent.type === "object" ? `${JSON.stringify(key)}: ` : "";
  const outer = indentAt(text, parent.offset);
  if (!first)
    return replaceValue(text, parent, printJson(parent.type === "object" ? { [key]: value } : [value], outer, levels));
  const apart = text.slice(parent.offset, first.offset).includes("\n");
  const indent = apart ? indentAt(text, first.offset) : outer;
  const piece = `${name}${printJson(value, indent, levels - 1)}`;
  const gap = apart ? `\n${indent}` : " ";
  const before = typeof key === "number" ? children[key - 1] : children.at(-1);
  if (!before) return `${text.slice(0, first.offset)}${piece},${gap}${text.slice(first.offset)}`;
  const end = before.offset + before.length;
  return `${text.slice(0, end)},${gap}${piece}${text.slice(end)}`;
}

/** Removes an entry with its comma, and with its line if nothing else is on it. */
function removeValue(text: string, place: Node): string {
  const element = place.parent?.type === "property" ? place.parent : place;
  const siblings = element.parent?.children ?? [];
  const before = siblings[siblings.indexOf(element) - 1];
  const end = element.offset + element.length;
  const comma = /^\s*,[ \t]*/.exec(text.slice(end))?.[0];
  if (comma === undefined && before) {
    const last = before.offset + before.length;
    const between = text.slice(last, element.offset).replace(",", "").trimEnd();
    return text.slice(0, last) + between + text.slice(end);
  }
  const [head, tail] = [text.slice(0, element.offset), text.slice(end + (comma ?? "").length)];
  const isOwnLine = /\n[ \t]*$/.test(head) && /^[ \t]*\r?\n/.test(tail);
  return isOwnLine ? head.replace(/\n[ \t]*$/, "") + tail : head + tail;
}

function replaceValue(text: string, { offset, length }: Node, by: string): string {
  return text.slice(0, offset) + by + text.slice(offset + length);
}

function editsBetween(before: Json | undefined, after: Json | undefined, path: JSONPath): readonly JsonTextEdit[] {
  if (isSameJson(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => editsBetween(own(before, key), own(after, key), [...path, key]));
  }
  if (Array.isArray(before) && Array.isArray(after)) return listEdits(before, after, path);
  return [{ path, value: after, insert: false }];
}

/** Keeps the common start and end of two lists; between them it changes, removes or inserts elements. */
function listEdits(before: readonly Json[], after: readonly Json[], path: JSONPath): readonly JsonTextEdit[] {
  let first = 0;
  while (first < Math.min(before.length, after.length) && isSameJson(before[first], after[first])) first += 1;
  let last = 0;
  const room = Math.min(before.length, after.length) - first;
  while (last < room && isSameJson(before.at(-1 - last), after.at(-1 - last))) last += 1;
  const [olds, news] = [before.slice(first, before.length - last), after.slice(first, after.length - last)];
  const common = Math.min(olds.length, news.length);
  const changed = news
    .slice(0, common)
    .flatMap((each, index) => editsBetween(olds[index], each, [...path, first + index]));
  const gone = olds.slice(common).map(() => ({ path: [...path, first + common], value: undefined, insert: false }));
  const come = news.slice(common).map((value, at) => ({ path: [...path, first + common + at], value, insert: true }));
  return [...changed, ...gone, ...come];
}

/** Whether a value contains all keys and values of another; further keys do not matter. */
function includesJson(whole: unknown, part: Json | undefined): boolean {
  if (isJsonObject(whole) && isJsonObject(part))
    return Object.keys(part).every((key) => includesJson(own(whole, key), own(part, key)));
  if (Array.isArray(whole) && Array.isArray(part))
    return whole.length === part.length && part.every((each: Json, index) => includesJson(whole[index], each));
  return Object.is(whole, part);
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A place that differs since it was opened: one or both sides changed it. */
export interface MergeDifference {
  readonly path: readonly string[];
  readonly base: Json | undefined;
  readonly mine: Json | undefined;
  readonly theirs: Json | undefined;
  /** The side that changed it; `both` only if their changes differ. */
  readonly by: "mine" | "theirs" | "both";
}

/** [E24] Every place in which three versions differ: objects by key, lists as a whole. */
export function findMergeDifferences(
  base: Json | undefined,
  mine: Json | undefined,
  theirs: Json | undefined,
  path: readonly string[] = [],
): readonly MergeDifference[] {
  if (isSameJson(mine, theirs)) return [];
  if (isJsonObject(mine) && isJsonObject(theirs) && (base === undefined || isJsonObject(base))) {
    const before = base ?? {};
    const keys = [...new Set([...Object.keys(before), ...Object.keys(theirs), ...Object.keys(mine)])];
    return keys.flatMap((key) =>
      findMergeDifferences(own(before, key), own(mine, key), own(theirs, key), [...path, key]),
    );
  }
  const by = isSameJson(base, mine) ? "theirs" : isSameJson(base, theirs) ? "mine" : "both";
  return [{ path, base, mine, theirs, by }];
}

/** My version with their changes, and with theirs at conflicts where the person chose it. */
export function mergeJson(
  mine: Json,
  places: readonly MergeDifference[],
  takesTheirs: (place: MergeDifference) => boolean,
): Json {
  return places
    .filter((place) => place.by === "theirs" || (place.by === "both" && takesTheirs(place)))
    .reduce((merged, { path, theirs }) => withJsonAt(merged, path, theirs), mine);
}
