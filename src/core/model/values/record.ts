import * as v from "valibot";
import { isJsonObject } from "./json.ts";

/** Keys that reach an object's prototype: no name, no step of a path. */
export const PROTOTYPE_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/** Values by id. Unlike a record of valibot it keeps an id like `constructor`, and the values as they are. */
export function byId<T>(schema: v.GenericSchema<unknown, T>) {
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
