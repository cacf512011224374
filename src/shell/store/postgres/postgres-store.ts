import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, type Result } from "../../../core/model/issue.ts";
import type { AgentProgress } from "../../../core/wire/stream.ts";
import type { ArtifactBytes, ArtifactRef, CastStore, Subscription, ByteRange } from "../cast-store.ts";
import { fileStore } from "../files/file-store.ts";
import { createCastClaims, removeCasts, type ClaimingWorker } from "./claims.ts";
import { followTranscript, followEvents, readArtifactRange } from "./read-cast.ts";
import { createCastReader, ignoreErrors, type CastScope } from "./cast-reader.ts";
import { SHARED_VALUES, scratchLayout, scratchRoot } from "./scratch.ts";
import { openNotifications, createNotifier } from "./notifications.ts";
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
  /** [B27] The present output of a cast's agent, as its worker publishes it. */
  readonly followTurn: (castId: CastId, wake: () => void) => Subscription<readonly AgentProgress[]>;
  /** Notifies of that output. */
  readonly notifyTurn: (castId: string) => void;
  readonly close: () => Promise<void>;
}

/** Casts in a database that many machines share. */
export function postgresStore({ worker, ...sight }: PostgresStoreOptions): PostgresStore {
  const { database, location: place } = sight;
  const news = openNotifications(database);
  const tell = createNotifier(database);
  const turns = openLiveTurns(database);
  const held = new Map<CastId, string>();
  // Files of a running cast are visible here before the append that sends them.
  const localOf = (castId: CastId): CastStore | undefined =>
    worker && held.has(castId) ? fileStore(scratchRoot(worker.scratch, castId)) : undefined;
  const readArtifact = async (
    castId: CastId,
    at: ArtifactRef,
    part: ByteRange = {},
  ): Promise<ArtifactBytes | undefined> => {
    const own = localOf(castId);
    return own ? own.readArtifact(castId, at, part) : ignoreErrors(() => readArtifactRange(database, castId, at, part));
  };
  const refused = async (at: string): Promise<Result<never>> =>
    fail(error("worker_only", at, "only workers run casts of a fleet"));
  return {
    ...createCastReader(sight),
    location: place,
    locationOf: (castId) => (worker ? scratchLayout(worker.scratch, castId).folder : `${place}, ${castId}`),
    readArtifact,
    readValue: async (castId, digest) => {
      const own = localOf(castId);
      if (own) return own.readValue(castId, digest);
      const part = await ignoreErrors(() =>
        readArtifactRange(database, castId, { ...SHARED_VALUES, name: `${digest}.json` }),
      );
      return part && Buffer.from(part.bytes).toString("utf8");
    },
    lastVisit: async (castId, socket) => {
      const own = localOf(castId);
      if (own) return own.lastVisit(castId, socket);
      const text = "select coalesce(max(visit), 0) as last from materia.artifacts where cast_id = $1 and socket = $2";
      const rows = await ignoreErrors(() => database.query<{ last: number }>({ text, values: [castId, socket] }));
      return rows?.[0]?.last ?? 0;
    },
    ...(worker
      ? createCastClaims({ ...sight, worker, notifications: news, notify: tell, heldClaims: held })
      : { create: ({ file }) => refused(file.castId), claim: refused }),
    requestAbort: async (castId) =>
      void (await ignoreErrors(() => database.query({ text: "select materia.ask_abort($1)", values: [castId] }))),
    remove: (casts) => removeCasts({ ...sight, notify: tell }, casts, worker?.scratch),
    followEvents: (castId, after, wake) => followEvents(database, castId, { after, stop: news.on(castId, wake) }),
    followTranscript: (castId, visit, wake) =>
      followTranscript(
        (from) => readArtifact(castId, { ...visit, name: TRANSCRIPT_FILE }, { from }),
        news.on(castId, wake),
      ),
    ...turns,
    onListChange: (listener) => news.on(undefined, listener),
    onCastChange: (castId, listener) => news.on(castId, listener),
    onOwnerChange: (castId, listener) => news.on(castId, listener),
    close: async () => {
      await news.close();
      await turns.close();
      await database.close();
    },
  };
}
