import { isSecret, secretsInEnv, type Secret, encodingsOf, wrappedEncodingsOf } from "./find-secrets.ts";

export type Redactor = (text: string) => string;

/** Keys from other sources than the environment. They stay secret for the life of the process. */
const registeredSecrets = new Map<string, string>();

/** [S7] Pi stores keys that are in no variable. */
export function registerSecrets(secrets: readonly Secret[]): void {
  for (const { name, value } of secrets)
    if (isSecret(value) && !registeredSecrets.has(value)) registeredSecrets.set(value, name);
}

/** [S7] Replaces every known secret in a text, with one pattern for all. */
export function createRedactor(env: Env): Redactor {
  const now = currentPatterns(env);
  return (text) => now().redact(text);
}

/** [S16] Redacts text that arrives in pieces. A piece may end inside a secret: hold back text that may be the start of one. */
export function createRedactedStream(env: Env) {
  const now = currentPatterns(env);
  let held = "";
  const say = (upTo: number): string => {
    const said = now().redact(held.slice(0, upTo));
    held = held.slice(upTo);
    return said;
  };
  return {
    push: (piece: string): string => {
      held += piece;
      return say(held.length - now().partialLength(held));
    },
    end: (): string => say(held.length),
  };
}

/** [B62] Finds the secrets that this process knows now, without replacing them. */
export function createSecretFinder(env: Env) {
  const secrets = [...secretsInEnv(env), ...[...registeredSecrets].map(([value, name]) => ({ name, value }))];
  const { nameOf, pattern } = buildPattern(secrets);
  return {
    redact: compilePatterns(secrets).redact,
    namesIn: (text: string): readonly string[] => [
      ...new Set(pattern ? (text.match(pattern) ?? []).flatMap((each) => nameOf(each) ?? []) : []),
    ],
  };
}

type Env = Readonly<Record<string, string | undefined>>;

interface SecretPatterns {
  readonly redact: Redactor;
  /** The number of characters at the end of a text that may start a secret. */
  readonly partialLength: (text: string) => number;
}

/** Rebuilt when a key is added. */
function currentPatterns(env: Env): () => SecretPatterns {
  const own = secretsInEnv(env);
  let size = -1;
  let patterns: SecretPatterns = { redact: (text) => text, partialLength: () => 0 };
  return () => {
    if (size !== registeredSecrets.size) {
      size = registeredSecrets.size;
      patterns = compilePatterns([...own, ...[...registeredSecrets].map(([value, name]) => ({ name, value }))]);
    }
    return patterns;
  };
}

function compilePatterns(secrets: readonly Secret[]): SecretPatterns {
  const { names, nameOf, wrapped, pattern } = buildPattern(secrets);
  if (!pattern) return { redact: (text) => text, partialLength: () => 0 };
  const spelled = [...names.keys()];
  const shortest = Math.min(...spelled.map(({ length }) => length));
  return {
    redact: (text) =>
      text.length < shortest ? text : text.replace(pattern, (found) => `[secret ${nameOf(found) ?? ""}]`),
    partialLength: (text) => {
      const whole = spelled.reduce((most, spelling) => Math.max(most, partialMatchLength(text, spelling, most)), 0);
      return [...wrapped].reduce((most, spelling) => Math.max(most, partialWrappedLength(text, spelling)), whole);
    },
  };
}

/** Between two characters of a wrapped encoding: white space, also as JSON spells it. */
const BREAK = String.raw`(?:\s|\\+[nrt])*`;

function buildPattern(secrets: readonly Secret[]) {
  const names = new Map<string, string>();
  /** Those that may be broken over several lines. */
  const wrapped = new Set(secrets.flatMap(({ value }) => wrappedEncodingsOf(value)));
  for (const { name, value } of secrets)
    for (const spelling of encodingsOf(value)) if (!names.has(spelling)) names.set(spelling, name);
  const nameOf = (found: string): string | undefined =>
    names.get(found) ?? names.get(found.replaceAll(/\s|\\+[nrt]/g, ""));
  if (names.size === 0) return { names, wrapped, nameOf, pattern: undefined };
  // A secret may contain another: try the longer one first.
  const longest = [...names.keys()].toSorted((a, b) => b.length - a.length);
  const patterns = longest.map((each) => (wrapped.has(each) ? wrappedPattern(each) : spellingPattern(each)));
  return { names, wrapped, nameOf, pattern: new RegExp(patterns.join("|"), "g") };
}

function wrappedPattern(spelling: string): string {
  return spelling
    .split("")
    .map((sign) => sign.replace(/[+/-]/, "\\$&"))
    .join(BREAK);
}

/** The same for a spelling that is broken over several lines; at least 4 characters, or every text would be held back. */
function partialWrappedLength(text: string, spelling: string): number {
  const signs: string[] = [];
  const places: number[] = [];
  for (let at = text.length - 1; at >= 0 && signs.length < spelling.length; at -= 1) {
    const sign = text.charAt(at);
    if (/\s/.test(sign)) continue;
    signs.unshift(sign);
    places.unshift(at);
  }
  const tail = signs.join("");
  for (let length = Math.min(tail.length, spelling.length - 1); length >= 4; length -= 1)
    if (tail.endsWith(spelling.slice(0, length))) return text.length - (places[tail.length - length] ?? text.length);
  return 0;
}

/** The length of the text's end that starts this spelling, if longer than the best so far. */
function partialMatchLength(text: string, spelling: string, known: number): number {
  for (let length = Math.min(text.length, spelling.length); length > known; length -= 1)
    if (text.endsWith(spelling.slice(0, length))) return length;
  return 0;
}

/** A short secret counts only as a whole word: it may be part of other words. */
function spellingPattern(spelling: string): string {
  const literal = spelling.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return spelling.length < 8 ? `(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])` : literal;
}
