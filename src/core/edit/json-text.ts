import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { error, failAll, ok, type Result } from "../model/issue.ts";
import type { Json } from "../model/json.ts";

/** Parses JSON with comments and trailing commas: its value and positions, or all faults with their lines. */
export function parseJsonc(text: string): Result<{ readonly value: unknown; readonly tree: Node }> {
  const faults: ParseError[] = [];
  const tree = parseTree(text, faults, { allowTrailingComma: true });
  if (tree && faults.length === 0) return ok({ value: valueOf(tree), tree });
  if (faults.length === 0)
    return failAll([error("bad_json", "line 1, column 1", "the text is empty", "begin with { }")]);
  return failAll(
    faults.slice(0, 10).map(({ offset, error: code }) => {
      const { line, column } = lineAndColumnAt(text, offset);
      const words = printParseErrorCode(code)
        .replace(/([a-z])([A-Z])/g, "$1 $2")
        .toLowerCase();
      const message = `this is not JSON at line ${line}, column ${column}: ${words}`;
      return error("bad_json", `line ${line}, column ${column}`, message);
    }),
  );
}

function lineAndColumnAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
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

/** The indentation of the line at an offset. */
export function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

const WIDTH = 116;
const STEP = "  ";

/** JSON as people write it: short values on one line, except the outermost `apart` levels. */
export function printJson(value: Json, indent = "", apart = 0): string {
  const flat = flatJson(value);
  if (typeof value !== "object" || value === null) return flat;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (inner.length === 0 || (apart <= 0 && indent.length + flat.length <= WIDTH && isShallow(value))) return flat;
  const deeper = indent + STEP;
  if (Array.isArray(value)) {
    const lines = value.map((each: Json) => `${deeper}${printJson(each, deeper, apart - 1)}`);
    return `[\n${lines.join(",\n")}\n${indent}]`;
  }
  const lines = Object.entries(value).map(
    ([key, each]) => `${deeper}${JSON.stringify(key)}: ${printJson(each, deeper, apart - 1)}`,
  );
  return `{\n${lines.join(",\n")}\n${indent}}`;
}

/** The levels of a loadout with one entry per line: itself, its sockets and its loops. */
export const LOADOUT_EXPANDED_LEVELS = 2;

/** One line for a value without lists of objects: an edge, but not a socket with its edges. */
function isShallow(value: Json): boolean {
  if (typeof value !== "object" || value === null) return true;
  const inner: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  return inner.every((each) => typeof each !== "object" || each === null || isFlat(each));
}

function isFlat(value: Json): boolean {
  if (typeof value !== "object" || value === null) return true;
  const inner: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  return inner.every((each) => typeof each !== "object" || each === null);
}

function flatJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(flatJson).join(", ")}]`;
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${flatJson(each)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
