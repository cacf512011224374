import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { isJsonObject } from "../../../core/model/values/json.ts";
import type { Json, JsonObject } from "../../../core/model/values/json.ts";
import type { KeptValue } from "../../ports.ts";
import { problemText } from "../../system/problem.ts";
import type { Redact } from "../../secrets/redact.ts";
import type { Layout } from "../layout.ts";

/** A shorter value stands where it is used: a file of its own would be larger. */
const LARGE = 4_096;

/** [J26] Large values of a cast, each kept once, by what it holds: also what is large inside of another. */
export function valueKeeper(layout: Layout, redact: Redact, isSynced: boolean): (value: Json) => KeptValue {
  /** What this value became: a list that does not change is not written down anew for every item of it. */
  const known = new WeakMap<object, Json>();
  const written = new Set<string>();
  const put = (text: string): string => {
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 32);
    if (written.has(digest)) return digest;
    mkdirSync(layout.values, { recursive: true, mode: 0o700 });
    // Written anew by each process: one that was killed may have left half of it.
    writeFileSync(layout.value(digest), text, { mode: 0o600, flush: isSynced });
    written.add(digest);
    return digest;
  };
  const textOf = (value: Json): string => redact(JSON.stringify(value));
  const keep = (value: Json): Json => {
    if (typeof value !== "object" || value === null) return reference(value);
    const before = known.get(value);
    if (before !== undefined) return before;
    const json = textOf(value).length < LARGE ? value : reference(withParts(value, keep));
    known.set(value, json);
    return json;
  };
  const reference = (value: Json): Json => {
    const text = textOf(value);
    return text.length < LARGE ? value : { $value: put(text) };
  };
  return (value) => {
    try {
      return { kind: "kept", json: keep(value) };
    } catch (thrown) {
      return { kind: "failed", problem: `an artifact cannot be written: ${problemText(thrown)}` };
    }
  };
}

function withParts(value: readonly Json[] | JsonObject, part: (value: Json) => Json): Json {
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, part(each)]));
  return value.map(part);
}
