import type { Client } from "pg";
import type { Database } from "./database.ts";

export type Notifications = ReturnType<typeof openNotifications>;

/** Changes of casts, and dispatches that are due. */
const CASTS_CHANNEL = "materia";
export const DUE_CHANNEL = "materia_due";
/** Output of agents: a separate channel, since it is far more frequent. */
export const TURNS_CHANNEL = "materia_turns";
/** Usage of items that share a budget, by their parent. */
export const BUDGETS_CHANNEL = "materia_budgets";
const RECONNECT_MS = 500;
/** A cut link reports no error. */
const LISTEN_MS = 10_000;
const BATCH_MS = 5;

/**
 * Listeners for changes in the database. [B79] Everybody who may connect hears every channel, and may send to it. So a notification names a cast by a random number
 * in its row, which only people who may see the cast can read.
 */
export function openNotifications(database: Database, channel = CASTS_CHANNEL) {
  const listeners = new Map<(castId?: string) => void, string | undefined>();
  let client: Promise<Client | undefined> | undefined;
  const closed = new AbortController();
  const tell = (castId?: string): void => {
    for (const [listener, of] of listeners)
      if (castId === undefined || of === undefined || of === castId) listener(castId);
  };
  const notices = openNoticeReader(database, tell);
  const hear = (payload: string): void => {
    if (channel === DUE_CHANNEL) return tell();
    const isNamed = [...listeners.values()].includes(undefined);
    notices.resolve(payload, isNamed);
  };
  const openListener = async (): Promise<Client> => {
    const made = await database.openSession();
    made.on("notification", ({ payload = "" }) => hear(payload));
    try {
      const listen = { text: `listen ${channel}`, query_timeout: LISTEN_MS };
      await made.query(listen);
      return made;
    } catch (thrown) {
      // Each further attempt would leave one more connection open.
      void made.end().catch(() => undefined);
      throw thrown;
    }
  };
  const connect = async (): Promise<Client | undefined> => {
    while (!closed.signal.aborted) {
      try {
        const made = await openListener();
        made.on("end", () => {
          if (!closed.signal.aborted) client = connect();
        });
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
    /** For one cast, or for any. The listener gets the cast, or nothing if anything may have changed. */
    on: (castId: string | undefined, listener: (castId?: string) => void): (() => void) => {
      // The same function may be registered twice; each registration ends by itself.
      const own = (of?: string): void => listener(of);
      listeners.set(own, castId);
      if (castId !== undefined) notices.learn(castId);
      client ??= connect();
      return () => void listeners.delete(own);
    },
    close: async (): Promise<void> => {
      closed.abort();
      const open = await client;
      await open?.end().catch(() => undefined);
    },
  };
}

const NOTICE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Only the latest are remembered: a process may follow casts for weeks. */
const MAX_NOTICES = 100_000;

/** Finds the cast of a notice. A notice of a cast that this person may not see is of no cast. */
function openNoticeReader(database: Database, tell: (castId?: string) => void) {
  const casts = new Map<string, string>();
  const remember = (rows: readonly NoticeRow[]): void => {
    for (const { notice, cast_id: castId } of rows) casts.set(notice, castId);
    for (const [oldest] of casts) if (casts.size > MAX_NOTICES) casts.delete(oldest);
  };
  let unlearned = 0;
  const read = async (where: string, values: readonly string[]): Promise<void> => {
    const text = `select notice::text, cast_id from materia.casts where ${where}`;
    remember(await database.query<NoticeRow>({ text, values: [values] }));
  };
  const readLater = createBatch((notices) => {
    const found = (): void => {
      for (const each of notices) if (casts.has(each)) tell(casts.get(each));
    };
    void read("notice = any($1::uuid[])", notices).then(found, () => tell());
  });
  return {
    /** If it cannot be read, every unknown notice is resolved from now on. */
    learn: (castId: string): void => {
      unlearned += 1;
      const done = (): void => void (unlearned -= 1);
      void read("cast_id = any($1)", [castId]).then(done, () => undefined);
    },
    /** Notices that nobody here listens for cost no query. */
    resolve: (notice: string, isNamed: boolean): void => {
      const castId = casts.get(notice);
      if (castId !== undefined) return tell(castId);
      if (NOTICE.test(notice) && (isNamed || unlearned > 0)) readLater(notice);
    },
  };
}

/** Gathers texts for a moment, each once, and hands them on together. */
function createBatch(flush: (texts: readonly string[]) => void): (text: string) => void {
  let waiting: Set<string> | undefined;
  return (text) => {
    if (waiting) return void waiting.add(text);
    const gathered = new Set([text]);
    waiting = gathered;
    setTimeout(() => {
      waiting = undefined;
      flush([...gathered]);
    }, BATCH_MS);
  };
}

interface NoticeRow {
  readonly notice: string;
  readonly cast_id: string;
}

/** Losing notifications in a crash of the server is harmless: their commit need not wait for the disk. */
const NOTIFY = `select pg_notify($2, notice::text) from materia.casts, set_config('synchronous_commit', 'off', true)
  where cast_id = any($1)`;

/** [B6] Sent after the commit, in batches: notifications inside it would serialize all writers. */
export function createCastNotifier(database: Database, channel = CASTS_CHANNEL): (castId: string) => void {
  return createBatch((casts) => {
    // Followers catch up by sequence number with the next notification.
    void database.queryOnce({ name: "tell", text: NOTIFY, values: [casts, channel] }).catch(() => undefined);
  });
}
