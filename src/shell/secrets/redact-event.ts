import { EVENT_SCHEMAS, type CastEvent } from "../../core/cast/state/event.ts";
import type { Redactor } from "./redact.ts";

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

/** Which of these an event of a type can have; most have none, and are not searched. */
const KEYS_BY_TYPE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(EVENT_SCHEMAS).map(([type, { entries }]) => [type, Object.keys(entries).filter(isSearched)]),
);

function isSearched(key: string): boolean {
  return REDACTED_KEYS.has(key) || key === "where";
}

/** The words of people, agents and programs in an event; what the journal itself is made of stays, whatever a secret may be. */
export function redactEvent(event: CastEvent, redact: Redactor): CastEvent {
  return redactAmong(event, KEYS_BY_TYPE.get(event.type) ?? [], REDACTED_KEYS, redact);
}

/** The value with the words under these keys redacted, however deep they stand below them; itself where no word was a secret. */
export function redactKeys<T extends object>(value: T, keys: ReadonlySet<string>, redact: Redactor): T {
  return redactAmong(value, Object.keys(value), keys, redact);
}

function redactAmong<T extends object>(
  value: T,
  searched: readonly string[],
  keys: ReadonlySet<string>,
  redact: Redactor,
): T {
  let clean = value;
  for (const key of searched as readonly (keyof T & string)[]) {
    const inner: unknown = value[key];
    if (inner === undefined) continue;
    const kept = keys.has(key)
      ? redactDeep(inner, redact)
      : key === "where"
        ? redactKeys(inner as object, keys, redact) // an object in every event that has one
        : inner;
    if (kept !== inner) clean = { ...clean, [key]: kept };
  }
  return clean;
}

/** Most values hold no secret, and are not copied. */
function redactDeep(value: unknown, redact: Redactor): unknown {
  if (isClean(value, redact)) return value;
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((each: unknown) => redactDeep(each, redact));
  // A key is a word as well: an agent chooses it.
  const entries = Object.entries(value as object); // neither clean, a text nor a list
  return Object.fromEntries(entries.map(([key, inner]) => [redact(key), redactDeep(inner, redact)]));
}

function isClean(value: unknown, redact: Redactor): boolean {
  if (typeof value === "string") return redact(value) === value;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((each) => isClean(each, redact));
  for (const key in value) if (redact(key) !== key || !isClean(Reflect.get(value, key), redact)) return false;
  return true;
}
