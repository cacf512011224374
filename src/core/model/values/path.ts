import { type Json, type JsonObject, isJsonObject } from "./json.ts";

/** The value at a path, own keys only; `undefined` where the path leads nowhere. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at)) at = /^[0-9]+$/.test(key) ? (at[Number(key)] as Json | undefined) : undefined; // an index may lie beyond the end
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

/** The object with one value replaced; what stands in the way of the path gives place. */
export function withValueAt(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: withValueAt(isJsonObject(inner) ? inner : {}, rest, value) };
}
