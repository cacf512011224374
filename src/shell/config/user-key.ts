import { randomBytes, randomUUID, createHmac } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { linkIfFree, readRegularText } from "../system/files.ts";
import { configFolder, type ConfigContext } from "./config.ts";

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

/** What stays the same when the page of a project is served again: by whom it is known, and where it stands. */
export interface UiEndpoint {
  /** What a browser of this user proves to have; derived, so that nobody who learns it learns the key of the user. */
  readonly key: string;
  /** The port that is tried first. Nobody else can tell it beforehand, and it lies outside of those that systems give away. */
  readonly port: number;
}

const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;

/** [N33] Nothing where this user has no key and none can be kept: then each start is a stranger to the page of the last one. */
export function deriveUiEndpoint({ cwd, env }: ConfigContext, fleet?: string): UiEndpoint | undefined {
  const own = ensureUserKey(env);
  if (own === undefined) return undefined;
  // The page of a fleet is another one: an open page must not go on with other casts.
  const served = fleet === undefined ? realFolder(cwd) : `${realFolder(cwd)}\0${fleet}`;
  const of = (what: string): Buffer => createHmac("sha256", own).update(`${what}\0${served}`).digest();
  return { key: of("ui key").toString("base64url"), port: FIRST_PORT + (of("ui port").readUInt32BE() % PORT_COUNT) };
}

function realFolder(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return resolve(cwd);
  }
}
