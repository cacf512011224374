import { failWith, suggest, typed, fail, ok, type Result } from "../../../core/model/issue.ts";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { parentCastId, type CastId } from "../../../core/model/ids.ts";
import type { CastStore, NewCast, OwnedCast, WriteOptions } from "../cast-store.ts";
import { notStartedSummary } from "../summary.ts";
import { sql, withDatabaseErrors } from "./database.ts";
import { createSerialQueue } from "../../system/serial-queue.ts";
import { readOwner, type CastScope } from "./cast-reader.ts";
import { createOwnedCast, type ClaimContext } from "./owned-cast.ts";
import { unknownCastIssue } from "./read-cast.ts";
import { initScratch, restoreScratch, scratchLayout } from "./scratch.ts";

export function createCastClaims(context: ClaimContext): Pick<CastStore, "create" | "claim"> {
  const claimOneByOne = createSerialQueue();
  return {
    create: (cast, how) => withDatabaseErrors(cast.file.castId, () => createCast(context, cast, how)),
    // One after another: the second claim sees the result of the first.
    claim: (castId, how) =>
      claimOneByOne(castId, () => withDatabaseErrors(castId, () => claimOnce(context, castId, how))),
  };
}

async function createCast(
  context: ClaimContext,
  { file, attachments: brings = {}, writePast }: NewCast,
  how: WriteOptions,
): Promise<Result<OwnedCast>> {
  const { castId } = file;
  // Its row would be seen before its past.
  if (writePast) return failWith("worker_only", castId, "forks cannot be created on a fleet");
  const claim = randomUUID();
  const text = `${JSON.stringify(file, undefined, 1)}\n`;
  const parent = parentCastId(castId) ?? null;
  const summary = JSON.stringify(notStartedSummary(file, true));
  const rows = await context.database.query(
    sql`insert into materia.casts (cast_id, project, parent, file, brings, claim, epoch, owner, status, summary)
      values (${castId}, coalesce(${context.project ?? null}, (select project from materia.casts where cast_id = ${parent}), ''), ${parent},
        ${text}, ${JSON.stringify(brings)}, ${claim}, 1, ${context.worker.id}, 'running', ${summary})
      on conflict do nothing returning cast_id`,
  );
  if (rows.length === 0) return failWith("write_failed", "artifactDir", "the cast exists already");
  initScratch(scratchLayout(context.worker.scratch, castId), { file: text, brings });
  context.notify(castId);
  return ok(createOwnedCast({ ...context, castId, writeOptions: how, claim, epoch: 1, isAborted: false }));
}

interface ClaimedRow {
  readonly epoch: number;
  readonly file: string;
  readonly brings: Readonly<Record<string, string>>;
  readonly aborted: boolean;
}

/** Free, of a gone worker, or of an earlier claim of this worker. */
const CLAIM_CAST = `update materia.casts c set claim = $2, owner = $3, epoch = epoch + 1, updated_at = now(),
    status = case when status in ('queued', 'interrupted') then 'running' else status end
  where cast_id = $1 and (owner is null or not materia.is_driven(owner) or (owner = $3 and claim is distinct from $4))
  returning epoch, file, brings, abort_by is not null as aborted`;

async function claimOnce(context: ClaimContext, castId: CastId, how: WriteOptions): Promise<Result<OwnedCast>> {
  const { database, worker, heldClaims: held } = context;
  const claim = randomUUID();
  const values = [castId, claim, worker.id, held.get(castId) ?? null];
  const [row] = await database.query<ClaimedRow>({ text: CLAIM_CAST, values });
  if (!row) {
    const by = await readOwner(database, castId);
    if (!by) return fail(unknownCastIssue(castId, context.location));
    const message = `process ${by.pid} on ${by.host} runs this cast`;
    return failWith("cast_owned", castId, message, suggest`stop it with ${typed`abort ${castId}`}, or wait for it`);
  }
  await restoreScratch(database, scratchLayout(worker.scratch, castId), { castId, file: row.file, brings: row.brings });
  context.notify(castId);
  const { epoch, aborted: isAborted } = row;
  return ok(createOwnedCast({ ...context, castId, writeOptions: how, claim, epoch, isAborted }));
}

/** [D20] Removes casts without an owner, each with the casts of its items. */
export function removeCasts(
  { database, location, project }: CastScope,
  casts: readonly string[],
  scratch: string | undefined,
): Promise<Result<readonly string[]>> {
  return withDatabaseErrors(location, async () => {
    const rows = await database.query<{ cast_id: CastId }>(
      sql`with gone as (delete from materia.casts c where c.project = coalesce(${project ?? null}, c.project)
          and (cast_id = any(${casts}) or parent = any(${casts})) and (owner is null or not materia.is_driven(owner)) returning cast_id, notice)
        select cast_id, pg_notify('materia', notice::text)::text from gone`,
    );
    const ids = rows.map((row) => row.cast_id);
    if (scratch !== undefined)
      for (const id of ids) rmSync(scratchLayout(scratch, id).folder, { recursive: true, force: true });
    return ok(ids.filter((id) => casts.includes(id)));
  });
}
