import { DEFAULT_LIMITS, type Settings } from "../../../core/catalog/catalog.ts";
import { maxConflictsOf, maxConversationTokensOf, maxUnchangedOf } from "../../../core/model/config.ts";
import { amountText } from "../../../core/view/numbers.ts";
import { withSetting } from "../../../core/edit/config-text.ts";
import { ok, type Issue, type Result } from "../../../core/model/issue.ts";
import type { Json } from "../../../core/model/json.ts";
import type { EditableLayer } from "../../../core/wire/catalog.ts";
import { getConfig, putConfig } from "../net/api.ts";
import { loadCatalog } from "../data/use-catalog.ts";

/** A numeric setting: its key in the file, its label and its effect. */
export interface NumberSetting {
  readonly path: readonly ["budget" | "limits", string];
  readonly label: string;
  readonly description: string;
  readonly unit: Unit;
  /** The default. */
  readonly defaultText: string;
}

type Unit = "tokens" | "dollars" | "percent" | "times" | "duration";

const DURATIONS = { h: 3_600_000, min: 60_000, s: 1_000, ms: 1 } as const;
const AMOUNTS = { g: 1e9, m: 1e6, k: 1e3 } as const;

const EXAMPLES: Readonly<Record<Unit, string>> = {
  tokens: "an amount such as 200 k or 10 M",
  dollars: "an amount such as $20",
  percent: "a share such as 75 %",
  times: "a number of at least 0",
  duration: "a time such as 30 s or 15 min",
};

const UNSCALED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  dollars: { "": 1 },
  percent: { "": 1, "%": 1 },
  times: { "": 1 },
};

function budgetField(
  key: string,
  unit: Unit,
  label: string,
  description: string,
  defaultText = "no bound",
): NumberSetting {
  return { path: ["budget", key], unit, label, description, defaultText };
}

export const BUDGET_FIELDS: readonly NumberSetting[] = [
  budgetField("maxTokens", "tokens", "Tokens", "A cast makes no request after this amount."),
  budgetField("maxCostUsd", "dollars", "Cost", "A cast makes no request after this amount."),
  budgetField("warnAtPercent", "percent", "Warning", "Warns once at this share of the budget.", "no warning"),
];

function limitField(
  key: string,
  unit: Unit,
  label: string,
  description: string,
  value: number | string = "Pi's default",
): NumberSetting {
  const defaultText = typeof value === "string" ? value : unitText(value, unit);
  return { path: ["limits", key], unit, label, description, defaultText };
}

const { maxNoAdvanceCycles, maxRepairs, agentSilenceMs } = DEFAULT_LIMITS;
const FAILS = "Then the cast fails.";

export const LIMIT_FIELDS: readonly NumberSetting[] = [
  limitField("maxNoAdvanceCycles", "times", "Returns without progress", FAILS, maxNoAdvanceCycles),
  limitField("maxRepairs", "times", "Repairs of a handoff", FAILS, maxRepairs),
  limitField(
    "maxUnchanged",
    "times",
    "Rework without a changed file",
    "Then the cast stops and a person decides.",
    maxUnchangedOf(DEFAULT_LIMITS),
  ),
  limitField(
    "maxConflicts",
    "times",
    "Conflicts of a parallel item",
    "How often it runs again.",
    maxConflictsOf(DEFAULT_LIMITS),
  ),
  limitField(
    "maxConversationTokens",
    "tokens",
    "Length of a conversation",
    "A longer one is not continued: the visit starts a new one.",
    maxConversationTokensOf(DEFAULT_LIMITS),
  ),
  limitField(
    "agentSilenceMs",
    "duration",
    "Silence of an agent",
    "Then the turn ends; 0 s waits forever.",
    agentSilenceMs,
  ),
  limitField("maxRetries", "times", "Retries of a request", "After a failure of the provider."),
  limitField("retryBaseMs", "duration", "Wait before the first retry", "Each further wait is twice as long."),
];

/** The value in force, as text. */
export function currentValueText(settings: Settings, { path: [part, key], unit }: NumberSetting): string {
  const values: Readonly<Record<string, unknown>> = settings[part];
  const value = values[key];
  return typeof value === "number" ? unitText(value, unit) : "";
}

/** `10 M`, `$20`, `75 %`, `15 min`; never rounded. */
function unitText(value: number, unit: Unit): string {
  if (unit === "dollars") return `$${value}`;
  if (unit === "percent") return `${value} %`;
  if (unit === "duration") {
    const name = value === 0 ? "s" : Object.entries(DURATIONS).find(([, ms]) => value % ms === 0)?.[0];
    return `${value / (DURATIONS[name as keyof typeof DURATIONS] ?? 1)} ${name ?? "ms"}`; // a name of the table
  }
  const short = amountText(value);
  const read = parseSettingNumber(short, unit);
  return unit === "tokens" && "value" in read && read.value === value ? short : String(value);
}

/** A valid number, null to remove it, or the reason of a refusal. */
export function parseSettingNumber(
  text: string,
  unit: Unit,
): { readonly value: number | null } | { readonly fault: string } {
  const trimmed = text.trim().toLowerCase();
  if (trimmed === "") return { value: null };
  const [, number = "", sign = ""] = /^\$?\s*(\d+(?:\.\d+)?)\s*([a-z%]*)$/.exec(trimmed) ?? [];
  const factors: Readonly<Record<string, number>> =
    unit === "duration"
      ? { ...DURATIONS, m: DURATIONS.min }
      : unit === "tokens"
        ? { ...AMOUNTS, "": 1 }
        : (UNSCALED[unit] ?? {});
  const factor = factors[sign];
  if (number === "" || factor === undefined) return { fault: `Write ${EXAMPLES[unit]}, or nothing` };
  return { value: Math.round(Number(number) * factor * 1e6) / 1e6 };
}

interface ChangedSetting {
  readonly path: readonly string[];
  /** Null removes it from the file. */
  readonly value: Json | null;
}

/** [E29] Writes only the changed settings into the current file. Returns the issues of a failure. */
export async function saveSettings(
  layer: EditableLayer,
  changes: readonly ChangedSetting[],
): Promise<readonly Issue[]> {
  const file = await getConfig(layer);
  if (!file.ok && file.status !== 404) return file.issues;
  const [before, etag] = file.ok ? [file.value.text, file.value.etag] : ["", null];
  const after = changes.reduce<Result<string>>(
    (text, { path, value }) => (text.ok ? withSetting(text.value, path, value) : text),
    ok(before),
  );
  if (!after.ok) return after.issues;
  const written = await putConfig(layer, after.value, etag);
  if (!written.ok) return written.issues;
  await loadCatalog();
  return written.value.issues.filter(({ severity }) => severity === "error");
}
