import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryLink } from "../../system/link.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { configFolder, type ConfigPlace } from "../config.ts";

type Env = ConfigPlace["env"];

/** The key of this user on this machine, made when it is first wanted; nothing where it can neither be read nor made. */
export function userKey(env: Env): string | undefined {
  try {
    return foundKey(env) ?? makeKey(env);
  } catch {
    return undefined;
  }
}

/** The same, where there is one already. */
export function foundKey(env: Env): string | undefined {
  try {
    const key = readRegularText(keyFile(env), 1_024).trim();
    return key.length >= 32 ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Found by who only reads, made by who writes. */
export function keyOf(env: Env) {
  return { find: () => foundKey(env), make: () => userKey(env) };
}

function keyFile(env: Env): string {
  return join(configFolder(env), "cast-key");
}

/** However many processes make one at once, the first is everybody's. */
function makeKey(env: Env): string {
  const file = keyFile(env);
  mkdirSync(configFolder(env), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    // One that cannot be read marks nothing.
    if (existsSync(file) && foundKey(env) === undefined) rmSync(file, { force: true });
    tryLink(draft, file);
    const key = foundKey(env);
    if (key === undefined) throw new Error("the key cannot be read back");
    return key;
  } finally {
    rmSync(draft, { force: true });
  }
}
