import { createHmac, hash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../core/model/json.ts";
import { configFolder, type ConfigContext } from "./config.ts";
import { sortKeys } from "./config-file.ts";
import { readUserKey, ensureUserKey } from "./user-key.ts";

/** Marks are spread over 256 folders; the oldest of a full one goes, so that what is kept has an end. */
const MAX_MARKS = 200;

/** A cast as a listing has it at hand. */
export interface ListedCast {
  readonly castId: string;
  /** Tells whether what it was started with is still the file that was read before; nothing where there is none. */
  readonly stamp: () => Promise<string | undefined>;
  /** What it was started with, read only where the stamp does not tell. */
  readonly read: () => Promise<StartedCast | undefined>;
}

/** What a cast was started with, as far as it is named here. */
type StartedCast = object & { readonly castId: string };

export interface OwnCastRegistry {
  readonly record: (file: StartedCast, stamp: string | undefined) => void;
  readonly owns: (file: StartedCast) => boolean;
  /** [S11] The same for one of many: a look at its file, whatever that holds. */
  readonly ownsListed: (cast: ListedCast) => Promise<boolean>;
  /** With the cast go its marks. */
  readonly forget: (castId: string) => void;
}

/**
 * [S10] Which casts this user has begun on this machine: an empty file per cast, named for its id, for a keyed digest of what
 * it was started with, and for the stamp under which that was last read. The key and the marks lie beside the trust file, so
 * that nothing in a project can claim to be one of ours; of the content and not of the path, so that a cast moves with its
 * project. Best effort: a cast without its mark is only asked about.
 */
export function createOwnCastRegistry(env: ConfigContext["env"]): OwnCastRegistry {
  const top = join(configFolder(env), "casts");
  const folders = new Map<string, readonly string[]>();
  const look = (id: string): readonly OwnershipMark[] => {
    const folder = markFolder(top, id);
    const names = listNames(folder);
    folders.set(folder, names);
    return parseMarks(id, names);
  };
  const record: OwnCastRegistry["record"] = (file, stamp) => {
    const key = ensureUserKey(env);
    const id = shortDigest(file.castId);
    if (key === undefined) return;
    const mark = { id, content: contentDigest(key, file), stamp: shortDigest(stamp ?? "") };
    writeMark(markFolder(top, id), mark, look(id));
  };
  const has: OwnCastRegistry["owns"] = (file) => {
    const key = readUserKey(env);
    const marks = key === undefined ? [] : look(shortDigest(file.castId));
    if (key === undefined || marks.length === 0) return false;
    const digest = contentDigest(key, file);
    return marks.some(({ content }) => content === digest);
  };
  const lists: OwnCastRegistry["ownsListed"] = async ({ castId, stamp: ask, read }) => {
    const id = shortDigest(castId);
    const stamp = await ask();
    const isSeen = ({ stamp: seen }: OwnershipMark): boolean => stamp !== undefined && seen === shortDigest(stamp);
    // What was there a moment ago saves a look for each of many; what was not may be there by now.
    if (parseMarks(id, folders.get(markFolder(top, id)) ?? []).some(isSeen)) return true;
    const marks = look(id);
    if (marks.some(isSeen)) return true;
    // Without a mark for its id nothing in the file could make it ours.
    const file = marks.length === 0 ? undefined : await read();
    if (!file || !has(file)) return false;
    // It was moved, copied or touched: it is found at once when it is listed again.
    record(file, stamp);
    return true;
  };
  const forget: OwnCastRegistry["forget"] = (castId) => {
    const id = shortDigest(castId);
    for (const mark of look(id)) rmSync(join(markFolder(top, id), markName(mark)), { force: true });
  };
  return { record, owns: has, ownsListed: lists, forget };
}

interface OwnershipMark {
  readonly id: string;
  readonly content: string;
  readonly stamp: string;
}

function markName({ id, content, stamp }: OwnershipMark): string {
  return `${id}-${content}-${stamp}`;
}

function markFolder(top: string, id: string): string {
  return join(top, id.slice(0, 2));
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function parseMarks(id: string, names: readonly string[]): readonly OwnershipMark[] {
  return names
    .filter((name) => name.startsWith(id))
    .map((name) => name.split("-"))
    .map(([, content = "", stamp = ""]) => ({ id, content, stamp }));
}

function writeMark(folder: string, mark: OwnershipMark, marks: readonly OwnershipMark[]): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, markName(mark));
    writeFileSync(path, "", { mode: 0o600 });
    // One that is still in use is not the oldest.
    utimesSync(path, new Date(), new Date());
    const before = marks.filter(({ content, stamp }) => content === mark.content && stamp !== mark.stamp);
    for (const each of before) rmSync(join(folder, markName(each)), { force: true });
    dropOldestMark(folder);
  } catch {
    // A home that cannot be written to keeps no marks, as it keeps no trust.
  }
}

function dropOldestMark(folder: string): void {
  const names = readdirSync(folder);
  if (names.length <= MAX_MARKS) return;
  const [oldest] = names
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity }))
    .toSorted((a, b) => a.at - b.at);
  if (oldest) rmSync(oldest.path, { force: true });
}

function contentDigest(key: string, file: object): string {
  // As it comes back from the disk, in one order of keys.
  const content = JSON.stringify(sortKeys(JSON.parse(JSON.stringify(file)) as Json)); // it was just made from JSON
  return createHmac("sha256", key).update(content).digest("hex");
}

/** Names of one length, whatever they are made of. */
function shortDigest(text: string): string {
  return hash("sha256", text).slice(0, 32);
}
