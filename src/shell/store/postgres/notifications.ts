import type { Client } from "pg";
import type { Database } from "./database.ts";

/** Who wants to hear of changes in the database. One connection for all of them, made when the first comes. */
export interface Notifications {
  /** Of one cast, or of any; it is said of which, unless anything may have happened. */
  readonly on: (castId: string | undefined, listener: (castId?: string) => void) => () => void;
  readonly close: () => Promise<void>;
}

/** Of whatever changes in a cast, and of casts that a worker is wanted for. */
const CASTS_CHANNEL = "materia";
export const DUE_CHANNEL = "materia_due";
/** Of what agents do right now: apart, since it comes far more often than anything else. */
export const TURNS_CHANNEL = "materia_turns";
/** Of what items have used of the budget that they share, by their parent. */
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
        // Whatever happened before it listened may have been missed.
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
      // One function may be given twice, and is stopped once for each.
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
/** Nobody misses a notice after a crash of the server: its commit need not wait for the disk, where appends do. */
const NOTIFY = "select pg_notify($2, id) from unnest($1::text[]) id, set_config('synchronous_commit', 'off', true)";

/** [B6] Told after the commit, gathered: inside of it every writer would wait for every other. */
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
        // Readers catch up by number: who was not told now is told with the next.
        .catch(() => undefined);
    }, BATCH_MS);
  };
}
