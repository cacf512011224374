import type { Client } from "pg";
import type { Database } from "./database.ts";

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
