import { rmSync } from "node:fs";
import type { CastEvent } from "../../../core/cast/state/event.ts";
import { parentCastId, type CastId } from "../../../core/model/ids.ts";
import { errorText } from "../../system/files.ts";
import type {
  CastStore,
  CheckpointPolicy,
  CurrentCast,
  JournalEnds,
  NewCast,
  OwnedCast,
  WriteOptions,
} from "../cast-store.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import { type PackUpload, appendEvents } from "./append-events.ts";
import { createSerialQueue } from "../../system/serial-queue.ts";
import { isTransientError, sql, withDatabaseErrors } from "./database.ts";
import type { Notifications } from "./notifications.ts";
import { ignoreErrors, readOwner, type CastScope } from "./cast-reader.ts";
import {
  createScratchArtifacts,
  initScratch,
  restoreScratch,
  scratchLayout,
  type ScratchArtifacts,
} from "./scratch.ts";
import { failWith, suggest, typed, fail, ok, type Result } from "../../../core/model/issue.ts";
import { randomUUID } from "node:crypto";
import { redactEvent } from "../../secrets/redact-event.ts";
import { notStartedSummary, startedSummary, sufficesForSummary } from "../summary.ts";
import { readCastEnds, readCurrentCast, unknownCastIssue } from "./read-cast.ts";

/** [B8] The commits that events refer to, as a pack; a problem if they cannot be packed. */
export type PackSource = (castId: CastId, events: readonly CastEvent[]) => Promise<PackUpload | string | undefined>;

/** The worker that claims, and the folder for files of its casts. */
export interface ClaimingWorker {
  readonly id: string;
  readonly scratch: string;
  readonly packFor?: PackSource;
  readonly checkpointPolicyFor?: (castId: CastId) => CheckpointPolicy;
  /** Called when an append failed only because of the database. */
  readonly onDatabaseError?: (castId: CastId) => void;
}

interface ClaimContext extends CastScope {
  readonly worker: ClaimingWorker;
  readonly notifications: Notifications;
  readonly notify: (castId: string) => void;
  readonly heldClaims: Map<CastId, string>;
}

interface OwnedCastContext extends ClaimContext {
  readonly castId: CastId;
  readonly claim: string;
  readonly epoch: number;
  readonly writeOptions: WriteOptions;
  /** True if an abort was requested before the claim. */
  readonly isAborted: boolean;
}

const TAKEN_OVER = "another worker owns this cast now";

/** A cast of this process in the database. Every write is for its claim only. */
function createOwnedCast(parts: OwnedCastContext): OwnedCast {
  const { castId, worker, notify: tell, notifications: news } = parts;
  const layout = scratchLayout(worker.scratch, castId);
  const checkpointPolicy = worker.checkpointPolicyFor?.(castId);
  const artifacts = createScratchArtifacts(layout, parts.writeOptions);
  const writer = createEventWriter(parts, artifacts);
  const row = createClaimedRow(parts);
  const ifHeld = async (work: () => Promise<string | undefined>): Promise<string | undefined> =>
    (await row.holds()) ? work() : TAKEN_OVER;
  const callIfSet = async (field: string, listener: () => void): Promise<void> =>
    (await row.read(field)) === undefined ? undefined : listener();
  let isAsleep = false;
  const append = async (events: readonly CastEvent[], after: number): Promise<string | undefined> => {
    isAsleep = events.at(-1)?.type === "cast_sleeping";
    if (row.isLost()) return TAKEN_OVER;
    try {
      const unwritten = await writer.write(events, after);
      if (unwritten !== "lost") return unwritten?.problem;
      return (await row.holds()) ? `the journal is not at event ${after}` : TAKEN_OVER;
    } catch (thrown) {
      if (isTransientError(thrown)) worker.onDatabaseError?.(castId);
      return `cannot write the journal: ${errorText(thrown)}`;
    }
  };
  return {
    castId,
    epoch: parts.epoch,
    worktreesFolder: layout.worktreesFolder,
    scratch: layout.scratch,
    ...withoutUndefined({ checkpointPolicy }),
    load: (loaded) => withDatabaseErrors(castId, () => writer.load(loaded)),
    journal: { append },
    artifacts: {
      ...artifacts,
      write: (...args) => ifHeld(() => artifacts.write(...args)),
      append: (...args) => ifHeld(() => artifacts.append(...args)),
    },
    writeNote: (name, text) => row.set("notes = notes || jsonb_build_object($3::text, $4::text)", name, text),
    readNote: async (name) => (await row.read("notes ->> $3", name)) ?? undefined,
    // The heartbeat of its worker proves that.
    heartbeat: async () => undefined,
    holdsClaim: row.holds,
    isSuperseded: row.isLost,
    onAbortRequest: (listener) => {
      if (parts.isAborted) queueMicrotask(listener);
      return news.on(castId, () => void callIfSet("abort_by", listener));
    },
    onReleaseRequest: (listener) => news.on(castId, () => void (isAsleep && callIfSet("summary ->> 'wake'", listener))),
    release: async () => {
      row.lose();
      await row.set("owner = null, claim = null");
      tell(castId);
    },
    discard: async () => {
      if (await row.remove()) rmSync(layout.folder, { recursive: true, force: true });
      row.lose();
      tell(castId);
    },
  };
}

