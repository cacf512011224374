import type { CastId } from "../../../core/model/ids.ts";
import { error, fail, type Result } from "../../../core/model/issue.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import type { Progress } from "../../../core/wire/stream.ts";
import type { ArtifactPart, ArtifactPlace, CastStore, Following, ByteRange } from "../cast-store.ts";
import { fileStore } from "../files/file-store.ts";
import { claimingAs, removeCasts, type ClaimingWorker } from "./claiming.ts";
import { followLines, followRows, readPart } from "./follow.ts";
import { lookingAt, quietly, type Sight } from "./looking.ts";
import { VALUES, scratchLayout, scratchRoot } from "./scratch.ts";
import { openNews, openTelling } from "./database/news.ts";
import { openTurns } from "./live.ts";

export interface PostgresPlace extends Sight {
  /** Without one nothing can be claimed here. */
  readonly worker?: ClaimingWorker;
}

export interface PostgresStore extends CastStore {
  /** What a listing says of these casts, as far as they are there and are no items of others; nothing where it cannot be asked. */
  readonly summariesOf: (casts: readonly string[]) => Promise<readonly CastSummary[] | undefined>;
  /** [B27] What the agent of a cast does right now, as its worker tells it. */
  readonly followTurn: (castId: CastId, wake: () => void) => Following<readonly Progress[]>;
  /** That it has been told. */
  readonly tellTurn: (castId: string) => void;
  readonly close: () => Promise<void>;
}

/** Casts in a database that many machines share. */
export function postgresStore({ worker, ...sight }: PostgresPlace): PostgresStore {
  const { database, place } = sight;
  const news = openNews(database);
  const tell = openTelling(database);
  const turns = openTurns(database);
  const held = new Map<CastId, string>();
  // What this process writes is seen here before the append that takes it along.
  const localOf = (castId: CastId): CastStore | undefined =>
    worker && held.has(castId) ? fileStore(scratchRoot(worker.scratch, castId)) : undefined;
  const readArtifact = async (
    castId: CastId,
    at: ArtifactPlace,
    part: ByteRange = {},
  ): Promise<ArtifactPart | undefined> => {
    const own = localOf(castId);
    return own ? own.readArtifact(castId, at, part) : quietly(() => readPart(database, castId, at, part));
  };
  const refused = async (at: string): Promise<Result<never>> =>
    fail(error("not_a_worker", at, "casts of a fleet are driven by its workers alone"));
  return {
    ...lookingAt(sight),
    place,
    placeOf: (castId) => (worker ? scratchLayout(worker.scratch, castId).folder : `${place}, ${castId}`),
    readArtifact,
    readValue: async (castId, digest) => {
      const own = localOf(castId);
      if (own) return own.readValue(castId, digest);
      const part = await quietly(() => readPart(database, castId, { ...VALUES, name: `${digest}.json` }));
      return part && Buffer.from(part.bytes).toString("utf8");
    },
    lastVisit: async (castId, socket) => {
      const own = localOf(castId);
      if (own) return own.lastVisit(castId, socket);
      const text = "select coalesce(max(visit), 0) as last from materia.artifacts where cast_id = $1 and socket = $2";
      const rows = await quietly(() => database.rows<{ last: number }>({ text, values: [castId, socket] }));
      return rows?.[0]?.last ?? 0;
    },
    ...(worker
      ? claimingAs({ ...sight, worker, news, tell, held })
      : { create: ({ file }) => refused(file.castId), claim: refused }),
    requestAbort: async (castId) =>
      void (await quietly(() => database.rows({ text: "select materia.ask_abort($1)", values: [castId] }))),
    remove: (casts) => removeCasts({ ...sight, tell }, casts, worker?.scratch),
    follow: (castId, after, wake) => followRows(database, castId, { after, stop: news.on(castId, wake) }),
    followTranscript: (castId, visit, wake) =>
      followLines(
        (from) => readArtifact(castId, { ...visit, name: "transcript.jsonl" }, { from }),
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
