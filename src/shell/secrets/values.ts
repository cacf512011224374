/** A secret and the name that stands in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Names that say outright that the value is secret, whatever it looks like. */
const OUTRIGHT = /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:^|_)(?:PASS|PAT|.+_PWD)(?:$|_)|^.+PWD$/i;
/** Names of keys, and of addresses that often hold a password. */
const KEY = /API_?KEY|PRIVATE_?KEY|(?:SSH|GPG|PGP|AUTH|ACCESS|DEPLOY|SIGNING|ENCRYPTION)_?KEY|(?:^|_)KEYS?(?:$|_)/i;
const ADDRESS = /(?:URL|URI|DSN|CONNECTION_?STRING|WEBHOOK|PROXY)(?:$|_)/i;
/** What the system itself keeps under such a name. */
const NOT_SECRET = new Set(["PWD", "OLDPWD"]);

/** [S7] The secrets of an environment: by the name of a variable, or by a password in an address. */
export function secretsOf(env: Environment): readonly Secret[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value === undefined || NOT_SECRET.has(name) ? [] : secretsIn(name, value),
  );
}

function secretsIn(name: string, value: string): readonly Secret[] {
  const inside = passwordIn(value).map((password) => ({ name, value: password }));
  const whole = OUTRIGHT.test(name)
    ? isSecret(value, NAMED_SECRET)
    : KEY.test(name)
      ? isSecret(value, NAMED_KEY)
      : // An address without a password is only an address.
        ADDRESS.test(name) && inside.length > 0;
  return [...(whole ? [{ name, value }] : []), ...inside];
}

/** Long enough, and nothing that people write anyway: a hole in every "production" would help nobody. */
export function isSecret(value: string, { shortest, words }: Measure = NAMED_KEY): boolean {
  return value.length >= shortest && !isOrdinary(value, words);
}

/** How long a value must be, and how long it may be while it is made of nothing but words. */
interface Measure {
  readonly shortest: number;
  readonly words: number;
}

const NAMED_SECRET: Measure = { shortest: 4, words: 16 };
const NAMED_KEY: Measure = { shortest: 8, words: 32 };

/** Words, whole numbers and versions, as they stand in any text. */
function isOrdinary(value: string, words: number): boolean {
  if (/^\d{1,7}$/.test(value) || /^v?\d+(?:\.\d+)+$/.test(value)) return true;
  return value.length < words && /^\p{L}+(?:[-_ ./]\p{L}+)*$/u.test(value);
}

function passwordIn(value: string): readonly string[] {
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(value)?.[1];
  if (written === undefined) return [];
  const meant = decoded(written);
  return [...new Set([written, meant])].filter((password) => isSecret(password, NAMED_SECRET));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
