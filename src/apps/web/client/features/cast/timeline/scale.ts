import type { TimelineRow } from "../../../../../../core/view/watch/rows.ts";

/** How milliseconds become shares of the width, in percent. */
export interface Scale {
  readonly wholeMs: number;
  readonly share: (ms: number) => number;
}

/** The whole cast, or the longest row where each begins at its own zero. */
export function scaleOf(
  rows: readonly TimelineRow[],
  { nowMs, aligned }: { readonly nowMs: number; readonly aligned: boolean },
): Scale {
  const ends = rows.map(({ visits }) => {
    const start = visits[0]?.from ?? 0;
    const end = visits.reduce((most, { to }) => Math.max(most, to ?? nowMs), 0);
    return aligned ? end - start : end;
  });
  const wholeMs = Math.max(1_000, ...ends) * 1.02;
  return { wholeMs, share: (ms) => Math.max(0, (100 * ms) / wholeMs) };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [1, 2, 5, 10, 15, 30]
  .map((count) => count * SECOND)
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * MINUTE))
  .concat([1, 2, 4, 8, 24].map((count) => count * HOUR));
const TICKS = 5;

export function ticksOf({ wholeMs, share }: Scale): readonly { readonly at: number; readonly text: string }[] {
  const step = STEPS.find((each) => wholeMs / each <= TICKS) ?? wholeMs / TICKS;
  const [unit, word] =
    step >= HOUR ? ([HOUR, "h"] as const) : step >= MINUTE ? ([MINUTE, "min"] as const) : ([SECOND, "s"] as const);
  const count = Math.floor(wholeMs / step);
  return Array.from({ length: count + 1 }, (_, index) => ({
    at: share(index * step),
    text: `${Math.round((index * step) / unit)} ${word}`,
  })).filter(({ at }) => at < 97);
}
