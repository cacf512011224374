import { Buffer } from "node:buffer";
import { valueOr } from "../system/files.ts";

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

/** A secret and the name that replaces it. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Names that mark any value as secret. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:^|_)(?:PASS|PAT|.+_PWD)(?:$|_)|^.+PWD$/i;
/** Names of keys, and of addresses that often contain a password. */
const KEY_NAME =
  /API_?KEY|PRIVATE_?KEY|(?:SSH|GPG|PGP|AUTH|ACCESS|DEPLOY|SIGNING|ENCRYPTION)_?KEY|(?:^|_)KEYS?(?:$|_)/i;
const URL_NAME = /(?:URL|URI|DSN|CONNECTION_?STRING|WEBHOOK|PROXY)(?:$|_)/i;
/** System variables with such a name that are not secret. */
const NOT_SECRET = new Set(["PWD", "OLDPWD"]);

/** [S7] The secrets of an environment: by the name of a variable, or by a password in an address. */
function secretsInEnv(env: Env): readonly Secret[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined || NOT_SECRET.has(name) ? [] : secretsInVariable(name, value),
  );
}

function secretsInVariable(name: string, value: string): readonly Secret[] {
  const inside = passwordsInUrl(value).map((password) => ({ name, value: password }));
  const whole = SECRET_NAME.test(name)
    ? isSecret(value, SECRET_LENGTHS)
    : KEY_NAME.test(name)
      ? isSecret(value, KEY_LENGTHS)
      : // An address without a password is only an address.
        URL_NAME.test(name) && inside.length > 0;
  return [...(whole ? [{ name, value }] : []), ...inside];
}

/** Long enough, and no ordinary word: redacting every "production" would help nobody. */
function isSecret(value: string, { minLength: shortest, maxWordsLength: words }: SecretLengths = KEY_LENGTHS): boolean {
  return value.length >= shortest && !isOrdinaryText(value, words);
}

/** The minimum length of a secret, and of one that consists of words only. */
interface SecretLengths {
  readonly minLength: number;
  readonly maxWordsLength: number;
}

const SECRET_LENGTHS: SecretLengths = { minLength: 4, maxWordsLength: 16 };
const KEY_LENGTHS: SecretLengths = { minLength: 8, maxWordsLength: 32 };

/** Words, whole numbers and versions, as in any text. */
function isOrdinaryText(value: string, words: number): boolean {
  if (/^\d{1,7}$/.test(value) || /^v?\d+(?:\.\d+)+$/.test(value)) return true;
  return value.length < words && /^\p{L}+(?:[-_ ./]\p{L}+)*$/u.test(value);
}

function passwordsInUrl(value: string): readonly string[] {
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(value)?.[1];
  if (written === undefined) return [];
  const meant = valueOr(() => decodeURIComponent(written), written);
  return [...new Set([written, meant])].filter((password) => isSecret(password, SECRET_LENGTHS));
}

/** [S16] Encodings that programs write over several lines: base64 and hex. */
function wrappedEncodingsOf(secret: string): readonly string[] {
  if (secret.length < 8) return [];
  const bytes = Buffer.from(secret);
  return [bytes.toString("hex"), bytes.toString("hex").toUpperCase(), ...base64Fragments(bytes)];
}

/** [S16] Encodings of a secret: JSON, JSON inside JSON, in an address, base64 and hex. */
function encodingsOf(secret: string): ReadonlySet<string> {
  const once = jsonEscaped(secret);
  const twice = jsonEscaped(once);
  const plain = [secret, once, twice, jsonEscaped(twice), once.replaceAll("/", "\\/"), unicodeEscaped(secret)];
  if (secret.length < 8) return new Set(plain);
  // A lone surrogate cannot be encoded.
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return new Set([...plain, inUrl, htmlEscaped(secret), ...wrappedEncodingsOf(secret)]);
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Unicode escapes, as in ASCII-only languages. */
function unicodeEscaped(text: string): string {
  return jsonEscaped(text).replace(
    /[\u0080-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function htmlEscaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Base64 at each of the three offsets, without the characters that it shares with its neighbours. */
function base64Fragments(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const shared = (before + bytes.length) % 3 === 0 ? 0 : 1;
    const own = text.slice(before === 0 ? 0 : before + 1, text.length - shared);
    return own.length < 8 ? [] : [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** [B62] Patterns of keys and tokens of any owner. Only unambiguous ones: a false alarm stops a delivery. */
const TOKEN_PATTERNS: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["a private key", /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ["an access key of AWS", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ["a token of GitHub", /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})/],
  ["a token of GitLab", /\bglpat-[A-Za-z0-9_-]{20,}/],
  ["a token of Slack", /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/],
  ["a key of Anthropic", /\bsk-ant-[A-Za-z0-9_-]{24,}/],
  ["a key of OpenAI", /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}/],
  ["a key of Google", /\bAIza[A-Za-z0-9_-]{35}\b/],
  ["a key of Stripe", /\b[rs]k_live_[A-Za-z0-9]{24,}/],
  ["a token of npm", /\bnpm_[A-Za-z0-9]{36}\b/],
  ["a key of Hugging Face", /\bhf_[A-Za-z0-9]{34,}\b/],
];

export function tokenKindsIn(text: string): readonly string[] {
  return TOKEN_PATTERNS.flatMap(([kind, shape]) => (shape.test(text) ? [kind] : []));
}
