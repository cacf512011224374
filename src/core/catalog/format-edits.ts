import type { KeyPath, Issue } from "../model/issue.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/** One step from an older file to the current format: a value to write, or a key to remove. */
export interface FormatEdit {
  readonly path: KeyPath;
  /** Absent: remove the key. */
  readonly value?: Json;
  /** The path in the user's file. */
  readonly was?: KeyPath;
}

export function applyFormatEdits(raw: Json, edits: readonly FormatEdit[]): Json {
  return edits.reduce((value, edit) => withEdit(value, edit.path, edit.value), raw);
}

function withEdit(value: Json, [key, ...rest]: KeyPath, next: Json | undefined): Json {
  if (key === undefined) return next ?? null;
  if (Array.isArray(value)) {
    const list: readonly Json[] = value;
    return list.map((each, index) => (index === key ? withEdit(each, rest, next) : each));
  }
  const fields = isJsonObject(value) ? value : {};
  const name = String(key);
  // Built from entries: an assignment to `__proto__` would change the object itself.
  const others = Object.entries(fields).filter(([each]) => each !== name);
  if (rest.length === 0 && next === undefined) return Object.fromEntries(others);
  const inner = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const changed = rest.length === 0 ? (next ?? null) : withEdit(inner ?? {}, rest, next);
  return Object.fromEntries(
    Object.hasOwn(fields, name)
      ? Object.entries(fields).map(([each, old]): [string, Json] => [each, each === name ? changed : old])
      : [...others, [name, changed]],
  );
}

/** [M2] The position in the user's file of a position in the translated one. */
export function originalPositions(edits: readonly FormatEdit[]): (path: KeyPath) => KeyPath {
  const moved = edits.flatMap(({ path, was }) => (was ? [{ path, was }] : []));
  return (path) => {
    const found = moved
      .filter((each) => each.path.every((key, index) => path[index] === key))
      .toSorted((a, b) => b.path.length - a.path.length)[0];
    return found ? found.was : path;
  };
}

/** The edits that make a part current, and warnings for keys without an effect. */
export interface FormatTranslation {
  readonly edits: readonly FormatEdit[];
  readonly issues: readonly Issue[];
}

export const NO_EDITS: FormatTranslation = { edits: [], issues: [] };

export function joinTranslations(parts: readonly FormatTranslation[]): FormatTranslation {
  return { edits: parts.flatMap(({ edits }) => edits), issues: parts.flatMap(({ issues }) => issues) };
}

/** A value that is no object has no fields; reading the current format reports it. */
export function objectFields(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** [M3] Keys without an effect here. */
export function removeKeys(path: readonly string[], holder: JsonObject, keys: readonly string[]): FormatTranslation {
  return { edits: keys.filter((key) => key in holder).map((key) => ({ path: [...path, key] })), issues: [] };
}
