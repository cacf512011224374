import type { CastEvent } from "../../core/cast/state/event.ts";
import type { Redact } from "./redact.ts";

/** The words of people, agents and programs in an event; what the journal itself is made of stays, whatever a secret may be. */
export function redactEvent(event: CastEvent, redact: Redact): CastEvent {
  return redactKeys(event, WORDS, redact);
}

/** The same value with the words under these keys redacted, however deep they stand below them. */
export function redactKeys<T extends object>(value: T, keys: ReadonlySet<string>, redact: Redact): T {
  const clean = Object.entries(value).map(([key, inner]: [string, unknown]) => [
    key,
    keys.has(key) ? redactDeep(inner, redact) : key === "where" ? redactKeys(inner as object, keys, redact) : inner,
  ]); // `where` is an object in every event that has one
  return Object.fromEntries(clean) as T; // the same keys with values of the same kinds
}

const WORDS: ReadonlySet<string> = new Set([
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

function redactDeep(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((each: unknown) => redactDeep(each, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    // A key is a word as well: an agent chooses it.
    Object.entries(value).map(([key, inner]: [string, unknown]) => [redact(key), redactDeep(inner, redact)]),
  );
}
