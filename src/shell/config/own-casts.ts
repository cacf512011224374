import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../core/model/json.ts";
import { tryLink } from "../system/link.ts";
import { readRegularText } from "../system/regular-file.ts";
import { configFolder } from "./config.ts";
import type { ConfigPlace } from "./config.ts";
import { sorted } from "./sorted.ts";

/** Marks are spread over 256 folders; the oldest of a full one goes, so that what is kept has an end. */
const MOST_IN_FOLDER = 200;

type Env = ConfigPlace["env"];

/**
 * [S10] Which casts this user has begun on this machine: a mark per cast, named for a keyed digest of what it was started with.
 * The key and the marks lie beside the trust file, so that nothing in a project can claim to be one of ours; of the content
 * and not of the path, so that a cast moves with its project. Best effort: a cast without its mark is only asked about.
 */
export function recordCast(env: Env, file: unknown): void {
  try {
    const key = keyOf(env) ?? makeKey(env);
    const mark = markOf(env, key, file);
    mkdirSync(mark.folder, { recursive: true, mode: 0o700 });
    writeFileSync(mark.path, "", { mode: 0o600 });
    // One that is still in use is not the oldest.
    utimesSync(mark.path, new Date(), new Date());
    keepNewest(mark.folder);
  } catch {
    // A home that cannot be written to keeps no marks, as it keeps no trust.
  }
}

export function isOwnCast(env: Env, file: unknown): boolean {
  const key = keyOf(env);
  return key !== undefined && existsSync(markOf(env, key, file).path);
}

/** With the cast goes its mark. */
export function forgetCast(env: Env, file: unknown): void {
  const key = keyOf(env);
  if (key !== undefined) rmSync(markOf(env, key, file).path, { force: true });
}

function markOf(env: Env, key: string, file: unknown): { readonly folder: string; readonly path: string } {
  // As it comes back from the disk, in one order of keys.
  const content = JSON.stringify(sorted(JSON.parse(JSON.stringify(file)) as Json)); // it was just made from JSON
  const digest = createHmac("sha256", key).update(content).digest("hex");
  const folder = join(configFolder(env), "casts", digest.slice(0, 2));
  return { folder, path: join(folder, digest) };
}

function keepNewest(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MOST_IN_FOLDER) return;
  const [oldest] = names
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity }))
    .toSorted((a, b) => a.at - b.at);
  if (oldest) rmSync(oldest.path, { force: true });
}

function keyFile(env: Env): string {
  return join(configFolder(env), "cast-key");
}

/** The key of this user on this machine, made when it is first wanted; nothing where it can neither be read nor made. */
export function userKey(env: Env): string | undefined {
  try {
    return keyOf(env) ?? makeKey(env);
  } catch {
    return undefined;
  }
}

function keyOf(env: Env): string | undefined {
  try {
    const key = readRegularText(keyFile(env), 1_024).trim();
    return key.length >= 32 ? key : undefined;
  } catch {
    return undefined;
  }
}

/** However many processes make one at once, the first is everybody's. */
function makeKey(env: Env): string {
  const file = keyFile(env);
  mkdirSync(configFolder(env), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    writeFileSync(draft, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    // One that cannot be read marks nothing.
    if (existsSync(file) && keyOf(env) === undefined) rmSync(file, { force: true });
    tryLink(draft, file);
    const key = keyOf(env);
    if (key === undefined) throw new Error("the key cannot be read back");
    return key;
  } finally {
    rmSync(draft, { force: true });
  }
}
