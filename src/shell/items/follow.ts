import type { CastEvent } from "../../core/cast/state/event.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { CastStore, EventUpdate, Subscription } from "../store/cast-store.ts";

/** The items of a cast that another process drives, heard through the journals of their own casts. */
export interface ItemJournals {
  readonly follow: (child: CastId) => void;
  readonly unfollow: (child: CastId) => void;
  readonly children: () => readonly CastId[];
  /** What is new of one, from its first event on. Where nothing may have changed nothing is looked at, and there is no answer. */
  readonly read: (child: CastId) => Promise<readonly CastEvent[] | undefined>;
  readonly close: () => void;
}

interface FollowedItem {
  following: Subscription<EventUpdate> | undefined;
  isStale: boolean;
  /** Ends the wait for a journal that is not there yet. */
  readonly stopWaiting: () => void;
}

/** [V15, V25] As many are followed as are at work, never all that there were. */
export function followItemJournals({ store, wake }: { readonly store: CastStore; readonly wake: () => void }): ItemJournals {
  const items = new Map<CastId, FollowedItem>();
  const leave = (child: CastId): void => {
    const item = items.get(child);
    items.delete(child);
    item?.stopWaiting();
    item?.following?.close();
  };
  const mark = (child: CastId) => (): void => {
    const item = items.get(child);
    if (item) item.isStale = true;
    wake();
  };
  const open = async (child: CastId, item: FollowedItem): Promise<Subscription<EventUpdate> | undefined> => {
    if (item.following) return item.following;
    if (!(await store.find(child)).ok || items.get(child) !== item) return undefined;
    item.following = store.followEvents(child, 0, mark(child));
    item.stopWaiting();
    return item.following;
  };
  return {
    follow: (child) => {
      if (items.has(child)) return;
      items.set(child, { following: undefined, isStale: true, stopWaiting: store.onCastChange(child, mark(child)) });
    },
    unfollow: leave,
    children: () => [...items.keys()],
    read: async (child) => {
      const item = items.get(child);
      if (!item?.isStale) return undefined;
      item.isStale = false;
      const following = await open(child, item);
      return following ? readAllEvents(following) : [];
    },
    close: () => {
      for (const child of items.keys()) leave(child);
    },
  };
}

async function readAllEvents(following: Subscription<EventUpdate>): Promise<readonly CastEvent[]> {
  const events: CastEvent[] = [];
  for (let news = await following.next(); news.kind === "events"; news = await following.next())
    events.push(...news.events);
  return events;
}
