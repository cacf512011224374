import type { CastEvent } from "../../../core/cast/state/event.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { castFacts, type CastFacts } from "../../../core/testing/history/facts.ts";
import type { CastStore, LoadedCast } from "../../store/cast-store.ts";

/** Past casts, the newest first. */
export interface PastCasts {
  readonly casts: readonly CastFacts[];
  /** How many between them were left out: what is answered from a file takes no model, no time and no money. */
  readonly rehearsed: number;
}

/** No cost may grow with history: the newest casts say what is true now. */
const MOST_CASTS = 300;
/** Items of parallel loops are casts of their own. */
const MOST_LOADED = 2_000;

export async function loadPastCasts(store: CastStore): Promise<Result<PastCasts>> {
  const ids = await store.listIds();
  if (!ids.ok) return ids;
  const casts: CastFacts[] = [];
  let [rehearsed, loaded] = [0, 0];
  for (const id of ids.value) {
    if (casts.length === MOST_CASTS || loaded >= MOST_LOADED) break;
    if ((await store.summary(id))?.rehearsed) {
      rehearsed += 1;
      continue;
    }
    const cast = await readCastEvents(store, id);
    if (!cast) continue;
    const items = await readItemCasts(store, cast, MOST_LOADED - loaded);
    loaded += 1 + items.length;
    const { visits, ...facts } = castFacts(cast.file, cast.events);
    const theirs = items.flatMap(({ file, events }) => castFacts(file, events).visits);
    casts.push({ ...facts, visits: [...visits, ...theirs] });
  }
  return ok({ casts, rehearsed });
}

type CastWithEvents = Pick<LoadedCast, "file" | "events">;

/** What happened, without what became of it: the states of so many casts would take longer than all the rest. */
async function readCastEvents(store: CastStore, castId: CastId): Promise<CastWithEvents | undefined> {
  const events: CastEvent[] = [];
  const cast = await store.fold(castId, {
    begin: () => events,
    step: (all, event) => {
      all.push(event);
      return all;
    },
  });
  return cast.ok ? { file: cast.value.file, events } : undefined;
}

async function readItemCasts(store: CastStore, { events }: CastWithEvents, most: number): Promise<readonly CastWithEvents[]> {
  const found: CastWithEvents[] = [];
  const children = events.flatMap((event) => (event.type === "item_started" ? [event.child] : []));
  for (const child of [...new Set(children)].slice(0, Math.max(0, most))) {
    const cast = await readCastEvents(store, child);
    if (cast) found.push(cast);
  }
  return found;
}
