/** Maps milliseconds to percent of the width; values outside are below 0 or above 100. */
export interface TimeScale {
  readonly startMs: number;
  readonly spanMs: number;
  readonly positionPercent: (ms: number) => number;
  readonly lengthPercent: (ms: number) => number;
}

/** A visit or an attempt, in milliseconds of work; it has no end while it runs. */
export interface Stay {
  readonly from: number;
  readonly to: number | null;
}

/** The whole cast, or the longest row when each starts at zero. */
export function timelineLengthMs(
  rows: readonly (readonly Stay[])[],
  { nowMs, aligned }: { readonly nowMs: number; readonly aligned: boolean },
): number {
  const ends = rows.map((stays) => {
    const end = stays.reduce((most, { to }) => Math.max(most, to ?? nowMs), 0);
    return aligned ? end - (stays[0]?.from ?? 0) : end;
  });
  return Math.max(1_000, ...ends) * 1.02;
}

/** The visible part: everything, or a zoomed range around a moment. */
export function timeScaleFor(
  wholeMs: number,
  { zoom, around }: { readonly zoom: number; readonly around: number },
): TimeScale {
  const spanMs = wholeMs / zoom;
  const startMs = Math.max(0, Math.min(around - spanMs / 2, wholeMs - spanMs));
  const lengthPercent = (ms: number): number => (100 * ms) / spanMs;
  return { startMs, spanMs, lengthPercent, positionPercent: (ms) => lengthPercent(ms - startMs) };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TICK_STEPS = [10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * SECOND))
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * MINUTE))
  .concat([1, 2, 4, 8, 24].map((count) => count * HOUR));
const MAX_TICKS = 5;

export function ticksFor({ startMs, spanMs, positionPercent }: TimeScale) {
  const step = TICK_STEPS.find((each) => spanMs / each <= MAX_TICKS) ?? spanMs / MAX_TICKS;
  const [unit, word] =
    step >= HOUR ? ([HOUR, "h"] as const) : step >= MINUTE ? ([MINUTE, "min"] as const) : ([SECOND, "s"] as const);
  const first = Math.ceil(startMs / step);
  const last = Math.floor((startMs + spanMs) / step);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const ms = (first + index) * step;
    return { at: positionPercent(ms), text: `${Math.round((100 * ms) / unit) / 100} ${word}` };
  }).filter(({ at }) => at >= 0 && at < 97);
}
