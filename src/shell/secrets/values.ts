/** A secret and the name that stands in its place. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

type EnvVariables = Readonly<Record<string, string | undefined>>;

/** Names that say outright that the value is secret, whatever it looks like. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:^|_)(?:PASS|PAT|.+_PWD)(?:$|_)|^.+PWD$/i;
/** Names of keys, and of addresses that often hold a password. */
const KEY_NAME = /API_?KEY|PRIVATE_?KEY|(?:SSH|GPG|PGP|AUTH|ACCESS|DEPLOY|SIGNING|ENCRYPTION)_?KEY|(?:^|_)KEYS?(?:$|_)/i;
const URL_NAME = /(?:URL|URI|DSN|CONNECTION_?STRING|WEBHOOK|PROXY)(?:$|_)/i;
/** What the system itself keeps under such a name. */
const NOT_SECRET = new Set(["PWD", "OLDPWD"]);

/** [S7] The secrets of an environment: by the name of a variable, or by a password in an address. */
export function secretsInEnv(env: EnvVariables): readonly Secret[] {
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

/** Long enough, and nothing that people write anyway: a hole in every "production" would help nobody. */
export function isSecret(value: string, { minLength: shortest, maxWordsLength: words }: SecretLengths = KEY_LENGTHS): boolean {
  return value.length >= shortest && !isOrdinaryText(value, words);
}

/** How long a value must be, and how long it may be while it is made of nothing but words. */
interface SecretLengths {
  readonly minLength: number;
  readonly maxWordsLength: number;
}

const SECRET_LENGTHS: SecretLengths = { minLength: 4, maxWordsLength: 16 };
const KEY_LENGTHS: SecretLengths = { minLength: 8, maxWordsLength: 32 };

/** Words, whole numbers and versions, as they stand in any text. */
function isOrdinaryText(value: string, words: number): boolean {
  if (/^\d{1,7}$/.test(value) || /^v?\d+(?:\.\d+)+$/.test(value)) return true;
  return value.length < words && /^\p{L}+(?:[-_ ./]\p{L}+)*$/u.test(value);
}

function passwordsInUrl(value: string): readonly string[] {
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(value)?.[1];
  if (written === undefined) return [];
  const meant = decodeOrKeep(written);
  return [...new Set([written, meant])].filter((password) => isSecret(password, SECRET_LENGTHS));
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
