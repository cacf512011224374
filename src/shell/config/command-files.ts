import { createHash, type Hash } from "node:crypto";
import { lstatSync, readlinkSync, type BigIntStats } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { namesIn } from "../system/folders.ts";
import { readRegularFile, tryStat, valueOr } from "../system/files.ts";

/** At most this much of a file is hashed; the rest counts by size and times, which no checkout preserves. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 5_000;

/** [S3, S8] Every file and folder of the project that a word of these commands may name, existing or not. */
export function digestCommandFiles(cwd: string, words: readonly string[]) {
  const hash = createHash("sha256");
  const budget = { bytes: MAX_READ_BYTES, entries: MAX_ENTRIES, seen: new Set<string>() };
  const paths: string[] = [];
  /** Those that are too large to be watched: trust in them is not stored. */
  const tooLarge: string[] = [];
  for (const [path, isSpelled] of pathsInWords(cwd, words)) {
    const name = relative(cwd, path);
    const found = tryStat(path);
    // A file that appears later changes the digest.
    if (!found || (found.isDirectory() && !isSpelled && !isRunnableFolder(path))) continue;
    paths.push(found.isDirectory() ? `${name}${sep}` : name);
    if (!hashTree(hash, path, name, budget)) tooLarge.push(`${name}${sep}`);
  }
  return { digest: hash.digest("hex"), paths, tooLarge };
}

/** Characters between a path and the syntax of a shell or a program around it. */
const PATH_BOUNDARY = /[\s"'`=:,;|&()<>{}[\]$]+/;

/**
 * Every path that a word may hold: the word, the value of `--require=./lib.js` and of `-r./lib.js`, each part of a line for
 * a shell. One path too many only asks again; one too few would run without asking.
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

/** `node tools` runs a folder by its bare name; in `npm test` the same word names no folder. */
function isRunnableFolder(folder: string): boolean {
  return namesIn(folder).some((name) => /^(?:index\.\w+|main\.\w+|__main__\.py|package\.json|makefile)$/i.test(name));
}

interface ReadBudget {
  bytes: number;
  entries: number;
  /** Scanned folders: a link to a parent would loop. */
  readonly seen: Set<string>;
}

/** True if everything could be scanned. */
function hashTree(hash: Hash, path: string, name: string, budget: ReadBudget): boolean {
  const found = tryStat(path);
  if (!found) return true;
  budget.entries -= 1;
  if (budget.entries < 0) return false;
  hashEntry(hash, path, { name, found, budget });
  const id = `${found.dev} ${found.ino}`;
  if (!found.isDirectory() || budget.seen.has(id)) return true;
  budget.seen.add(id);
  const names = namesIn(path).toSorted();
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
  const content =
    found.size <= budget.bytes ? valueOr(() => readRegularFile(path, budget.bytes), undefined) : undefined;
  if (content) {
    budget.bytes -= content.length;
    hash.update(content);
  } else hash.update(`${found.dev} ${found.ino} ${found.mtimeNs} ${found.ctimeNs}`);
}
