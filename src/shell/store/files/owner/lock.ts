/** A lock that the system holds for the life of a process and takes back at its death, whatever becomes of the process. */
export type Lock =
  | { readonly kind: "held"; readonly release: () => void }
  /** Somebody else has it. */
  | { readonly kind: "taken" }
  /** This system or file system has no such locks. */
  | { readonly kind: "none" };

/** SQLite locks files on every system that Node runs on. Nothing is ever stored in this one. */
export function takeLock(file: string): Lock {
  const sqlite = loadSqlite();
  if (!sqlite) return { kind: "none" };
  let database: Database | undefined;
  try {
    database = new sqlite.DatabaseSync(file);
    // In memory: a journal file would be made under a name that the folder may no longer have.
    database.exec("PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE");
    const held = database;
    return { kind: "held", release: () => close(held) };
  } catch (thrown) {
    if (database) close(database);
    return isTaken(thrown) ? { kind: "taken" } : { kind: "none" };
  }
}

/** Whether somebody holds it, without taking it; undefined where that cannot be told. */
export function isLocked(file: string): boolean | undefined {
  const sqlite = loadSqlite();
  if (!sqlite) return undefined;
  let database: Database | undefined;
  try {
    database = new sqlite.DatabaseSync(file, { readOnly: true });
    database.exec("SELECT count(*) FROM sqlite_schema");
    return false;
  } catch (thrown) {
    return isTaken(thrown) ? true : undefined;
  } finally {
    if (database) close(database);
  }
}

type Sqlite = typeof import("node:sqlite");
type Database = InstanceType<Sqlite["DatabaseSync"]>;

let loaded: Sqlite | null | undefined;

function loadSqlite(): Sqlite | undefined {
  loaded ??= withoutWarning(() => process.getBuiltinModule("node:sqlite") ?? null);
  return loaded ?? undefined;
}

/** Node 22 calls it an experiment, on the screen of whoever started a cast. */
function withoutWarning<T>(load: () => T): T | null {
  const own = Object.getOwnPropertyDescriptor(process, "emitWarning");
  try {
    process.emitWarning = () => undefined;
    return load();
  } catch {
    return null;
  } finally {
    if (own) Object.defineProperty(process, "emitWarning", own);
  }
}

const BUSY = 5;

function isTaken(thrown: unknown): boolean {
  return thrown instanceof Error && "errcode" in thrown && thrown.errcode === BUSY;
}

function close(database: Database): void {
  try {
    database.close();
  } catch {
    // It was never open.
  }
}
