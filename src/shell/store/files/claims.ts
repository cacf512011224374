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
import {
  linkIfFree,
  readStoredJson,
  isMissingFile,
  errorText,
  ignoreLocalErrors,
  withFile,
} from "../../system/files.ts";
import { parseClaimEpoch, type CastLayout } from "../layout.ts";

/** [D35] An owner on another machine counts as dead after this time without a heartbeat. */
export const OWNER_TIMEOUT_MS = 5 * 60_000;
/** A claim names one process. */
const CLAIM_BYTES = 4_096;
const MAX_EPOCH = 999_999_999;
const RETRY_MS = 10;
const CLAIM_TIMEOUT_MS = 2_000;

/** The owner of a cast, and whether a system lock backs the claim. */
const ClaimFile = v.object({ ...ProcessIdentity.entries, locked: v.optional(v.boolean(), false) });
type ClaimFile = v.InferOutput<typeof ClaimFile>;

export type ClaimOutcome =
  | {
      readonly kind: "mine";
      readonly epoch: number;
      /** True if no other owner has claimed it since: a process that slept may have been evicted. */
      readonly holdsClaim: () => boolean;
      /** A cheaper check of the same, for a write that fails anyway if the cast is gone. */
      readonly isSuperseded: () => boolean;
      readonly heartbeat: () => void;
      readonly release: () => void;
    }
  | { readonly kind: "theirs"; readonly owner: ProcessIdentity | undefined }
  | { readonly kind: "failed"; readonly problem: string };

/**
 * The owner of a cast, as a series of claims `owner/1.json`, `owner/2.json`, …: the last one counts, while its process
 * lives and has not released it. Claims are never removed, so that no slow rival can take a number twice.
 */
export function currentOwner(layout: CastLayout): ProcessIdentity | undefined {
  const epoch = lastEpoch(layout);
  const claim = epoch === 0 ? undefined : readClaim(layout, epoch);
  // Only for display: a claim compares two files of one clock.
  return claim && isHeld(layout, claim, () => Date.now() - modifiedMs(layout.claim(epoch)))
    ? ownerOf(claim)
    : undefined;
}

/** [J22] Of any number of processes that try at once, exactly one gets the cast. A new cast will be at `later`. */
export async function claimCast(layout: CastLayout, later = layout): Promise<ClaimOutcome> {
  try {
    mkdirSync(layout.owner, { recursive: true, mode: 0o700 });
    for (let waited = 0; ; waited += RETRY_MS) {
      const lock = takeFileLock(layout.lock);
      if (lock.kind !== "taken") return writeClaim(layout, lock, later);
      const owner = currentOwner(layout);
      // Locked and not yet claimed, or released and not yet unlocked: both last for moments.
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
      if (last >= MAX_EPOCH) return { kind: "failed", problem: "cannot claim the cast: its claims are used up" };
      // A link appears as a whole or not at all, and only if its name is free.
      if (!linkIfFree(draft, layout.claim(last + 1))) continue;
      claimed = createHeldClaim(later, { epoch: last + 1, content }, lock);
      return claimed;
    }
  } catch (thrown) {
    return claimFailure(thrown);
  } finally {
    if (claimed === undefined && lock.kind === "held") lock.release();
    ignoreLocalErrors(() => rmSync(draft, { force: true }));
  }
}

function claimFailure(thrown: unknown): ClaimOutcome {
  return { kind: "failed", problem: `cannot claim the cast: ${errorText(thrown)}` };
}

/** [D34, D35] Under one kernel the lock decides whether an invisible owner lives; across hosts only its heartbeats do. */
function isHeld(layout: CastLayout, claim: ClaimFile, silentFor: () => number, lockIsOurs = false): boolean {
  const liveness = livenessOf(claim);
  if (liveness !== "unseen") return liveness === "alive";
  if (claim.locked && isFromThisBoot(claim)) {
    const locked = lockIsOurs ? false : isFileLocked(layout.lock);
    if (locked !== undefined) return locked;
  }
  return silentFor() < OWNER_TIMEOUT_MS;
}

function createHeldClaim(
  layout: CastLayout,
  { epoch, content }: { readonly epoch: number; readonly content: string },
  lock: Exclude<FileLock, { kind: "taken" }>,
): ClaimOutcome {
  const [own, next] = [layout.claim(epoch), layout.claim(epoch + 1)];
  let isOver = false;
  return {
    kind: "mine",
    epoch,
    holdsClaim: () => !isOver && !existsSync(next) && existsSync(own),
    isSuperseded: () => isOver || existsSync(next),
    heartbeat: () => {
      // The same bytes, so that the file system updates the time. Only several failures in a row count.
      if (!isOver) ignoreLocalErrors(() => withFile(openSync(own, "r+"), (fd) => writeSync(fd, content, 0)));
    },
    release: () => {
      if (isOver) return;
      isOver = true;
      // An empty claim names nobody. Emptying needs no disk space; if it fails, the end of the process releases the claim.
      ignoreLocalErrors(() => truncateSync(own, 0));
      if (lock.kind === "held") lock.release();
    },
  };
}

/** The draft's time by the clock of the file system: a claim is compared with no other clock. */
function writeDraft(draft: string, content: string): number {
  return withFile(openSync(draft, "wx", 0o600), (fd) => {
    writeSync(fd, content);
    return fstatSync(fd).mtimeMs;
  });
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
  return readStoredJson(ClaimFile, layout.claim(epoch), CLAIM_BYTES);
}

/** A lock that the system holds while a process lives and releases at its end. */
export type FileLock =
  | { readonly kind: "held"; readonly release: () => void }
  /** Another process holds it. */
  | { readonly kind: "taken" }
  /** This system or file system has no such locks. */
  | { readonly kind: "none" };

/** SQLite locks files on every system that Node runs on. Nothing is stored in this file. */
export function takeFileLock(file: string): FileLock {
  const sqlite = loadSqlite();
  if (!sqlite) return { kind: "none" };
  let database: SqliteDatabase | undefined;
  try {
    // [S18] SQLite would create it readable by everybody.
    closeSync(openSync(file, "a", 0o600));
    const held = new sqlite.DatabaseSync(file);
    database = held;
    // In memory: a journal file would use a name that the folder may no longer have.
    held.exec("PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
    return { kind: "held", release: () => held.close() };
  } catch (thrown) {
    database?.close();
    return isBusyError(thrown) ? { kind: "taken" } : { kind: "none" };
  }
}

/** Whether a process holds it, without taking it; undefined if that is unknown. */
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

/** Hides Node 22's warning about an experimental module. */
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
