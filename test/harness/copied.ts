import { cpSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made = new Map<string, string>();

/** Fills a folder. The first of its name in all test files is made, every further one is a copy of it: a repository takes git half a dozen programs. */
export function copied(name: string, folder: string, make: (folder: string) => void): void {
  let first = made.get(name);
  if (first === undefined) {
    first = realpathSync(mkdtempSync(join(tmpdir(), "materia-first-")));
    make(first);
    made.set(name, first);
  }
  cpSync(first, folder, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith(".sample") });
}
