import { DEFAULT_LIMITS, type Settings } from "../../../core/catalog/catalog.ts";
import { maxConflictsOf, maxConversationTokensOf, maxUnchangedOf } from "../../../core/model/config.ts";
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
  /** The default. */
  readonly defaultText: string;
}

export const BUDGET_FIELDS: readonly NumberSetting[] = [
  {
    path: ["budget", "maxTokens"],
    label: "Tokens at most",
    description: "No request is made after this amount.",
    defaultText: "no bound",
  },
  {
    path: ["budget", "maxCostUsd"],
    label: "Dollars at most",
    description: "No request is made after this amount.",
    defaultText: "no bound",
  },
  {
    path: ["budget", "warnAtPercent"],
    label: "Warn at percent",
    description: "Warns once at this share of the budget.",
    defaultText: "no warning",
  },
];

export const LIMIT_FIELDS: readonly NumberSetting[] = [
  {
    path: ["limits", "maxNoAdvanceCycles"],
    label: "Returns without progress",
    description: "Then the cast fails.",
    defaultText: String(DEFAULT_LIMITS.maxNoAdvanceCycles),
  },
  {
    path: ["limits", "maxRepairs"],
    label: "Repairs of a handoff",
    description: "Then the cast fails.",
    defaultText: String(DEFAULT_LIMITS.maxRepairs),
  },
  {
    path: ["limits", "maxUnchanged"],
    label: "Rework without a changed file",
    description: "Then the cast stops and a person decides.",
    defaultText: String(maxUnchangedOf(DEFAULT_LIMITS)),
  },
  {
    path: ["limits", "maxConflicts"],
    label: "Conflicts of a parallel item",
    description: "How often it runs again.",
    defaultText: String(maxConflictsOf(DEFAULT_LIMITS)),
  },
  {
    path: ["limits", "maxConversationTokens"],
    label: "Tokens of a continued conversation",
    description: "Above it a visit starts a new one.",
    defaultText: String(maxConversationTokensOf(DEFAULT_LIMITS)),
  },
  {
    path: ["limits", "agentSilenceMs"],
    label: "Silence of an agent in ms",
    description: "Then the turn ends; 0 waits forever.",
    defaultText: String(DEFAULT_LIMITS.agentSilenceMs),
  },
  {
    path: ["limits", "maxRetries"],
    label: "Retries of a request",
    description: "After a failure of the provider.",
    defaultText: "Pi's default",
  },
  {
    path: ["limits", "retryBaseMs"],
    label: "First wait before a retry in ms",
    description: "Each further one is twice as long.",
    defaultText: "Pi's default",
  },
];

/** The value in force, as text. */
export function currentValueText(settings: Settings, { path: [part, key] }: NumberSetting): string {
  const values: Readonly<Record<string, unknown>> = settings[part];
  const value = values[key];
  return typeof value === "number" ? String(value) : "";
}

/** A valid number, null to remove it, or the reason of a refusal. */
export function parseSettingNumber(text: string): { readonly value: number | null } | { readonly fault: string } {
  const trimmed = text.trim();
  if (trimmed === "") return { value: null };
  const number = Number(trimmed);
  return Number.isFinite(number) && number >= 0 ? { value: number } : { fault: "A number of at least 0, or nothing" };
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
