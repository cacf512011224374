const MULTIPLIERS: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/** A number as people type it: `200000`, `200_000`, `200k`, `2.5M`. */
export function readAmount(text: string): number | undefined {
  const [, digits = "", power = ""] = /^([0-9][0-9_]*(?:\.[0-9]+)?)([km]?)$/i.exec(text) ?? [];
  if (digits === "") return undefined;
  // Rounded to a millionth: 2.3 × 1000 is not 2300 to a computer.
  const amount = Math.round(Number(digits.replaceAll("_", "")) * (MULTIPLIERS[power.toLowerCase()] ?? 1) * 1e6) / 1e6;
  return Number.isFinite(amount) ? amount : undefined;
}

/** The same for what comes in whole pieces. */
export function readCount(text: string): number | undefined {
  const amount = readAmount(text);
  return amount !== undefined && Number.isSafeInteger(amount) ? amount : undefined;
}
