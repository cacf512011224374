import * as v from "valibot";
import { isJsonObject } from "./json.ts";

/** Keys that reach an object's prototype: no name, no step of a path. */
export const PROTOTYPE_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/** As many keys as V8 gives an object a hidden shape for. */
const MAX_SHAPED_KEYS = 128;

/**
 * `{}` for so many keys. For many it is a table from the start: in a plain one V8 makes shape after shape for the first
 * keys, changes all of them with every new kind of value, and then drops them.
 */
export function createRecord<T>(keys: number): Record<string, T> {
  if (keys <= MAX_SHAPED_KEYS) return {};
  return Object.setPrototypeOf(Object.create(null), Object.prototype) as Record<string, T>; // what `{}` is, in another form
}

/** Puts a value under any key, be it one that an assignment would take for the prototype. `Object.fromEntries` takes twice as long. */
export function setOwnKey<T>(record: Record<string, T>, key: string, value: T): void {
  if (key !== "__proto__") record[key] = value;
  else Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Values by id. Unlike a record of valibot it keeps an id like `constructor`, and the values as they are. */
export function recordById<T>(schema: v.GenericSchema<unknown, T>) {
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
