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
  "hint",
  "question",
  "reply",
  "title",
  "gaveUp",
]);

/** The text fields of each event type; types without any are not searched. */
const KEYS_BY_TYPE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(EVENT_SCHEMAS).map(([type, { entries }]) => [
    type,
    Object.keys(entries).filter((key) => REDACTED_KEYS.has(key) || key === "where"),
  ]),
);

/** Redacts the texts of people, agents and programs in an event; its structure stays. */
export function redactEvent(event: CastEvent, redact: Redactor): CastEvent {
  return redactAmong(event, KEYS_BY_TYPE.get(event.type) ?? [], REDACTED_KEYS, redact);
}

/** Redacts all texts under these keys, at any depth. Returns the same value if it contains no secret. */
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

/** Most values contain no secret: do not copy them. */
function redactDeep(value: unknown, redact: Redactor): unknown {
  if (isClean(value, redact)) return value;
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((each: unknown) => redactDeep(each, redact));
  // Redact keys, too: an agent chooses them.
  const entries = Object.entries(value as object); // not a text, not a list
  return Object.fromEntries(entries.map(([key, inner]) => [redact(key), redactDeep(inner, redact)]));
}

function isClean(value: unknown, redact: Redactor): boolean {
  if (typeof value === "string") return redact(value) === value;
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every((each) => isClean(each, redact));
  for (const key in value) if (redact(key) !== key || !isClean(Reflect.get(value, key), redact)) return false;
  return true;
}
