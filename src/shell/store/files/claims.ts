import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { ProcessIdentity, isFromThisBoot, livenessOf, thisProcess } from "../../process/process-identity.ts";
import { linkIfFree, readRegularText } from "../../system/files.ts";
import { isMissingFile, errorText } from "../../system/system-error.ts";
import { parseClaimEpoch, type CastLayout } from "../layout.ts";

/** [D35] After so long without a sign an owner that cannot be looked at counts as gone. */
export const OWNER_TIMEOUT_MS = 5 * 60_000;
/** A claim names one process. */
const CLAIM_BYTES = 4_096;
const MAX_EPOCH = 999_999_999;
const RETRY_MS = 10;
const CLAIM_TIMEOUT_MS = 2_000;

/** Who claims a cast, and whether a lock of the system stands behind it. */
const ClaimFile = v.object({ ...ProcessIdentity.entries, locked: v.optional(v.boolean(), false) });
type ClaimFile = v.InferOutput<typeof ClaimFile>;

export type ClaimOutcome =
  | {
      readonly kind: "mine";
      readonly epoch: number;
      /** Whether nobody has taken it since: a process that was asleep may have been given up. */
      readonly holdsClaim: () => boolean;
      /** The cheaper half of the same question, for a write that fails by itself where the cast is gone. */
      readonly isSuperseded: () => boolean;
      readonly heartbeat: () => void;
      readonly release: () => void;
    }
  | { readonly kind: "theirs"; readonly owner: ProcessIdentity | undefined }
  | { readonly kind: "failed"; readonly problem: string };

/**
 * Who drives a cast, as a row of claims `owner/1.json`, `owner/2.json`, …: the last one counts, and only while its process lives
 * and has not let go. A claim is never removed, so that no slow rival can take a number twice.
 */
export function currentOwner(layout: CastLayout): ProcessIdentity | undefined {
  const epoch = lastEpoch(layout);
  const claim = epoch === 0 ? undefined : readClaim(layout, epoch);
  // For those who look, and change nothing; whoever wants the cast compares two files of one clock.
  return claim && isHeld(layout, claim, () => Date.now() - modifiedMs(layout.claim(epoch)))
    ? ownerOf(claim)
    : undefined;
}

/** [J22] Of any number of processes that try at once, exactly one gets the cast. A newborn one will stand at `later`. */
export async function claimCast(layout: CastLayout, later = layout): Promise<ClaimOutcome> {
  try {
    mkdirSync(layout.owner, { recursive: true, mode: 0o700 });
    for (let waited = 0; ; waited += RETRY_MS) {
      const lock = takeFileLock(layout.lock);
      if (lock.kind !== "taken") return writeClaim(layout, lock, later);
      const owner = currentOwner(layout);
      // Locked and not yet claimed, or let go and not yet unlocked: a matter of moments.
      if (owner || waited >= CLAIM_TIMEOUT_MS) return { kind: "theirs", owner };
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  } catch (thrown) {
    return claimFailure(thrown);
  }
}

function writeClaim(layout: CastLayout, lock: Exclude<FileLock, { kind: "taken" }>, later: CastLayout): ClaimOutcome {
  const draft = join(layout.owner, `draft-${randomUUID()}`);
  let claimed: ClaimOutcome | undefined;
  try {
    const locked = lock.kind === "held";
    const content = JSON.stringify({ ...thisProcess(), locked } satisfies ClaimFile);
    const now = writeDraft(draft, content);
    for (;;) {
      const last = lastEpoch(layout);
      const theirs = last === 0 ? undefined : readClaim(layout, last);
      const isTheirs = theirs && isHeld(layout, theirs, () => now - modifiedMs(layout.claim(last)), locked);
      if (isTheirs) return { kind: "theirs", owner: ownerOf(theirs) };
      if (last >= MAX_EPOCH) return { kind: "failed", problem: "the cast cannot be taken up: its claims are used up" };
      // A link appears whole or not at all, and only if its name is free.
      if (!linkIfFree(draft, layout.claim(last + 1))) continue;
      claimed = createHeldClaim(later, { epoch: last + 1, content, lock });
      return claimed;
    }
  } catch (thrown) {
    return claimFailure(thrown);
  } finally {
    if (claimed === undefined && lock.kind === "held") lock.release();
    removeDraft(draft);
  }
}

function claimFailure(thrown: unknown): ClaimOutcome {
  return { kind: "failed", problem: `the cast cannot be taken up: ${errorText(thrown)}` };
}

/** [D34, D35] Under one kernel the lock is the judge of an owner that cannot be seen; across hosts only its signs of life are. */
function isHeld(layout: CastLayout, claim: ClaimFile, silentFor: () => number, lockIsOurs = false): boolean {
  const sight = livenessOf(claim);
  if (sight !== "unseen") return sight === "alive";
  if (claim.locked && isFromThisBoot(claim)) {
    const locked = lockIsOurs ? false : isFileLocked(layout.lock);
    if (locked !== undefined) return locked;
  }
  return silentFor() < OWNER_TIMEOUT_MS;
}

interface HeldClaim {
  readonly epoch: number;
  readonly content: string;
  readonly lock: Exclude<FileLock, { kind: "taken" }>;
}

function createHeldClaim(layout: CastLayout, { epoch, content, lock }: HeldClaim): ClaimOutcome {
  const [own, next] = [layout.claim(epoch), layout.claim(epoch + 1)];
  let isOver = false;
  return {
    kind: "mine",
    epoch,
    holdsClaim: () => !isOver && !existsSync(next) && existsSync(own),
    isSuperseded: () => isOver || existsSync(next),
    heartbeat: () => {
      if (!isOver) touchClaim(own, content);
    },
    release: () => {
      if (isOver) return;
      isOver = true;
      emptyClaim(own);
      if (lock.kind === "held") lock.release();
    },
  };
}

/** The time of the draft by the clock of the file system: no other is compared with a claim's. */
function writeDraft(draft: string, content: string): number {
  const fd = openSync(draft, "wx", 0o600);
  try {
    writeSync(fd, content);
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
  }
}

function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // Where not even its folder can be had, there is none.
  }
}

