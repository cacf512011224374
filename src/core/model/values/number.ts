import * as v from "valibot";

/** A whole number from `minimum` on, no larger than can be counted exactly. */
export function wholeNumber(minimum: 0 | 1) {
  const whole = minimum === 0 ? "must be a whole number" : "must be a whole number of at least 1";
  return v.pipe(
    v.number(whole),
    v.integer(whole),
    v.minValue(minimum, minimum === 0 ? "must not be negative" : whole),
    v.maxValue(Number.MAX_SAFE_INTEGER, "is too large"),
  );
}
