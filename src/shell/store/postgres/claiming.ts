import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { parentOf, type CastId } from "../../../core/model/ids.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import type { CastStore, Keeping, NewCast, OwnedCast, Writing } from "../cast-store.ts";
import { unbegunSummary } from "../summary.ts";
import type { News } from "./database/news.ts";
import { guarded, ownerOf, type Sight } from "./looking.ts";
import { ownedInDatabase, type PackOf } from "./owned.ts";
import { unknownCast } from "./read.ts";
import { emptyScratch, refill, scratchLayout } from "./scratch.ts";

/** The worker that owns what is claimed, and the folder where it keeps the files of what it drives. */
export interface ClaimingWorker {
  readonly id: string;
  readonly scratch: string;
  readonly packOf?: PackOf;
  readonly keeping?: (castId: CastId) => Keeping;
  /** Told that only the database kept an append from being written. */
  readonly onTrouble?: (castId: CastId) => void;
}

export interface ClaimPlace extends Sight {
  readonly worker: ClaimingWorker;
  readonly news: News;
  readonly tell: (castId: string) => void;
  /** The claims of this process, by cast. */
  readonly held: Map<CastId, string>;
}

type Claiming = Pick<CastStore, "create" | "claim">;

/** Making casts and taking them up, as one worker. */
export function claimingAs(place: ClaimPlace): Claiming {
  const claiming = new Map<CastId, Promise<unknown>>();
  return {
    create: (cast, how) => guarded(cast.file.castId, () => create(place, cast, how)),
    claim: async (castId, how) => {
      // One after another: who claims second sees what the first one got.
      const before = claiming.get(castId) ?? Promise.resolve();
      const mine = before.then(() => guarded(castId, () => claimOnce(place, castId, how)));
      claiming.set(castId, mine);
      const claimed = await mine;
      if (claiming.get(castId) === mine) claiming.delete(castId);
      return claimed;
    },
  };
}

async function create(place: ClaimPlace, { file, brings = {} }: NewCast, how: Writing): Promise<Result<OwnedCast>> {
  const { castId } = file;
  const claim = randomUUID();
  const text = `${JSON.stringify(file, undefined, 1)}\n`;
  const rows = await place.database.rows({
    text: `insert into materia.casts (cast_id, project, parent, file, brings, claim, epoch, owner, status, summary)
      values ($1, coalesce($2, (select project from materia.casts where cast_id = $3), ''), $3, $4, $5, $6, 1, $7, 'running', $8)
      on conflict do nothing returning cast_id`,
    values: [
      castId,
      place.project ?? null,
      parentOf(castId) ?? null,
      text,
      JSON.stringify(brings),
      claim,
      place.worker.id,
      JSON.stringify(unbegunSummary(file, true)),
    ],
  });
  if (rows.length === 0)
    return fail(error("cannot_write", "artifactDir", "the cast cannot be made: it is there already"));
  emptyScratch(scratchLayout(place.worker.scratch, castId), { file: text, brings });
  place.tell(castId);
  return ok(owned(place, castId, how, { claim, epoch: 1, isAborted: false }));
}

interface ClaimedRow {
  readonly epoch: number;
  readonly file: string;
  readonly brings: Readonly<Record<string, string>>;
  readonly aborted: boolean;
}

/** Free, or of a worker that is gone, or of an earlier claim of this one. */
const CLAIM = `update materia.casts c set claim = $2, owner = $3, epoch = epoch + 1, updated_at = now(),
    status = case when status in ('queued', 'interrupted') then 'running' else status end
  where cast_id = $1 and (owner is null or not materia.is_driven(owner) or (owner = $3 and claim is distinct from $4))
  returning epoch, file, brings, abort_by is not null as aborted`;

async function claimOnce(place: ClaimPlace, castId: CastId, how: Writing): Promise<Result<OwnedCast>> {
  const { database, worker, held } = place;
  const claim = randomUUID();
  const values = [castId, claim, worker.id, held.get(castId) ?? null];
  const [row] = await database.rows<ClaimedRow>({ text: CLAIM, values });
  if (!row) {
    const by = await ownerOf(database, castId);
    if (!by) return fail(unknownCast(castId, place.place));
    const message = `process ${by.pid} on ${by.host} drives this cast`;
    return fail(error("cast_is_owned", castId, message, `stop it with "materia abort ${castId}", or wait for it`));
  }
  await refill(database, scratchLayout(worker.scratch, castId), { castId, file: row.file, brings: row.brings });
  place.tell(castId);
  return ok(owned(place, castId, how, { claim, epoch: row.epoch, isAborted: row.aborted }));
}

function owned(
  { worker, held, ...place }: ClaimPlace,
  castId: CastId,
  how: Writing,
  row: { readonly claim: string; readonly epoch: number; readonly isAborted: boolean },
): OwnedCast {
  held.set(castId, row.claim);
  const forget = (): void => {
    if (held.get(castId) === row.claim) held.delete(castId);
  };
  const layout = scratchLayout(worker.scratch, castId);
  return ownedInDatabase({
    ...place,
    ...row,
    castId,
    layout,
    how,
    packOf: worker.packOf,
    keeping: worker.keeping?.(castId),
    onTrouble: worker.onTrouble,
    forget,
  });
}

/** [D20] Those that nobody drives, each with the casts of its items. */
export function removeCasts(
  { database, place, project, tell }: Pick<ClaimPlace, "database" | "place" | "project" | "tell">,
  casts: readonly string[],
  scratch: string | undefined,
): Promise<Result<readonly string[]>> {
  return guarded(place, async () => {
    const rows = await database.rows<{ cast_id: CastId }>({
      text: `delete from materia.casts c where ($1::text is null or c.project = $1)
        and (cast_id = any($2) or parent = any($2)) and (owner is null or not materia.is_driven(owner)) returning cast_id`,
      values: [project ?? null, casts],
    });
    const ids = rows.map((row) => row.cast_id);
    if (scratch !== undefined)
      for (const id of ids) rmSync(scratchLayout(scratch, id).folder, { recursive: true, force: true });
    ids.forEach(tell);
    return ok(ids.filter((id) => casts.includes(id)));
  });
}
