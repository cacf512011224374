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
