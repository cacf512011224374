import type { CastEvent } from "../../core/cast/event.ts";

const SECRET_NAME = /API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE_?KEY|(?:^|_)KEY(?:$|_)/i;

export type Redact = (text: string) => string;

/** [S7] Replaces the values of environment variables that hold secrets, wherever an agent or a program printed them. */
export function redactor(env: Readonly<Record<string, string | undefined>>): Redact {
  const secrets = Object.entries(env)
    .flatMap(([name, value]) =>
      value !== undefined && value.length >= 8 && SECRET_NAME.test(name)
        ? spellings(value).map((text) => ({ name, text }))
        : [],
    )
    // A secret may contain another; the longer one must go first.
    .toSorted((a, b) => b.text.length - a.text.length);
  if (secrets.length === 0) return (text) => text;
  return (text) =>
    secrets.reduce((clean, { name, text: secret }) => clean.replaceAll(secret, `[secret ${name}]`), text);
}

/** As it is, and as it stands inside JSON. */
function spellings(value: string): readonly string[] {
  return [...new Set([value, JSON.stringify(value).slice(1, -1)])];
}

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
    Object.entries(value).map(([key, inner]: [string, unknown]) => [key, redactDeep(inner, redact)]),
  );
}
