import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linkIfFree } from "../../system/link.ts";
import { readRegularText } from "../../system/regular-file.ts";
import { configFolder, type ConfigContext } from "../config.ts";

type UserEnv = ConfigContext["env"];

/** The key of this user on this machine, made when it is first wanted; nothing where it can neither be read nor made. */
export function ensureUserKey(env: UserEnv): string | undefined {
  try {
    return readUserKey(env) ?? createUserKey(env);
  } catch {
    return undefined;
  }
}

/** The same, where there is one already. */
export function readUserKey(env: UserEnv): string | undefined {
  try {
    const key = readRegularText(userKeyFile(env), 1_024).trim();
    return key.length >= 32 ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Found by who only reads, made by who writes. */
export function userKeyAccess(env: UserEnv) {
  return { find: () => readUserKey(env), make: () => ensureUserKey(env) };
}

function userKeyFile(env: UserEnv): string {
  return join(configFolder(env), "cast-key");
}

/** However many processes make one at once, the first is everybody's. */
function createUserKey(env: UserEnv): string {
  const file = userKeyFile(env);
  mkdirSync(configFolder(env), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    // One that cannot be read marks nothing.
    if (existsSync(file) && readUserKey(env) === undefined) rmSync(file, { force: true });
    linkIfFree(draft, file);
    const key = readUserKey(env);
    if (key === undefined) throw new Error("the key cannot be read back");
    return key;
  } finally {
    rmSync(draft, { force: true });
  }
}
