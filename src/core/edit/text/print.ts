import type { Json } from "../../model/values/json.ts";

const WIDTH = 116;
const STEP = "  ";

/** JSON as people write it: what fits on one line stands on one line, but for the outermost `apart` levels. */
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

/** The levels of a loadout that are read line by line: itself, its sockets and its loops. */
export const LOADOUT_EXPANDED_LEVELS = 2;

/** One line for a value without lists of objects in it: an edge fits, a socket with its edges is easier to read apart. */
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
