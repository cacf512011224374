import { createHash } from "node:crypto";
import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { isJsonObject, type Json, type JsonObject } from "../../../../core/model/values/json.ts";
import type { StoredValue } from "../../../ports.ts";
import { errorText } from "../../../system/problem.ts";
import { syncFolder } from "../../../system/sync.ts";
import type { Redactor } from "../../../secrets/redact.ts";
import type { CastLayout } from "../../layout.ts";

/** A shorter value stands where it is used: a file of its own would be larger. */
export const LARGE_VALUE_CHARS = 4_096;

/** A text of JSON by the name of what it holds. Others may read it meanwhile: it is there as a whole or not at all. */
export function writeValue(layout: Pick<CastLayout, "values" | "value">, text: string, isSynced: boolean): string {
  const digest = valueDigest(text);
  const file = layout.value(digest);
  if (statSync(file, { throwIfNoEntry: false })?.size === Buffer.byteLength(text)) return digest;
  mkdirSync(layout.values, { recursive: true, mode: 0o700 });
  const making = `${file}.${process.pid}`;
  writeFileSync(making, text, { mode: 0o600, flush: isSynced });
  renameSync(making, file);
  if (isSynced) syncFolder(layout.values);
  return digest;
}

export function valueDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** [J26] Large values of a cast, each kept once, by what it holds: also what is large inside of another. */
export function createValueWriter(layout: CastLayout, redact: Redactor, isSynced: boolean): (value: Json) => StoredValue {
  /** What this value became: a list that does not change is not written down anew for every item of it. */
  const known = new WeakMap<object, Json>();
  const written = new Set<string>();
  const put = (text: string): string => {
    const digest = valueDigest(text);
    if (!written.has(digest)) writeValue(layout, text, isSynced);
    written.add(digest);
    return digest;
  };
  const textOf = (value: Json): string => redact(JSON.stringify(value));
  const keep = (value: Json): Json => {
    if (typeof value !== "object" || value === null) return reference(value);
    const before = known.get(value);
    if (before !== undefined) return before;
    const json = textOf(value).length < LARGE_VALUE_CHARS ? value : reference(mapParts(value, keep));
    known.set(value, json);
    return json;
  };
  const reference = (value: Json): Json => {
    const text = textOf(value);
    return text.length < LARGE_VALUE_CHARS ? value : { $value: put(text) };
  };
  return (value) => {
    try {
      return { kind: "kept", json: keep(value) };
    } catch (thrown) {
      return { kind: "failed", problem: `an artifact cannot be written: ${errorText(thrown)}` };
    }
  };
}

function mapParts(value: readonly Json[] | JsonObject, part: (value: Json) => Json): Json {
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, part(each)]));
  return value.map(part);
}