function createClaimedRow({ database, castId, claim, heldClaims }: OwnedCastContext) {
  const where = "cast_id = $1 and claim = $2";
  const mine = [castId, claim];
  let isLost = false;
  heldClaims.set(castId, claim);
  const lose = (): void => {
    isLost = true;
    if (heldClaims.get(castId) === claim) heldClaims.delete(castId);
  };
  const rows = (text: string, values: readonly unknown[] = [], name?: string) =>
    database.query<{ field?: string | null }>({ text, values: [...mine, ...values], ...(name ? { name } : {}) });
  return {
    lose,
    isLost: () => isLost,
    holds: async (): Promise<boolean> => {
      if (isLost) return false;
      // If the database cannot answer, the claim counts as lost: the worker must not act.
      const found = await ignoreErrors(() => rows(`select from materia.casts where ${where}`, [], "holds"));
      if (found?.length === 0) lose();
      return (found?.length ?? 0) > 0;
    },
    read: async (what: string, ...values: readonly unknown[]): Promise<string | undefined> => {
      const found = await ignoreErrors(() => rows(`select ${what} as field from materia.casts where ${where}`, values));
      return found?.[0]?.field ?? undefined;
    },
    /** A lost note is harmless; a cast that cannot be released is free when its worker is evicted. */
    set: async (change: string, ...values: readonly unknown[]): Promise<void> =>
      void (await ignoreErrors(() => rows(`update materia.casts set ${change} where ${where}`, values))),
    remove: async (): Promise<boolean> => {
      const text = `delete from materia.casts where ${where} returning cast_id as field`;
      return ((await ignoreErrors(() => rows(text)))?.length ?? 0) > 0;
    },
  };
}

/** Writes the events of an owned cast, and its row in listings. */
function createEventWriter(parts: OwnedCastContext, artifacts: ScratchArtifacts) {
  const { castId, claim, database, notify: tell } = parts;
  const { redact = (text: string) => text } = parts.writeOptions;
  /** The first event and the last ones that a listing needs. */
  let ends: JournalEnds | undefined;
  return {
    load: async (loaded?: CurrentCast): Promise<Result<CurrentCast>> => {
      ends = undefined;
      return loaded && loaded.stamp === (await stampOf(parts))
        ? ok(loaded)
        : readCurrentCast(database, castId, parts.location);
    },
    /** Returns a problem; "lost" if another worker has the claim, or the sequence number is another. */
    write: async (given: readonly CastEvent[], after: number): Promise<"lost" | { problem: string } | undefined> => {
      const events = given.map((event) => redactEvent(event, redact));
      ends ??= await readCastEnds(database, castId, sufficesForSummary);
      const next = { ...ends, first: ends.first ?? events[0], last: keepSummaryEvents([...ends.last, ...events]) };
      const summary = await startedSummary(castId, next, async () => true);
      if (!summary) return { problem: "the first event of a cast is its start" };
      const pack = await parts.worker.packFor?.(castId, events);
      if (typeof pack === "string") return { problem: `the files cannot be kept: ${pack}` };
      const done = await appendEvents(database, {
        castId,
        claim,
        after,
        events: events.map((event) => JSON.stringify(event)),
        // [Z16] For the queues a sleeping cast is parked, and belongs to its worker.
        status: summary.status === "sleeping" ? "running" : summary.status,
        summary,
        completesVisit: events.some(({ type }) => type === "visit_completed"),
        artifacts: artifacts.takePending(events),
        ...withoutUndefined({ pack }),
      });
      if (done === "lost") return done;
      ends = next;
      tell(castId);
      return undefined;
    },
  };
}

async function stampOf({ database, castId }: OwnedCastContext): Promise<string | undefined> {
  const query = sql`select extract(epoch from created_at)::text || ' ' || seq as stamp from materia.casts where cast_id = ${castId}`;
  return (await database.query<{ stamp: string }>(query))[0]?.stamp;
}

/** Only the events that a listing needs: the middle of a cast may be long. */
function keepSummaryEvents(events: readonly CastEvent[]): readonly CastEvent[] {
  const from = events.findLastIndex((_event, at) => sufficesForSummary(events.slice(at)));
  return events.slice(Math.max(0, from));
}

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
