import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { Owner, isAlive, isOfThisHost, thisProcess } from "../process/process-owner.ts";
import { tryLink } from "../system/link.ts";
import { isMissing, problemText } from "../system/problem.ts";
import { readRegularText } from "../system/regular-file.ts";

/** A claim names one process. */
const CLAIM_BYTES = 4_096;
/** How often an owner shows that it lives to those who cannot look at its process. */
const BEAT_MS = 30_000;
/** [D16] After so long without a sign a process of another host counts as gone. */
export const SILENT_MS = 5 * 60_000;

/**
 * Who drives a cast, as a row of claims `owner/1.json`, `owner/2.json`, …: the last one counts, and only while its process lives
 * and has not let go. A claim is never removed, so that no slow rival can take a number twice.
 */
export function currentOwner(runDir: string): Owner | undefined {
  const last = lastClaim(runDir);
  const owner = last === 0 ? undefined : readClaim(runDir, last);
  if (!owner) return undefined;
  const lives = isOfThisHost(owner) ? isAlive(owner) : showedItself(claimFile(runDir, last));
  return lives ? owner : undefined;
}

export type Claim =
  | {
      readonly kind: "mine";
      /** Whether nobody has taken it since: a process that was asleep may have been given up. */
      readonly holds: () => boolean;
      readonly release: () => void;
    }
  | { readonly kind: "theirs"; readonly owner: Owner }
  | { readonly kind: "failed"; readonly problem: string };

/** [J22] Of any number of processes that try at once, exactly one gets the cast. */
export function claim(runDir: string): Claim {
  const draft = join(runDir, "owner", `draft-${randomUUID()}`);
  try {
    mkdirSync(join(runDir, "owner"), { recursive: true });
    writeFileSync(draft, JSON.stringify(thisProcess()));
    for (;;) {
      const owner = currentOwner(runDir);
      if (owner) return { kind: "theirs", owner };
      const number = lastClaim(runDir) + 1;
      // A link appears whole or not at all, and only if its name is free.
      if (tryLink(draft, claimFile(runDir, number))) return held(runDir, number);
    }
  } catch (thrown) {
    return { kind: "failed", problem: `the cast cannot be taken up: ${problemText(thrown)}` };
  } finally {
    discard(draft);
  }
}

function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // Where not even its folder can be had, there is none.
  }
}

function held(runDir: string, number: number): Claim {
  const file = claimFile(runDir, number);
  const beat = setInterval(() => touch(file), BEAT_MS);
  beat.unref();
  return {
    kind: "mine",
    holds: () => !existsSync(claimFile(runDir, number + 1)),
    release: () => {
      clearInterval(beat);
      letGo(file);
    },
  };
}

/** An empty claim names nobody. Emptying it needs no room, so that a full disk cannot keep a cast from being let go. */
function letGo(file: string): void {
  try {
    truncateSync(file, 0);
  } catch {
    // The process will be gone soon, which says the same.
  }
}

function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // The next beat may succeed; several in a row must fail before anyone draws a conclusion.
  }
}

function showedItself(file: string): boolean {
  try {
    return Date.now() - statSync(file).mtimeMs < SILENT_MS;
  } catch {
    return false;
  }
}

function claimFile(runDir: string, number: number): string {
  return join(runDir, "owner", `${number}.json`);
}

function lastClaim(runDir: string): number {
  try {
    return readdirSync(join(runDir, "owner")).reduce(
      (last, name) => Math.max(last, Number(/^(\d+)\.json$/.exec(name)?.[1] ?? 0)),
      0,
    );
  } catch (thrown) {
    if (isMissing(thrown)) return 0;
    throw thrown;
  }
}

function readClaim(runDir: string, number: number): Owner | undefined {
  try {
    const parsed = v.safeParse(Owner, JSON.parse(readRegularText(claimFile(runDir, number), CLAIM_BYTES)));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
