import { runAt } from "../../../../core/cast/items/runs.ts";
import type { CastEvent } from "../../../../core/cast/state/event.ts";
import type { CastId } from "../../../../core/model/ids.ts";
import type { CastStore, EventNews, Following } from "../../../../shell/store/cast-store.ts";
import { say } from "./say.ts";

interface Listened {
  readonly store: CastStore;
  readonly castId: CastId;
  readonly wake: () => void;
}

/** [V25] Where the items of a cast are at work, each in a cast of its own: said when one comes to another socket. */
export function itemFollower({ store, castId, wake }: Listened) {
  /** Those at work; one that has no journal yet is waited for. */
  const running = new Map<CastId, Following<EventNews> | undefined>();
  const unwatch = new Map<CastId, () => void>();
  const said: string[] = [];
  let isAsked = false;
  const enter = (child: CastId): void => {
    if (running.has(child)) return;
    running.set(child, undefined);
    unwatch.set(child, store.onCastChange(child, wake));
  };
  const leave = (child: CastId): void => {
    running.get(child)?.close();
    running.delete(child);
    unwatch.get(child)?.();
    unwatch.delete(child);
  };
  /** Who listens from the middle on has not heard who began before. */
  const ask = async (): Promise<void> => {
    isAsked = true;
    const file = await store.describe(castId);
    if (!file.ok || !Object.values(file.value.graph.loops).some(({ parallel }) => parallel !== undefined)) return;
    const cast = await store.load(castId);
    if (!cast.ok || cast.value.state.phase.kind !== "forked") return;
    const { fork } = cast.value.state.phase;
    for (const index of fork.running) {
      const run = runAt(fork, index);
      if (run) enter(run.child);
    }
  };
  const look = async (child: CastId): Promise<void> => {
    const following = running.get(child) ?? (await opened(store, child, wake));
    if (!following || !running.has(child)) return following?.close();
    running.set(child, following);
    const news = await following.next();
    if (news.kind !== "events") return;
    const visit = news.events.findLast((event) => event.type === "visit_started");
    if (visit?.type === "visit_started") said.push(say({ kind: "item", data: { child, socket: visit.socket } }));
  };
  return {
    hear: (event: CastEvent): void => {
      if (event.type === "item_started") enter(event.child);
      if (event.type === "item_ended") leave(event.child);
      if (event.type === "cast_ended") for (const child of running.keys()) leave(child);
    },
    next: async (): Promise<string | undefined> => {
      if (!isAsked) await ask();
      if (said.length === 0) for (const child of running.keys()) await look(child);
      return said.shift();
    },
    close: (): void => {
      for (const child of running.keys()) leave(child);
    },
  };
}

/** A cast that is about to be made has nothing to follow yet. */
async function opened(store: CastStore, child: CastId, wake: () => void): Promise<Following<EventNews> | undefined> {
  return (await store.find(child)).ok ? store.follow(child, 0, wake) : undefined;
}