/** An empty claim names nobody. Emptying it needs no room, so that a full disk cannot keep a cast from being let go. */
function emptyClaim(file: string): void {
  try {
    truncateSync(file, 0);
  } catch {
    // The process will be gone soon, which says the same.
  }
}

/** The same bytes again, so that the file system writes down its own time. */
function touchClaim(file: string, content: string): void {
  try {
    const fd = openSync(file, "r+");
    try {
      writeSync(fd, content, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The next beat may succeed; several in a row must fail before anyone draws a conclusion.
  }
}

function modifiedMs(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function lastEpoch(layout: CastLayout): number {
  try {
    return readdirSync(layout.owner).reduce((last, name) => Math.max(last, parseClaimEpoch(name)), 0);
  } catch (thrown) {
    if (isMissingFile(thrown)) return 0;
    throw thrown;
  }
}

function ownerOf({ locked: _locked, ...owner }: ClaimFile): ProcessIdentity {
  return owner;
}

function readClaim(layout: CastLayout, epoch: number): ClaimFile | undefined {
  try {
    const parsed = v.safeParse(ClaimFile, JSON.parse(readRegularText(layout.claim(epoch), CLAIM_BYTES)));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

/** A lock that the system holds for the life of a process and takes back at its death, whatever becomes of the process. */
export type FileLock =
  | { readonly kind: "held"; readonly release: () => void }
  /** Somebody else has it. */
  | { readonly kind: "taken" }
  /** This system or file system has no such locks. */
  | { readonly kind: "none" };

/** SQLite locks files on every system that Node runs on. Nothing is ever stored in this one. */
export function takeFileLock(file: string): FileLock {
  const sqlite = loadSqlite();
  if (!sqlite) return { kind: "none" };
  let database: SqliteDatabase | undefined;
  try {
    const held = new sqlite.DatabaseSync(file);
    database = held;
    // In memory: a journal file would be made under a name that the folder may no longer have.
    held.exec("PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
    return { kind: "held", release: () => held.close() };
  } catch (thrown) {
    database?.close();
    return isBusyError(thrown) ? { kind: "taken" } : { kind: "none" };
  }
}

/** Whether somebody holds it, without taking it; undefined where that cannot be told. */
export function isFileLocked(file: string): boolean | undefined {
  const sqlite = loadSqlite();
  if (!sqlite) return undefined;
  let database: SqliteDatabase | undefined;
  try {
    database = new sqlite.DatabaseSync(file, { readOnly: true });
    database.exec("SELECT count(*) FROM sqlite_schema");
    return false;
  } catch (thrown) {
    return isBusyError(thrown) ? true : undefined;
  } finally {
    database?.close();
  }
}

type Sqlite = typeof import("node:sqlite");
type SqliteDatabase = InstanceType<Sqlite["DatabaseSync"]>;

/** Node 22 calls it an experiment, on the screen of whoever started a cast. */
function loadSqlite(): Sqlite | undefined {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning") ?? {};
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    Object.defineProperty(process, "emitWarning", own);
  }
}

const SQLITE_BUSY = 5;

function isBusyError(thrown: unknown): boolean {
  return thrown instanceof Error && "errcode" in thrown && thrown.errcode === SQLITE_BUSY;
}
