import { itemRunAt } from "../../../../core/cast/items/runs.ts";
import type { CastEvent } from "../../../../core/cast/state/event.ts";
import type { CastId } from "../../../../core/model/ids.ts";
import { followItemJournals } from "../../../../shell/items/follow.ts";
import type { CastStore } from "../../../../shell/store/cast-store.ts";
import { encodeMessage } from "./say.ts";

interface FollowedItemsOptions {
  readonly store: CastStore;
  readonly castId: CastId;
  readonly wake: () => void;
}

/** [V25] Where the items of a cast are at work, each in a cast of its own: said when one comes to another socket. */
export function followItemVisits({ store, castId, wake }: FollowedItemsOptions) {
  const items = followItemJournals({ store, wake });
  const said: string[] = [];
  let isAsked = false;
  /** Who listens from the middle on has not heard who began before. */
  const ask = async (): Promise<void> => {
    isAsked = true;
    const file = await store.readCastFile(castId);
    if (!file.ok || !Object.values(file.value.graph.loops).some(({ parallel }) => parallel !== undefined)) return;
    const cast = await store.load(castId);
    if (!cast.ok || cast.value.state.phase.kind !== "forked") return;
    const { fork } = cast.value.state.phase;
    for (const index of fork.running) {
      const run = itemRunAt(fork, index);
      if (run) items.follow(run.child);
    }
  };
  const look = async (child: CastId): Promise<void> => {
    const visit = (await items.read(child))?.findLast((event) => event.type === "visit_started");
    if (visit?.type === "visit_started") said.push(encodeMessage({ kind: "item", data: { child, socket: visit.socket } }));
  };
  return {
    hear: (event: CastEvent): void => {
      if (event.type === "item_started") items.follow(event.child);
      if (event.type === "item_ended") items.unfollow(event.child);
      if (event.type === "cast_ended") items.close();
    },
    next: async (): Promise<string | undefined> => {
      if (!isAsked) await ask();
      if (said.length === 0) for (const child of items.children()) await look(child);
      return said.shift();
    },
    close: items.close,
  };
}
