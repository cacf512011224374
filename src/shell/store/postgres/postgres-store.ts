import type { CastId } from "../../../core/model/ids.ts";
import { failWith, type Result } from "../../../core/model/issue.ts";
import type { CastStore } from "../cast-store.ts";
import { sql, type Database, type Statement } from "./database.ts";
import { openNotifications, createCastNotifier } from "./notifications.ts";
import { fileStore } from "../files/file-store.ts";
import { createCastClaims, removeCasts, type ClaimingWorker } from "./owned-cast.ts";
import { followTranscript, followEvents, readArtifactRange } from "./read-cast.ts";
import { createCastReader, ignoreErrors, type CastScope } from "./cast-reader.ts";
import { SHARED_VALUES, scratchLayout, scratchRoot } from "./scratch.ts";
import { openLiveTurns } from "./live-turns.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { TRANSCRIPT_FILE } from "../layout.ts";

export interface PostgresStoreOptions extends CastScope {
  /** Without it nothing can be claimed. */
  readonly worker?: ClaimingWorker;
}

export interface PostgresStore extends CastStore {
  /** Rows of these casts in a listing, without items; undefined if the database cannot answer. */
  readonly summariesOf: (casts: readonly string[]) => Promise<readonly CastSummary[] | undefined>;
  /** Notifies of new activity of a cast's agent. */
  readonly notifyTurn: (castId: string) => void;
  readonly close: () => Promise<void>;
}

export function postgresStore({ worker, ...scope }: PostgresStoreOptions): PostgresStore {
  const { database, location } = scope;
  const notifications = openNotifications(database);
  const notify = createCastNotifier(database);
  const turns = openLiveTurns(database);
  const heldClaims = new Map<CastId, string>();
  // Files of a running cast are visible here before the append that sends them.
  const localStoreOf = (castId: CastId): CastStore | undefined =>
    worker && heldClaims.has(castId) ? fileStore(scratchRoot(worker.scratch, castId)) : undefined;
  const artifacts = createArtifactReader(database, localStoreOf);
  const ask = async (request: Statement): Promise<void> => void (await ignoreErrors(() => database.query(request)));
  const refused = async (at: string): Promise<Result<never>> =>
    failWith("worker_only", at, "only workers run casts of a fleet");
  return {
    ...createCastReader(scope),
    location,
    locationOf: (castId) => (worker ? scratchLayout(worker.scratch, castId).folder : `${location}, ${castId}`),
    ...artifacts,
    ...(worker
      ? createCastClaims({ ...scope, worker, notifications, notify, heldClaims })
      : { create: ({ file }) => refused(file.castId), claim: refused }),
    requestAbort: (castId) => ask(sql`select materia.ask_abort(${castId})`),
    requestRelease: (castId) => ask(sql`select materia.ask_wake(${castId})`),
    remove: (casts) => removeCasts(scope, casts, worker?.scratch),
    followEvents: (castId, after, wake) =>
      followEvents(database, castId, { after, stop: notifications.on(castId, wake) }),
    followTranscript: (castId, visit, wake) =>
      followTranscript(
        (from) => artifacts.readArtifact(castId, { ...visit, name: TRANSCRIPT_FILE }, { from }),
        notifications.on(castId, wake),
      ),
    followTurn: turns.followTurn,
    notifyTurn: turns.notifyTurn,
    onListChange: (listener) => notifications.on(undefined, listener),
    onCastChange: (castId, listener) => notifications.on(castId, listener),
    onOwnerChange: (castId, listener) => notifications.on(castId, listener),
    close: async () => {
      await notifications.close();
      await turns.close();
      await database.close();
    },
  };
}

function createArtifactReader(database: Database, localStoreOf: (castId: CastId) => CastStore | undefined) {
  return {
    readArtifact: async (castId, at, range = {}) => {
      const local = localStoreOf(castId);
      return local
        ? local.readArtifact(castId, at, range)
        : ignoreErrors(() => readArtifactRange(database, castId, at, range));
    },
    readValue: async (castId, digest) => {
      const local = localStoreOf(castId);
      if (local) return local.readValue(castId, digest);
      const at = { ...SHARED_VALUES, name: `${digest}.json` };
      const value = await ignoreErrors(() => readArtifactRange(database, castId, at));
      return value && Buffer.from(value.bytes).toString("utf8");
    },
    lastVisit: async (castId, socket) => {
      const local = localStoreOf(castId);
      if (local) return local.lastVisit(castId, socket);
      const last = sql`select coalesce(max(visit), 0) as last from materia.artifacts where cast_id = ${castId} and socket = ${socket}`;
      const rows = await ignoreErrors(() => database.query<{ last: number }>(last));
      return rows?.[0]?.last ?? 0;
    },
  } satisfies Partial<CastStore>;
}
