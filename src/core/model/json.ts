import * as v from "valibot";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type WithoutUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields that have a value: an optional field is absent, never `undefined`. */
export function withoutUndefined<T extends object>(fields: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>;
}

/** Whether JSON gives back the same value, but for fields that are undefined. False where that would take too long to say. */
export function isPlainJson(value: unknown, levels = 64): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (value === null) return true;
  if (levels === 0 || "toJSON" in value) return false;
  if (Array.isArray(value)) {
    // Gaps too, which `every` passes over.
    for (const each of value) if (!isPlainJson(each, levels - 1)) return false;
    return true;
  }
  for (const key in value) {
    const inner: unknown = (value as Record<string, unknown>)[key]; // any object has keys
    if (inner !== undefined && !isPlainJson(inner, levels - 1)) return false;
  }
  return true;
}

export function isSameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, index) => isSameJson(each, b[index]));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
  );
}

/** Whether a value is nested deeper than so many levels, without descending by calls. */
export function depthExceeds(value: unknown, limit: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}

/** The value at a path, own keys only; `undefined` if there is none. */
export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at)) at = /^[0-9]+$/.test(key) ? (at[Number(key)] as Json | undefined) : undefined; // an index may lie beyond the end
    else if (isJsonObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

/** The object with one value replaced. A value on the path that is no object is replaced too. */
export function withValueAt(object: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  const inner = Object.hasOwn(object, key) ? object[key] : undefined;
  return { ...object, [key]: withValueAt(isJsonObject(inner) ? inner : {}, rest, value) };
}

/** The value at a path replaced, or removed for undefined. Built from entries: `__proto__` must not be assigned. */
export function withJsonAt(into: Json, [key, ...rest]: readonly (string | number)[], value: Json | undefined): Json {
  if (key === undefined) return value ?? into;
  if (Array.isArray(into))
    return into.map((each: Json, index) => (index === key ? withJsonAt(each, rest, value) : each));
  const [name, fields] = [String(key), Object.entries(isJsonObject(into) ? into : {})];
  const before = fields.find(([each]) => each === name);
  const next = rest.length === 0 ? value : withJsonAt(before?.[1] ?? {}, rest, value);
  if (next === undefined) return Object.fromEntries(fields.filter((each) => each !== before));
  const replaced = fields.map((each): [string, Json] => (each === before ? [name, next] : each));
  return Object.fromEntries(before ? replaced : [...replaced, [name, next]]);
}

/** Keys that reach an object's prototype: never a name or a step of a path. */
export const PROTOTYPE_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/** V8 gives an object hidden shapes for this many keys. */
const MAX_SHAPED_KEYS = 128;

/** `{}`; a large one is a table from the start: otherwise V8 makes a shape for each of the first keys and drops them. */
export function createEmptyRecord<T>(keys: number): Record<string, T> {
  if (keys <= MAX_SHAPED_KEYS) return {};
  return Object.setPrototypeOf(Object.create(null), Object.prototype) as Record<string, T>; // the same as `{}`, with another memory layout
}

/** Stores a value under any key, even `__proto__`. `Object.fromEntries` takes twice as long. */
export function setOwnKey<T>(record: Record<string, T>, key: string, value: T): void {
  if (key !== "__proto__") record[key] = value;
  else Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Values by id. Unlike a valibot record it keeps ids such as `constructor`, and keeps the values themselves. */
export function recordSchema<T>(schema: v.GenericSchema<unknown, T>) {
  return v.pipe(
    v.custom<Readonly<Record<string, T>>>(isJsonObject, "must be an object"),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      for (const [key, value] of Object.entries(dataset.value)) {
        const parsed = v.safeParse(schema, value, { abortEarly: true });
        if (parsed.success) continue;
        const [{ message, path = [] }] = parsed.issues;
        const step = { type: "object", origin: "value", input: { ...dataset.value }, key, value } as const;
        addIssue({ message, path: [step, ...path] });
        return;
      }
    }),
  );
}
