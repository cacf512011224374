import type { OnFleet } from "../../../../../shell/casting/workspace/on-fleet.ts";
import type { Feed } from "../../http/stream.ts";
import type { Live } from "../live.ts";
import { say } from "../say.ts";

/**
 * [B29] Who works and what waits, for as long as somebody looks. Workers show each second that they live, so it is asked each
 * second: of the workers and of the first that wait, never of what is past.
 */
export function fleetFeed(fleet: OnFleet, { everySecond }: Pick<Live, "everySecond">, wake: () => void): Feed {
  let isOld = true;
  const stop = everySecond(() => {
    isOld = true;
    wake();
  });
  return {
    next: async () => {
      if (!isOld) return undefined;
      isOld = false;
      const standing = await fleet.standing();
      return standing.ok ? say({ kind: "fleet", data: standing.value }) : undefined;
    },
    isOver: () => false,
    close: stop,
  };
}
