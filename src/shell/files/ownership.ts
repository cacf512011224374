import { constants, copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { Owner, isAlive, thisProcess } from "./process-owner.ts";
import { isMissing } from "./problem.ts";

/**
 * Who drives a cast, as a row of claims `owner/1.json`, `owner/2.json`, …: the last one counts, and only while its process lives
 * and has not let go. A claim is never removed, so that no slow rival can take a number twice.
 */
export function currentOwner(runDir: string): Owner | undefined {
  const last = lastClaim(runDir);
  if (last === 0 || existsSync(join(runDir, "owner", `${last}.released`))) return undefined;
  const owner = readClaim(runDir, last);
  return owner && isAlive(owner) ? owner : undefined;
}

export type Claim = { readonly kind: "mine"; readonly release: () => void } | { readonly kind: "theirs"; readonly owner: Owner };

/** [T-f] Of any number of processes that try at once, exactly one gets the cast. */
export function claim(runDir: string): Claim {
  const folder = join(runDir, "owner");
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `draft-${randomUUID()}`);
  writeFileSync(draft, JSON.stringify(thisProcess()));
  try {
    for (;;) {
      const owner = currentOwner(runDir);
      if (owner) return { kind: "theirs", owner };
      const number = lastClaim(runDir) + 1;
      // A link appears whole or not at all, and only if its name is free.
      if (tryLink(draft, join(folder, `${number}.json`))) return { kind: "mine", release: () => release(folder, number) };
    }
  } finally {
    unlinkSync(draft);
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if (hasCode(thrown, "EEXIST")) return false;
    if (!hasCode(thrown, "EPERM") && !hasCode(thrown, "ENOTSUP") && !hasCode(thrown, "EOPNOTSUPP")) throw thrown;
  }
  // A file system without links: a copy under a free name is as exclusive, if not as sudden.
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (thrown) {
    if (hasCode(thrown, "EEXIST")) return false;
    throw thrown;
  }
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}

function release(folder: string, number: number): void {
  try {
    writeFileSync(join(folder, `${number}.released`), "");
  } catch {
    // The process will be gone soon, which says the same.
  }
}

function lastClaim(runDir: string): number {
  try {
    return readdirSync(join(runDir, "owner")).reduce((last, name) => Math.max(last, Number(/^(\d+)\.json$/.exec(name)?.[1] ?? 0)), 0);
  } catch (thrown) {
    if (isMissing(thrown)) return 0;
    throw thrown;
  }
}

function readClaim(runDir: string, number: number): Owner | undefined {
  try {
    const parsed = v.safeParse(Owner, JSON.parse(readFileSync(join(runDir, "owner", `${number}.json`), "utf8")));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
