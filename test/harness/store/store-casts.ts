import { join } from "node:path";
import type { CastEvent } from "../../../src/core/cast/state/event.ts";
import type { CastId } from "../../../src/core/model/ids.ts";
import { CAST_FORMAT, castStartOf, type CastFile } from "../../../src/shell/store/cast-file.ts";
import type { CastStore, EventUpdate, Subscription, OwnedCast } from "../../../src/shell/store/cast-store.ts";
import { fileStore } from "../../../src/shell/store/files/file-store.ts";
import { castLayout, type CastLayout } from "../../../src/shell/store/layout.ts";
import { scratchFolder } from "../agents.ts";
import { compiled, playFrom } from "../play.ts";
import { TIME, graph, seat } from "../seats.ts";
import { initialState } from "../../../src/core/cast/state/initial-state.ts";

/** A store to be tested, and a way to have the owner of a cast count as gone though it goes on. */
export interface StoreUnderTest {
  readonly store: CastStore;
  readonly giveUp: (castId: CastId) => void | Promise<void>;
}

/** A store in files, and where its cast `c-1` stands or would stand. */
export function filePlace(): { readonly root: string; readonly store: CastStore; readonly layout: CastLayout } {
  const root = join(scratchFolder(), "casts");
  return { root, store: fileStore(root), layout: castLayout(root, idOf("c-1")) };
}

export function idOf(text: string): CastId {
  return text as CastId; // of an id's form
}

export function castFile(id: string): CastFile {
  const { graph: made, id: loadoutId } = compiled(graph({ "Socket-1": seat("Eval") }));
  return {
    castId: idOf(id),
    request: "Make it so.",
    command: 'cast "Make it so."',
    targets: [],
    loadout: { id: loadoutId, name: "Main" },
    graph: made,
    remappings: [],
    stitches: [],
    fromCastId: null,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    state: {},
    cwd: "/project",
    model: null,
    rehearsal: null,
    configFiles: [],
    versions: { format: CAST_FORMAT, materia: "test", node: "test" },
    startedAt: TIME,
  };
}

/** Every event of that cast, from its start to its end. */
export async function eventsOf(id: string): Promise<readonly CastEvent[]> {
  const { events } = await playFrom(initialState(castStartOf(castFile(id))), { says: { Eval: [{ satisfied: true }] } });
  return events;
}

export async function created(store: CastStore, id = "c-1"): Promise<OwnedCast> {
  const made = await store.create({ file: castFile(id) }, {});
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  return made.value;
}

export async function claimed(store: CastStore, id = "c-1"): Promise<OwnedCast> {
  const mine = await store.claim(idOf(id), {});
  if (!mine.ok) throw new Error(JSON.stringify(mine.issues));
  return mine.value;
}

/** A cast with all its events, which nobody owns. */
export async function finished(store: CastStore, id = "c-1"): Promise<readonly CastEvent[]> {
  const owned = await created(store, id);
  const events = await eventsOf(id);
  const problem = await owned.journal.append(events, 0);
  if (problem !== undefined) throw new Error(problem);
  await owned.release();
  return events;
}

/** Everything that is new now. */
export async function drained(following: Subscription<EventUpdate>): Promise<readonly CastEvent[]> {
  const events: CastEvent[] = [];
  for (;;) {
    const news = await following.next();
    if (news.kind !== "events") return events;
    events.push(...news.events);
  }
}

/** A call that somebody can wait for, as often as it comes. */
export function bell(): { readonly ring: () => void; readonly rung: () => Promise<void> } {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    ring: () => resolve(),
    rung: async () => {
      await promise;
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
}
