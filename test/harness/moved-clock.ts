import type { Ports } from "../../src/shell/ports.ts";

/** A clock that only waits move. */
export interface MovedClock extends Pick<Ports, "now" | "pause"> {
  readonly waits: readonly number[];
  readonly move: (ms: number) => void;
}

export const CLOCK_START = Date.parse("2026-11-18T01:00:00Z");

export function movedClock(): MovedClock {
  let at = CLOCK_START;
  const waits: number[] = [];
  return {
    waits,
    now: () => new Date(at),
    pause: async (ms) => {
      waits.push(ms);
      at += ms;
    },
    move: (ms) => {
      at += ms;
    },
  };
}
