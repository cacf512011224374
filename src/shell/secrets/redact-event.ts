import type { CastEvent } from "../../core/cast/state/event.ts";
import type { Redactor } from "./redact.ts";

/** The words of people, agents and programs in an event; what the journal itself is made of stays, whatever a secret may be. */
export function redactEvent(event: CastEvent, redact: Redactor): CastEvent {
  return redactKeys(event, REDACTED_KEYS, redact);
}

/** The value with the words under these keys redacted, however deep they stand below them; itself where no word was a secret. */
export function redactKeys<T extends object>(value: T, keys: ReadonlySet<string>, redact: Redactor): T {
  let clean = value;
  // By keys alone: most of what an event holds is none of these, and a list of pairs costs more than the search.
  for (const key of Object.keys(value) as (keyof T & string)[]) {
    if (!keys.has(key) && key !== "where") continue;
    const inner: unknown = value[key];
    // `where` is an object in every event that has one.
    const kept = keys.has(key) ? redactDeep(inner, redact) : redactKeys(inner as object, keys, redact);
    if (kept !== inner) clean = { ...clean, [key]: kept };
  }
  return clean;
}

const REDACTED_KEYS: ReadonlySet<string> = new Set([
  "request",
  "item",
  "handoff",
  "excerpt",
  "text",
  "issues",
  "error",
  "message",
  "reason",
  "dropped",
  "hints",
]);

function redactDeep(value: unknown, redact: Redactor): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const clean = value.map((each: unknown) => redactDeep(each, redact));
    return clean.some((each, index) => each !== value[index]) ? clean : value;
  }
  const entries: [string, unknown][] = Object.entries(value);
  // A key is a word as well: an agent chooses it.
  const clean = entries.map(([key, inner]): [string, unknown] => [redact(key), redactDeep(inner, redact)]);
  const isChanged = clean.some(([key, inner], index) => key !== entries[index]?.[0] || inner !== entries[index][1]);
  return isChanged ? Object.fromEntries(clean) : value;
}
