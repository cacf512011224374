import type { FleetClient } from "../../../../../shell/casting/workspace/on-fleet.ts";
import type { EventFeed } from "../../http/stream.ts";
import type { LiveSources } from "../live.ts";
import { encodeMessage } from "../say.ts";

/**
 * [B29] Who works and what waits, for as long as somebody looks. Workers show each second that they live, so it is asked each
 * second: of the workers and of the first that wait, never of what is past.
 */
export function openFleetStatusFeed(fleet: FleetClient, { everySecond }: Pick<LiveSources, "everySecond">, wake: () => void): EventFeed {
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
