import type { CastId } from "../../core/model/ids.ts";

/** Sorts by time when sorted by name, to the millisecond; chance keeps two casts of one moment apart. */
export function newCastId(now: Date, chance: number): CastId {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${base36(now.getUTCMilliseconds(), 2)}${base36(Math.floor(chance * 36 ** 4), 4)}` as CastId; // digits, letters and dashes
}

function base36(value: number, length: number): string {
  return value.toString(36).padStart(length, "0");
}
