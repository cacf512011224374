import type { FleetClient } from "../../shell/workspace/workspace.ts";
import type { CastStore } from "../../shell/store/cast-store.ts";
import { type EventFeed, encodeMessage } from "./event-stream.ts";
import type { LiveSources } from "./cast-runs.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** [B26] The newest casts of a fleet, then every new or changed one. Only casts that the database reports are read again. */
export function openFleetCastListFeed(store: CastStore, fleet: FleetClient, wake: () => void): EventFeed {
  const said = new Map<string, string>();
  const changed = new Set<string>();
  let isListOld = true;
  let isReady = false;
  const stop = store.onListChange((castId) => {
    // No name means that the connection was lost: any cast may have changed.
    if (castId === undefined) isListOld = true;
    else changed.add(castId);
    wake();
  });
  const newest = async (): Promise<string> => {
    const listed = await store.list();
    // A lost database calls back when it is reachable again.
    if (!listed.ok) return "";
    isListOld = false;
    const unlisted = new Set(said.keys());
    for (const { castId } of listed.value) unlisted.delete(castId);
    return encodeChanged(said, listed.value) + (await sayChanged([...unlisted]));
  };
  const sayChanged = async (casts: readonly string[]): Promise<string> => {
    if (casts.length === 0) return "";
    const found = await fleet.summariesOf(casts);
    if (!found) {
      isListOld = true;
      return "";
    }
    const there = new Set(found.map(({ castId }) => castId));
    const gone = casts.filter((castId) => !there.has(castId) && said.delete(castId));
    return (
      encodeChanged(said, found) + gone.map((castId) => encodeMessage({ kind: "gone", data: { castId } })).join("")
    );
  };
  return {
    next: async () => {
      const listed = isListOld ? await newest() : "";
      const casts = [...changed];
      changed.clear();
      const news = listed + (await sayChanged(casts));
      if (news !== "") return news;
      if (isReady || isListOld) return undefined;
      isReady = true;
      return encodeMessage({ kind: "ready", data: {} });
    },
    isOver: () => false,
    close: stop,
  };
}

/** The casts whose summary changed. */
function encodeChanged(said: Map<string, string>, casts: readonly CastSummary[]): string {
  return casts
    .map((cast) => {
      const message = encodeMessage({ kind: "cast", data: cast });
      if (said.get(cast.castId) === message) return "";
      said.set(cast.castId, message);
      return message;
    })
    .join("");
}

/**
 * [B29] Workers and the head of the queue, once a second while a listener is connected: workers send a heartbeat each
 * second. Finished casts are never read.
 */
export function openFleetStatusFeed(
  fleet: FleetClient,
  { everySecond }: Pick<LiveSources, "everySecond">,
  wake: () => void,
): EventFeed {
  let isOld = true;
  const stop = everySecond(() => {
    isOld = true;
    wake();
  });
  return {
    next: async () => {
      if (!isOld) return undefined;
      isOld = false;
      const standing = await fleet.status();
      return standing.ok ? encodeMessage({ kind: "fleet", data: standing.value }) : undefined;
    },
    isOver: () => false,
    close: stop,
  };
}
