import { failWith, suggest, typed, error, fail, ok, type Issue, type Result } from "../../../core/model/issue.ts";
import type { Client, ClientConfig, Pool, PoolClient, QueryResultRow } from "pg";
import { errorText } from "../../system/files.ts";

/** The address of a database, and the certificate to verify it with. */
export interface DatabaseAddress {
  readonly url: string;
  /** The certificate authority of the server's certificate. */
  readonly ca?: string;
}

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Prepared under this name, once per connection. */
  readonly name?: string;
}

/** Connections to one database; nothing else knows the driver. Queries are retried on transient errors for `patienceMs`. */
export interface Database {
  readonly pool: Pool;
  readonly query: <T extends QueryResultRow>(statement: Statement) => Promise<readonly T[]>;
  /** One attempt only, for statements that must not run twice. */
  readonly queryOnce: <T extends QueryResultRow>(statement: Statement) => Promise<readonly T[]>;
  readonly transaction: <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>;
  /** A separate connection for session state such as locks. */
  readonly openSession: () => Promise<Client>;
  readonly pause: (ms: number) => Promise<void>;
  readonly retryForMs: number;
  readonly close: () => Promise<void>;
}

const RETRY_MS = 200;
const MAX_CONNECTIONS = 4;
/** A cut link reports no error: after this time a query takes another connection. */
const QUERY_TIMEOUT_MS = 60_000;
const BYTES_PER_MS = 1_000;
const CONNECT_MS = 10_000;
/** A suspended process must not hold the locks of its transaction until it wakes. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** [B1] Nothing of this is loaded before a fleet is named. */
export async function openDatabase(
  { url, ca }: DatabaseAddress,
  { patienceMs = 0 }: { readonly patienceMs?: number } = {},
): Promise<Result<Database>> {
  const pg = await loadDriver();
  if (!pg.ok) return pg;
  const secured = connectionConfig(pg.value, url, ca);
  if (!secured.ok) return secured;
  const config = {
    ...secured.value,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
  };
  const pool = new pg.value.Pool({ ...config, max: MAX_CONNECTIONS });
  // The pool replaces a connection that breaks while idle.
  pool.on("error", () => undefined);
  // A connection that breaks inside a transaction fails the next statement; an unheard event would end the process.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  const once = async <T extends QueryResultRow>({ text, values = [], name }: Statement): Promise<readonly T[]> => {
    const asked = { text, values: [...values], query_timeout: QUERY_TIMEOUT_MS + bytesIn(values) / BYTES_PER_MS };
    const done = await pool.query<T>({ ...asked, ...(name === undefined ? {} : { name }) });
    return done.rows;
  };
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let waited = 0; ; waited += RETRY_MS) {
      try {
        return await work();
      } catch (thrown) {
        if (!isTransientError(thrown) || waited >= patienceMs) throw thrown;
        await pause(RETRY_MS);
      }
    }
  };
  return ok({
    pool,
    queryOnce: once,
    query: (statement) => patiently(() => once(statement)),
    transaction: (work) => runTransaction(pool, work),
    openSession: async () => {
      const client = new pg.value.Client(config);
      client.on("error", () => undefined);
      await client.connect();
      return client;
    },
    pause,
    retryForMs: patienceMs,
    close: () => pool.end(),
  });
}

async function runTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const done = await work(client);
    await client.query("commit");
    return done;
  } catch (thrown) {
    await client.query("rollback").catch(() => undefined);
    throw thrown;
  } finally {
    client.release();
  }
}

/** Bytes to send. */
function bytesIn(values: readonly unknown[]): number {
  return values.flat().reduce((sum: number, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
}

/** Errors that waiting mends: of the network, and of the classes 08, 40 (conflicts), 53 (resources) and 57 (the server stops). */
export function isTransientError(thrown: unknown): boolean {
  // The message of a programming error may mention a connection too.
  if (!(thrown instanceof Error) || PROGRAMMING_ERRORS.some((type) => thrown instanceof type)) return false;
  const code = codeOf(thrown);
  if (code === "") return /connection|timeout|not queryable/i.test(thrown.message);
  return /^(08|40|53|57|25P03|55P03|EAI_AGAIN$|E[A-Z]+$)/.test(code);
}

const PROGRAMMING_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError];

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}

/** Turns an error of the database into an issue. */
export async function withDatabaseErrors<T>(at: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (thrown) {
    return fail(databaseIssue(at, thrown));
  }
}

/** Describes a database that refuses or cannot be reached. */
export function databaseIssue(at: string, thrown: unknown): Issue {
  const code = codeOf(thrown);
  if (code.startsWith("53") && code !== "53300")
    return error(
      "database_full",
      at,
      `the database has no room: ${errorText(thrown)}`,
      "casts continue when there is room",
    );
  if (isTransientError(thrown))
    return error("database_unreachable", at, `cannot reach the database: ${errorText(thrown)}`);
  if (code === "42501")
    return error(
      "database_rights",
      at,
      `this role lacks a right: ${errorText(thrown)}`,
      "grant it materia_member, or materia_worker for workers",
    );
  if (code.startsWith("28") || code === "3D000")
    return error("database_rights", at, `the database rejects this role: ${errorText(thrown)}`);
  if (code === "3F000" || code === "42P01")
    return error(
      "database_not_migrated",
      at,
      "the database has no tables of a fleet",
      suggest`${typed`fleet migrate`} makes them`,
    );
  return error("database_failed", at, `the database refused: ${errorText(thrown)}`);
}

