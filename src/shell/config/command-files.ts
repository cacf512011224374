import { createHash, type Hash } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync, type BigIntStats } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { readRegularFile, tryStat } from "../system/files.ts";

/** So much is read of what a project's commands name; the rest counts by its size and times, which no checkout keeps. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** A folder with more than this is not looked through. */
const MAX_ENTRIES = 5_000;

export interface CommandFiles {
  /** Changes when anything of it changes. */
  readonly digest: string;
  /** Files and folders of the project that were found, for people. */
  readonly paths: readonly string[];
  /** Those of them that are too large to be watched: trust in them cannot be kept. */
  readonly tooLarge: readonly string[];
}

/** [S3, S8] Everything inside the project that a word of these may mean, file or folder, there already or not yet. */
export function digestCommandFiles(cwd: string, words: readonly string[]): CommandFiles {
  const hash = createHash("sha256");
  const budget = { bytes: MAX_READ_BYTES, entries: MAX_ENTRIES, seen: new Set<string>() };
  const paths: string[] = [];
  const tooLarge: string[] = [];
  for (const [path, isSpelled] of pathsInWords(cwd, words)) {
    const name = relative(cwd, path);
    const found = tryStat(path);
    // What appears later changes the digest by appearing.
    if (!found || (found.isDirectory() && !isSpelled && !isRunnableFolder(path))) continue;
    paths.push(found.isDirectory() ? `${name}${sep}` : name);
    if (!hashTree(hash, path, name, budget)) tooLarge.push(`${name}${sep}`);
  }
  return { digest: hash.digest("hex"), paths, tooLarge };
}

/** Characters that stand between a path and what a shell or a program wraps around it. */
const PATH_BOUNDARY = /[\s"'`=:,;|&()<>{}[\]$]+/;

/**
 * Every path that a word may hold: the word itself, the value of `--require=./lib.js` and of `-r./lib.js`, each part of a line
 * for a shell. One too many is only asked about again; one too few runs unasked.
 */
function pathsInWords(cwd: string, words: readonly string[]): ReadonlyMap<string, boolean> {
  const parts = words.flatMap((word) => [word, ...word.split(PATH_BOUNDARY)]);
  const spellings = parts.flatMap((part) => [
    part,
    // `-Ilib`, `-r./lib.js`
    part.replace(/^-\w/, ""),
    // `$PWD/x`, `${PWD}/x`, `file:///x`
    part.replace(/^(?:PWD)?\/+/, ""),
    part.replace(/^\/+/, "/"),
  ]);
  const here = resolve(cwd) + sep;
  const inside = spellings
    .filter((part) => part !== "" && part.length < 4_096 && !part.includes("\0"))
    .map((part) => [resolve(cwd, part), /^\.|[/\\]/.test(part)] as const)
    .filter(([path]) => path.startsWith(here))
    .toSorted(([a, isASpelled], [b, isBSpelled]) =>
      a === b ? Number(isASpelled) - Number(isBSpelled) : a < b ? -1 : 1,
    );
  return new Map(inside);
}

/** `node tools` runs a folder by its bare name; in `npm test` the same word means no folder. */
function isRunnableFolder(folder: string): boolean {
  return listNames(folder).some((name) => /^(?:index\.\w+|main\.\w+|__main__\.py|package\.json|makefile)$/i.test(name));
}

interface ReadBudget {
  bytes: number;
  entries: number;
  /** Folders that were looked through: a link to a parent would have no end. */
  readonly seen: Set<string>;
}

/** Whether all of it could be looked at. */
function hashTree(hash: Hash, path: string, name: string, budget: ReadBudget): boolean {
  const found = tryStat(path);
  if (!found) return true;
  budget.entries -= 1;
  if (budget.entries < 0) return false;
  hashEntry(hash, path, { name, found, budget });
  const id = `${found.dev} ${found.ino}`;
  if (!found.isDirectory() || budget.seen.has(id)) return true;
  budget.seen.add(id);
  const names = listNames(path);
  hash.update(`\0${names.length}`);
  return names.every((each) => hashTree(hash, join(path, each), `${name}/${each}`, budget));
}

function hashEntry(
  hash: Hash,
  path: string,
  { name, found, budget }: { readonly name: string; readonly found: BigIntStats; readonly budget: ReadBudget },
): void {
  const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : "";
  // With its length, so that no byte can move from one file to the next unnoticed.
  hash.update(`\0${name}\0${link}\0${found.mode & 0o170111n}\0${found.isFile() ? found.size : 0}\0`);
  if (!found.isFile()) return;
  const content = found.size <= budget.bytes ? readContent(path, budget.bytes) : undefined;
  if (content) {
    budget.bytes -= content.length;
    hash.update(content);
  } else hash.update(`${found.dev} ${found.ino} ${found.mtimeNs} ${found.ctimeNs}`);
}

function readContent(path: string, most: number): Buffer | undefined {
  try {
    return readRegularFile(path, most);
  } catch {
    return undefined;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
