import {
  failWith,
  suggest,
  typed,
  error,
  fail,
  ok,
  type HintParts,
  type Issue,
  type Result,
} from "../../../core/model/issue.ts";
import type { IssueCode } from "../../../core/model/issue-codes.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import type { Client, ClientConfig, Pool, PoolClient, QueryResultRow } from "pg";
import { errorText } from "../../system/files.ts";

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

/** A statement with its values in place: sql`select seq from materia.casts where cast_id = ${castId}`. */
export function sql(texts: TemplateStringsArray, ...values: readonly unknown[]): Statement {
  return { text: texts.reduce((text, part, index) => `${text}$${index}${part}`), values };
}

/** Connections to one database; nothing else knows the driver. Queries are retried on transient errors for `patienceMs`. */
export interface Database {
  readonly pool: Pool;
  readonly query: <T extends QueryResultRow>(statement: Statement) => Promise<readonly T[]>;
  /** One attempt only, for statements that must not run twice. */
  readonly queryOnce: <T extends QueryResultRow>(statement: Statement) => Promise<readonly T[]>;
  readonly transaction: <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>;
  /** A separate connection, under a name that others see. */
  readonly openSession: (name?: string) => Promise<Client>;
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
/** [B81] Nobody waits longer for a row that another session holds. */
const LOCK_TIMEOUT_MS = 5_000;
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
    lock_timeout: LOCK_TIMEOUT_MS,
    // [B80] A function that somebody put into another schema must never answer in place of the server's.
    options: "-c search_path=pg_catalog",
    keepAlive: true,
    keepAliveInitialDelayMillis: CONNECT_MS,
  };
  const pool = new pg.value.Pool({ ...config, max: MAX_CONNECTIONS });
  // The pool replaces a connection that breaks while idle.
  pool.on("error", () => undefined);
  // A connection that breaks inside a transaction fails the next statement; an unheard event would end the process.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  const once = async <T extends QueryResultRow>({ text, values = [], name }: Statement): Promise<readonly T[]> => {
    const bytes = values.flat().reduce((sum: number, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
    const query = { text, values: [...values], query_timeout: QUERY_TIMEOUT_MS + bytes / BYTES_PER_MS };
    return (await pool.query<T>({ ...query, ...withoutUndefined({ name }) })).rows;
  };
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const patiently = async <T extends QueryResultRow>(statement: Statement): Promise<readonly T[]> => {
    for (let waited = 0; ; waited += RETRY_MS) {
      try {
        return await once<T>(statement);
      } catch (thrown) {
        if (!isTransientError(thrown) || waited >= patienceMs) throw thrown;
        await pause(RETRY_MS);
      }
    }
  };
  return ok({
    pool,
    queryOnce: once,
    query: patiently,
    transaction: (work) => runTransaction(pool, work),
    openSession: async (name) => {
      const client = new pg.value.Client({ ...config, ...withoutUndefined({ application_name: name }) });
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

/** [B83] Of the connection, conflicts (40), resources (53) and a server that stops (57): waiting mends these errors. */
export function isTransientError(thrown: unknown): boolean {
  // The message of a programming error may mention a connection too.
  if (!(thrown instanceof Error) || PROGRAMMING_ERRORS.some((type) => thrown instanceof type)) return false;
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return thrown.errors.every(isTransientError);
  const code = codeOf(thrown);
  if (code === "") return DRIVER_MESSAGES.test(thrown.message);
  return /^(08|40|53|57|25P03|55P03)/.test(code) || (NETWORK_ERRORS.has(code) && !("path" in thrown));
}

/** What the driver says of a broken connection, without a code. */
const DRIVER_MESSAGES =
  /^(Connection terminated|Connection ended|timeout (expired|exceeded when trying to connect)|Query read timeout|Client (was closed|has encountered a connection error))/;
const NETWORK_ERRORS: ReadonlySet<string> = new Set(
  "ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET ENOTCONN EAI_AGAIN ENOTFOUND".split(
    " ",
  ),
);

/** [B83] An error of this machine: of its disk, its files or its processes. */
export function isLocalError(thrown: unknown): boolean {
  return thrown instanceof Error && "errno" in thrown && typeof thrown.errno === "number" && !isTransientError(thrown);
}

const PROGRAMMING_ERRORS = [TypeError, RangeError, ReferenceError, SyntaxError];

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}

export async function withDatabaseErrors<T>(at: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (thrown) {
    return fail(databaseIssue(at, thrown));
  }
}

export function databaseIssue(at: string, thrown: unknown): Issue {
  const code = codeOf(thrown);
  const cause = CAUSES.find(([fits]) => (fits instanceof RegExp ? fits.test(code) : fits(thrown)));
  const [, issue = "database_failed", message = "the database refused: %", hint] = cause ?? [];
  const text = message.replace("%", () => errorText(thrown));
  return error(issue, at, text, hint);
}

type Cause = readonly [
  fits: RegExp | ((thrown: unknown) => boolean),
  issue: IssueCode,
  message: string,
  hint?: string | HintParts,
];

/** By the code of an error, or by the error; `%` is its text. [B4] The codes with CERT are those of TLS. */
const CAUSES: readonly Cause[] = [
  [/^53(?!300)/, "database_full", "the database has no room: %", "casts continue when there is room"],
  [/^55P03$/, "database_unreachable", "another session holds a lock in the database", "try again soon"],
  [isTransientError, "database_unreachable", "cannot reach the database: %"],
  [/^54000$/, "submission_limit", "%", "wait until some have started, or ask for a higher limit"],
  [
    /^42501$/,
    "database_rights",
    "this role lacks a right: %",
    "grant it materia_member, or materia_worker for workers",
  ],
  [/^(28|3D000$)/, "database_rights", "the database rejects this role: %"],
  [
    /^(3F000|42P01)$/,
    "database_not_migrated",
    "the database has no tables of a fleet",
    suggest`${typed`fleet migrate`} makes them`,
  ],
  [
    /^ERR_TLS_|CERT|UNABLE_TO_(GET_ISSUER|VERIFY)/,
    "insecure_database",
    "the server's certificate is not valid for this host: %",
  ],
  [isLocalError, "write_failed", "this machine failed: %"],
];

const PG_VERSION = "8.23.1";

type PgDriver = Pick<typeof import("pg"), "Pool" | "Client">;

async function loadDriver(): Promise<Result<PgDriver>> {
  try {
    return ok((await import("pg")).default);
  } catch {
    const hint = `install it beside pi-materia: npm install pg@${PG_VERSION}`;
    return failWith("missing_package", "pg", "a fleet needs a driver that is not installed", hint);
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
    if (mode !== null && mode !== "verify-full")
      return failWith(
        "insecure_database",
        "url",
        `sslmode=${mode} to ${host} is not secure`,
        "use sslmode=verify-full",
      );
    return ok({ connectionString, ssl: { rejectUnauthorized: true, ...withoutUndefined({ ca }) } });
  } catch {
    return failWith("bad_database_url", "url", "this is not a url", "postgres://user@host:5432/database");
  }
}