const PG_VERSION = "8.23.1";

type PgDriver = Pick<typeof import("pg"), "Pool" | "Client">;

async function loadDriver(): Promise<Result<PgDriver>> {
  try {
    return ok((await import("pg")).default);
  } catch {
    return failWith(
      "missing_package",
      "pg",
      "a fleet needs a driver that is not installed",
      `install it beside pi-materia: npm install pg@${PG_VERSION}`,
    );
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

/** [B4] Other machines only with a certificate that names the host, regardless of the url. */
function connectionConfig(pg: Pick<PgDriver, "Client">, url: string, ca: string | undefined): Result<ClientConfig> {
  try {
    const parsed = new URL(url);
    if (parsed.protocol !== "postgres:" && parsed.protocol !== "postgresql:")
      return failWith("bad_database_url", "url", "the url does not begin with postgres://");
    const mode = parsed.searchParams.get("sslmode");
    for (const name of Array.from(parsed.searchParams.keys()))
      if (name.startsWith("ssl")) parsed.searchParams.delete(name);
    const connectionString = parsed.toString();
    // As the driver parses it: parameters, their order and the environment decide the host.
    const { host } = new pg.Client({ connectionString });
    const isLocal = LOOPBACK.has(host) || host.startsWith("/");
    if (isLocal && ca === undefined) return ok({ connectionString });
    if (mode !== null && mode !== "verify-full") return fail(insecureIssue(host, mode));
    return ok({ connectionString, ssl: { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) } });
  } catch {
    return failWith("bad_database_url", "url", "this is not a url", "postgres://user@host:5432/database");
  }
}

function insecureIssue(host: string, mode: string): Issue {
  const message = `sslmode=${mode} to ${host} is not secure`;
  return error("insecure_database", "url", message, "use sslmode=verify-full");
}

/** Listeners for changes in the database. They share one connection, opened for the first of them. */
export interface Notifications {
  /** For one cast, or for any. The listener gets the cast, or nothing if anything may have changed. */
  readonly on: (castId: string | undefined, listener: (castId?: string) => void) => () => void;
  readonly close: () => Promise<void>;
}

/** Changes of casts, and dispatches that are due. */
const CASTS_CHANNEL = "materia";
export const DUE_CHANNEL = "materia_due";
/** Output of agents: a separate channel, since it is far more frequent. */
export const TURNS_CHANNEL = "materia_turns";
/** Usage of items that share a budget, by the id of their parent. */
export const BUDGETS_CHANNEL = "materia_budgets";
const RECONNECT_MS = 500;

export function openNotifications(database: Database, channel = CASTS_CHANNEL): Notifications {
  const listeners = new Map<(castId?: string) => void, string | undefined>();
  let client: Promise<Client | undefined> | undefined;
  const closed = new AbortController();
  const tell = (castId?: string): void => {
    for (const [listener, of] of listeners)
      if (castId === undefined || of === undefined || of === castId) listener(castId);
  };
  const connect = async (): Promise<Client | undefined> => {
    while (!closed.signal.aborted) {
      try {
        const made = await database.openSession();
        made.on("notification", ({ payload }) => tell(payload));
        made.on("end", () => {
          if (!closed.signal.aborted) client = connect();
        });
        await made.query(`listen ${channel}`);
        // Notifications before `listen` may be lost.
        tell();
        return made;
      } catch {
        await database.pause(RECONNECT_MS);
      }
    }
    return undefined;
  };
  return {
    on: (castId, listener) => {
      // The same function may be registered twice; each registration ends by itself.
      const own = (of?: string): void => listener(of);
      listeners.set(own, castId);
      client ??= connect();
      return () => void listeners.delete(own);
    },
    close: async () => {
      closed.abort();
      const open = await client;
      await open?.end().catch(() => undefined);
    },
  };
}

const BATCH_MS = 5;
/** Losing notifications in a crash of the server is harmless: their commit need not wait for the disk. */
const NOTIFY = "select pg_notify($2, id) from unnest($1::text[]) id, set_config('synchronous_commit', 'off', true)";

/** [B6] Sent after the commit, in batches: notifications inside it would serialize all writers. */
export function createNotifier(database: Database, channel = CASTS_CHANNEL): (castId: string) => void {
  let waiting: Set<string> | undefined;
  return (castId) => {
    if (waiting) return void waiting.add(castId);
    const gathered = new Set([castId]);
    waiting = gathered;
    setTimeout(() => {
      waiting = undefined;
      void database
        .queryOnce({ name: "tell", text: NOTIFY, values: [[...gathered], channel] })
        // Followers catch up by sequence number with the next notification.
        .catch(() => undefined);
    }, BATCH_MS);
  };
}
