import { useState, type ReactElement } from "react";
import { amountText } from "../../../core/view/numbers.ts";
import { TextField } from "./fields.tsx";

/** The factor of each sign that may follow a number; the first one that fits is printed. */
const UNIT_FACTORS = {
  tokens: { "": 1, g: 1e9, m: 1e6, k: 1e3 },
  dollars: { "": 1 },
  percent: { "": 1, "%": 1 },
  times: { "": 1 },
  duration: { h: 3_600_000, min: 60_000, m: 60_000, s: 1_000, ms: 1 },
} as const satisfies Record<string, Readonly<Record<string, number>>>;
export type Unit = keyof typeof UNIT_FACTORS;

const EXAMPLES: Readonly<Record<Unit, string>> = {
  tokens: "an amount such as 200 k or 10 M",
  dollars: "an amount such as $20",
  percent: "a share such as 75 %",
  times: "a number of at least 0",
  duration: "a time such as 30 s or 15 min",
};

/** `10 M`, `$20`, `75 %`, `15 min`; never rounded. */
export function unitText(value: number, unit: Unit): string {
  if (unit === "dollars") return `$${value}`;
  if (unit === "percent") return `${value} %`;
  if (unit === "duration") {
    const [sign, factor] = Object.entries(UNIT_FACTORS.duration).find(([, ms]) => value % ms === 0) ?? ["ms", 1];
    return value === 0 ? "0 s" : `${value / factor} ${sign}`;
  }
  const short = amountText(value);
  const read = parseAmount(short, unit);
  return unit === "tokens" && "value" in read && read.value === value ? short : String(value);
}

/** A valid number, null to remove it, or the reason of a refusal. */
export type Amount = { readonly value: number | null } | { readonly fault: string };

export function parseAmount(text: string, unit: Unit): Amount {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === "") return { value: null };
  const [, number = "", sign = ""] = /^\$?\s*(\d+(?:\.\d+)?)\s*([a-z%]*)$/.exec(trimmed) ?? [];
  const factors: Readonly<Record<string, number>> = UNIT_FACTORS[unit];
  const factor = factors[sign];
  if (number === "" || factor === undefined) return { fault: `Write ${EXAMPLES[unit]}, or nothing` };
  return { value: Math.round(Number(number) * factor * 1e6) / 1e6 };
}

/** Milliseconds in the file, `15 min` in the field. Unreadable text stays in the field only. */
export function DurationField(props: {
  readonly label: string;
  readonly value: unknown;
  readonly placeholder: string;
  readonly onChange: (ms: number | null) => void;
}): ReactElement {
  const { label, value, placeholder, onChange } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? (typeof value === "number" ? unitText(value, "duration") : "");
  const read = parseAmount(text, "duration");
  return (
    <TextField
      label={label}
      value={text}
      placeholder={placeholder}
      invalid={"fault" in read ? read.fault : null}
      onType={(next) => {
        setTyped(next);
        const ms = parseAmount(next, "duration");
        if ("value" in ms) onChange(ms.value);
      }}
      // Undo or another tab may change the value later.
      onDone={() => "value" in read && setTyped(null)}
    />
  );
}
