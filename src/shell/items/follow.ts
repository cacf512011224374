import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastStore, EventNews, Following } from "../store/cast-store.ts";

/** The items of a cast that another process drives, heard through the journals of their own casts. */
export interface FollowedItems {
  readonly enter: (child: CastId) => void;
  readonly leave: (child: CastId) => void;
  readonly children: () => readonly CastId[];
  /** What is new of one, from its first event on. Where nothing may have changed nothing is looked at, and there is no answer. */
  readonly read: (child: CastId) => Promise<readonly CastEvent[] | undefined>;
  readonly close: () => void;
}

interface Item {
  following: Following<EventNews> | undefined;
  isOld: boolean;
  /** Ends the wait for a journal that is not there yet. */
  readonly found: () => void;
}

/** [V15, V25] As many are followed as are at work, never all that there were. */
export function followItems({ store, wake }: { readonly store: CastStore; readonly wake: () => void }): FollowedItems {
  const items = new Map<CastId, Item>();
  const leave = (child: CastId): void => {
    const item = items.get(child);
    items.delete(child);
    item?.found();
    item?.following?.close();
  };
  const mark = (child: CastId) => (): void => {
    const item = items.get(child);
    if (item) item.isOld = true;
    wake();
  };
  const open = async (child: CastId, item: Item): Promise<Following<EventNews> | undefined> => {
    if (item.following) return item.following;
    if (!(await store.find(child)).ok || items.get(child) !== item) return undefined;
    item.following = store.follow(child, 0, mark(child));
    item.found();
    return item.following;
  };
  return {
    enter: (child) => {
      if (items.has(child)) return;
      items.set(child, { following: undefined, isOld: true, found: store.onCastChange(child, mark(child)) });
    },
    leave,
    children: () => [...items.keys()],
    read: async (child) => {
      const item = items.get(child);
      if (!item?.isOld) return undefined;
      item.isOld = false;
      const following = await open(child, item);
      return following ? allOf(following) : [];
    },
    close: () => {
      for (const child of items.keys()) leave(child);
    },
  };
}

async function allOf(following: Following<EventNews>): Promise<readonly CastEvent[]> {
  const events: CastEvent[] = [];
  for (let news = await following.next(); news.kind === "events"; news = await following.next())
    events.push(...news.events);
  return events;
}
