import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { REHEARSAL_FILE } from "../../casting/workspace/rehearsal-file.ts";
import { itemCastFile, itemResumeEvents } from "../../items/items.ts";
import type { ItemRequest } from "../../ports.ts";
import { sleepUnlessAborted } from "../../run/pause.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { CastStore } from "../../store/cast-store.ts";
import type { Database } from "../../store/postgres/database/database.ts";
import { notStartedSummary } from "../../store/summary.ts";

const END_STATUSES = "('completed', 'not_satisfied', 'failed', 'aborted')";

/** Of the same project, person, queue and priority; its files begin from what the packs of its parent hold. */
const INSERT_ITEM = `
with c as (
  insert into materia.casts
    (cast_id, project, parent, submitted_by, queue, priority, file, brings, source, status, leg, summary, providers)
  select $1, p.project, p.cast_id, p.submitted_by, p.queue, p.priority, $3, p.brings,
    (p.source - 'follows') || '{"branch": null}', 'queued', 1, $4, p.providers
  from materia.casts p where p.cast_id = $2 and p.owner = $5
  on conflict do nothing returning cast_id
)
select pg_notify('materia', cast_id), pg_notify('materia_due', '') from c`;

/** [B12] The cast of an item, for whatever worker its queue gives it to. False where it is not there afterwards. */
export async function submitItemCast(
  database: Database,
  { parent, workerId, start }: Pick<ItemRequest, "start"> & { readonly parent: CastFile; readonly workerId: string },
): Promise<boolean> {
  const { castId } = start;
  const file = itemCastFile(withRehearsalOf(parent, castId), start, parent.cwd);
  const text = `${JSON.stringify(file, undefined, 1)}\n`;
  const summary = JSON.stringify(notStartedSummary(file, false));
  const values = [castId, parent.castId, text, summary, workerId];
  if ((await database.query({ text: INSERT_ITEM, values })).length > 0) return true;
  const there = "select from materia.casts where cast_id = $1 and parent = $2";
  return (await database.query({ text: there, values: [castId, parent.castId] })).length > 0;
}

/** They come along with every cast that plays them. */
function withRehearsalOf(parent: CastFile, castId: CastId): CastFile {
  const { rehearsal } = parent;
  const isBrought = rehearsal?.endsWith(`${parent.castId}/${REHEARSAL_FILE}`) === true;
  return isBrought ? { ...parent, rehearsal: `${castId}/${REHEARSAL_FILE}` } : parent;
}

/** [V12] Goes on with the cast of an item that stopped. The answer is a sentence where it cannot. */
export async function resumeItemCast(
  database: Database,
  request: Pick<ItemRequest, "start" | "resume">,
  state: CastState,
): Promise<string | undefined> {
  const at = new Date().toISOString();
  const events = itemResumeEvents(state, request).map((body, index): CastEvent => ({
    seq: state.seq + 1 + index,
    at,
    ...body,
  }));
  const [row] = await database.query<{ said: string }>({
    text: "select materia.tell_cast($1, $2, $3, null, true) as said",
    values: [state.castId, state.seq, events.map((event) => JSON.stringify(event))],
  });
  const said = row?.said ?? "unknown";
  // Whoever had its parent before has set it going already.
  return said === "unknown" || said === "refused" ? `${state.castId} cannot go on: ${said}` : undefined;
}

/** [V14] Whoever drives it, or takes it up next, ends it. */
export async function requestItemAbort(database: Database, child: CastId): Promise<void> {
  await database.query({ text: "select materia.ask_abort($1)", values: [child] });
}

/** A notice may be lost with the worker that was to tell it. */
const ITEM_POLL_MS = 5_000;

/** False where the signal came first. */
export async function waitForItemEnd(
  { database, store }: { readonly database: Database; readonly store: CastStore },
  child: CastId,
  signal: AbortSignal,
): Promise<boolean> {
  let wake = (): void => undefined;
  const stop = store.onCastChange(child, () => wake());
  try {
    while (!signal.aborted) {
      const woken = new AbortController();
      wake = () => woken.abort();
      if (await hasItemEnded(database, child)) return true;
      await sleepUnlessAborted(ITEM_POLL_MS, AbortSignal.any([signal, woken.signal]));
    }
    return false;
  } finally {
    stop();
  }
}

/** One that was removed is waited for by nobody. */
async function hasItemEnded(database: Database, child: CastId): Promise<boolean> {
  const text = `select from materia.casts where cast_id = $1 and status not in ${END_STATUSES}`;
  return (await database.query({ name: "item_at_work", text, values: [child] })).length === 0;
}
