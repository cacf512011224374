import { randomBytes, createHmac } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { createFile, readRegularFileText, valueOr } from "../system/files.ts";
import { configFolder, type ConfigContext } from "./config.ts";
import { realPathOrSame } from "../system/folders.ts";

/** The key of this user on this machine, created on first use; undefined if it can neither be read nor created. */
export function ensureUserKey(env: ConfigContext["env"]): string | undefined {
  return valueOr(() => readUserKey(env) ?? createUserKey(env), undefined);
}

export function readUserKey(env: ConfigContext["env"]): string | undefined {
  const key = valueOr(() => readRegularFileText(userKeyFile(env), 1_024).trim(), "");
  return key.length >= 32 ? key : undefined;
}

function userKeyFile(env: ConfigContext["env"]): string {
  return join(configFolder(env), "cast-key");
}

/** Of concurrent creations the first one counts for all. */
function createUserKey(env: ConfigContext["env"]): string | undefined {
  const file = userKeyFile(env);
  mkdirSync(configFolder(env), { recursive: true, mode: 0o700 });
  // An unreadable key marks nothing.
  if (existsSync(file) && readUserKey(env) === undefined) rmSync(file, { force: true });
  createFile(file, `${randomBytes(32).toString("hex")}\n`);
  return readUserKey(env);
}

/** The stable identity of a project's page: its secret and its port. */
export interface UiEndpoint {
  /** A secret that a browser of this user has; derived, so that it does not reveal the user's key. */
  readonly key: string;
  /** The port that is tried first. It cannot be guessed, and is outside the range of ephemeral ports. */
  readonly port: number;
}

const FIRST_PORT = 20_000;
const PORT_COUNT = 12_000;

/** [N33] Undefined if this user has no key and none can be created: then a restarted page is a stranger. */
export function deriveUiEndpoint({ cwd, env }: ConfigContext, fleet?: string): UiEndpoint | undefined {
  const own = ensureUserKey(env);
  if (own === undefined) return undefined;
  // The page of a fleet is another one: an open page must not continue with other casts.
  const served = fleet === undefined ? realPathOrSame(resolve(cwd)) : `${realPathOrSame(resolve(cwd))}\0${fleet}`;
  const of = (what: string): Buffer => createHmac("sha256", own).update(`${what}\0${served}`).digest();
  return { key: of("ui key").toString("base64url"), port: FIRST_PORT + (of("ui port").readUInt32BE() % PORT_COUNT) };
}
