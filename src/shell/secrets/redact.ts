import { isSecret, secretsInEnv, type Secret, encodingsOf } from "./find-secrets.ts";

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

/** Redacts text that arrives in pieces. */
export interface RedactedStream {
  /** The text that is safe to show now. */
  readonly push: (piece: string) => string;
  /** The rest, at the end of the text. */
  readonly end: () => string;
}

/** [S16] A piece may end inside a secret: hold back text that may be the start of one. */
export function createRedactedStream(env: Env): RedactedStream {
  const now = currentPatterns(env);
  let held = "";
  const say = (upTo: number): string => {
    const said = now().redact(held.slice(0, upTo));
    held = held.slice(upTo);
    return said;
  };
  return {
    push: (piece) => {
      held += piece;
      return say(held.length - now().partialLength(held));
    },
    end: () => say(held.length),
  };
}

/** Finds secrets without replacing them. */
export interface SecretFinder {
  readonly redact: Redactor;
  /** The names of the secrets in a text. */
  readonly namesIn: (text: string) => readonly string[];
}

/** [B62] The secrets that this process knows now. */
export function createSecretFinder(env: Env): SecretFinder {
  const secrets = [...secretsInEnv(env), ...[...registeredSecrets].map(([value, name]) => ({ name, value }))];
  const { names, pattern } = buildPattern(secrets);
  return {
    redact: compilePatterns(secrets).redact,
    namesIn: (text) => [
      ...new Set(pattern ? (text.match(pattern) ?? []).flatMap((each) => names.get(each) ?? []) : []),
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
  const { names, pattern } = buildPattern(secrets);
  if (!pattern) return { redact: (text) => text, partialLength: () => 0 };
  const spelled = [...names.keys()];
  const shortest = Math.min(...spelled.map(({ length }) => length));
  return {
    redact: (text) =>
      text.length < shortest ? text : text.replace(pattern, (found) => `[secret ${names.get(found) ?? ""}]`),
    partialLength: (text) =>
      spelled.reduce((most, spelling) => Math.max(most, partialMatchLength(text, spelling, most)), 0),
  };
}

function buildPattern(secrets: readonly Secret[]): { readonly names: Map<string, string>; readonly pattern?: RegExp } {
  const names = new Map<string, string>();
  for (const { name, value } of secrets)
    for (const spelling of encodingsOf(value)) if (!names.has(spelling)) names.set(spelling, name);
  if (names.size === 0) return { names };
  // A secret may contain another: try the longer one first.
  const longest = [...names.keys()].toSorted((a, b) => b.length - a.length);
  return { names, pattern: new RegExp(longest.map(spellingPattern).join("|"), "g") };
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
