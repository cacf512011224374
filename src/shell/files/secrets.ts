const SECRET_NAME = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|PRIVATE_KEY)(?:$|_)/i;

/** [S7] Replaces the values of environment variables that hold secrets, wherever an agent or a program printed them. */
export function redactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const secrets = Object.entries(env)
    .flatMap(([name, value]) => (value !== undefined && value.length >= 8 && SECRET_NAME.test(name) ? [{ name, value }] : []))
    // A secret may contain another; the longer one must go first.
    .toSorted((a, b) => b.value.length - a.value.length);
  if (secrets.length === 0) return (text) => text;
  return (text) => secrets.reduce((clean, { name, value }) => clean.replaceAll(value, `[secret ${name}]`), text);
}
