import { createHmac, hash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../core/model/json.ts";
import { configFolder, type ConfigContext } from "./config.ts";
import { sortKeys } from "./config-file.ts";
import { readUserKey, ensureUserKey } from "./user-key.ts";
import { namesIn } from "../system/folders.ts";

/** Marks are spread over 256 folders; the oldest of a full folder is removed, so that their number is bounded. */
const MAX_MARKS = 200;

export interface ListedCast {
  readonly castId: string;
  /** Shows whether the cast file is the one that was read before; undefined if there is none. */
  readonly stamp: () => Promise<string | undefined>;
  readonly read: () => Promise<StartedCast | undefined>;
}

type StartedCast = object & { readonly castId: string };

export type OwnCastRegistry = ReturnType<typeof createOwnCastRegistry>;

/**
 * [S10] The casts that this user has started on this machine: an empty file per cast. Its name holds the id, a keyed digest
 * of the cast file, and the stamp under which the file was last read. Key and marks are beside the trust file, so that
 * nothing in a project can claim to be one of ours. They depend on content and not on the path, so that a cast moves with
 * its project. Best effort: a cast without its mark only asks for trust.
 */
export function createOwnCastRegistry(env: ConfigContext["env"]) {
  const top = join(configFolder(env), "casts");
  const folders = new Map<string, readonly string[]>();
  const look = (id: string): readonly OwnershipMark[] => {
    const folder = markFolder(top, id);
    const names = namesIn(folder);
    folders.set(folder, names);
    return parseMarks(id, names);
  };
  const record = (file: StartedCast, stamp: string | undefined): void => {
    const key = ensureUserKey(env);
    const id = shortDigest(file.castId);
    if (key === undefined) return;
    const mark = { id, content: contentDigest(key, file), stamp: shortDigest(stamp ?? "") };
    writeMark(markFolder(top, id), mark, look(id));
  };
  const owns = (file: StartedCast): boolean => {
    const key = readUserKey(env);
    const marks = key === undefined ? [] : look(shortDigest(file.castId));
    if (key === undefined || marks.length === 0) return false;
    const digest = contentDigest(key, file);
    return marks.some(({ content }) => content === digest);
  };
  /** [S11] The same for one of many: checks its file by stamp, not by content. */
  const ownsListed = async ({ castId, stamp: ask, read }: ListedCast): Promise<boolean> => {
    const id = shortDigest(castId);
    const stamp = await ask();
    const isSeen = ({ stamp: seen }: OwnershipMark): boolean => stamp !== undefined && seen === shortDigest(stamp);
    // A cached hit saves a check for each of many; a miss may be stale.
    if (parseMarks(id, folders.get(markFolder(top, id)) ?? []).some(isSeen)) return true;
    const marks = look(id);
    if (marks.some(isSeen)) return true;
    // Without a mark for its id nothing in the file could make it ours.
    const file = marks.length === 0 ? undefined : await read();
    if (!file || !owns(file)) return false;
    // It was moved, copied or touched: the next listing finds it at once.
    record(file, stamp);
    return true;
  };
  const forget = (castId: string): void => {
    const id = shortDigest(castId);
    for (const mark of look(id)) rmSync(join(markFolder(top, id), markName(mark)), { force: true });
  };
  return { record, owns, ownsListed, forget };
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
    // A mark that is still in use is not the oldest.
    utimesSync(path, new Date(), new Date());
    const before = marks.filter(({ content, stamp }) => content === mark.content && stamp !== mark.stamp);
    for (const each of before) rmSync(join(folder, markName(each)), { force: true });
    dropOldestMark(folder);
  } catch {
    // A read-only home stores no marks, as it stores no trust.
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
  // As it is read back from the disk, with sorted keys.
  const content = JSON.stringify(sortKeys(JSON.parse(JSON.stringify(file)) as Json)); // it was just made from JSON
  return createHmac("sha256", key).update(content).digest("hex");
}

/** Names of one length. */
function shortDigest(text: string): string {
  return hash("sha256", text).slice(0, 32);
}
