import { isSecret, secretsOf } from "./values.ts";
import type { Secret } from "./values.ts";
import { spellings } from "./spellings.ts";

export type Redact = (text: string) => string;

/** Keys that this process has come to know otherwise than by its environment; what is secret once stays so. */
const known = new Map<string, string>();

/** [S7] Pi keeps keys of its own, which stand in no variable. */
export function knowSecrets(secrets: readonly Secret[]): void {
  for (const { name, value } of secrets) if (isSecret(value) && !known.has(value)) known.set(value, name);
}

/** [S7] Replaces secrets wherever an agent or a program printed them, by one pattern for all of them. */
export function redactor(env: Readonly<Record<string, string | undefined>>): Redact {
  const own = secretsOf(env);
  let size = -1;
  let redact: Redact = same;
  return (text) => {
    if (size !== known.size) {
      size = known.size;
      redact = compiled([...own, ...[...known].map(([value, name]) => ({ name, value }))]);
    }
    return redact(text);
  };
}

/** Finds secrets in place of hiding them. */
export interface SecretFinder {
  readonly redact: Redact;
  /** The names of those that a text holds. */
  readonly namesIn: (text: string) => readonly string[];
}

/** [B24] The secrets that this process knows by now. */
export function secretFinder(env: Readonly<Record<string, string | undefined>>): SecretFinder {
  const secrets = [...secretsOf(env), ...[...known].map(([value, name]) => ({ name, value }))];
  const { names, pattern } = patternOf(secrets);
  return {
    redact: compiled(secrets),
    namesIn: (text) => [
      ...new Set(pattern ? (text.match(pattern) ?? []).flatMap((each) => names.get(each) ?? []) : []),
    ],
  };
}

function same(text: string): string {
  return text;
}

function compiled(secrets: readonly Secret[]): Redact {
  const { names, pattern } = patternOf(secrets);
  return pattern ? (text) => text.replace(pattern, (found) => `[secret ${names.get(found) ?? ""}]`) : same;
}

function patternOf(secrets: readonly Secret[]): { readonly names: Map<string, string>; readonly pattern?: RegExp } {
  const names = new Map<string, string>();
  for (const { name, value } of secrets)
    for (const spelling of spellings(value)) if (!names.has(spelling)) names.set(spelling, name);
  if (names.size === 0) return { names };
  // A secret may contain another; the longer one must be tried first.
  const longest = [...names.keys()].toSorted((a, b) => b.length - a.length);
  return { names, pattern: new RegExp(longest.map(part).join("|"), "g") };
}

/** A short one counts only as a word of its own: it may be a part of many others. */
function part(spelling: string): string {
  const literal = spelling.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return spelling.length < 8 ? `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])` : literal;
}
