import { DEFAULT_LIMITS, type Settings } from "../../../../../core/catalog/catalog.ts";
import { mostConflicts } from "../../../../../core/model/config.ts";

/** One number of the settings: its place in the file, what it is called, and what it does. */
export interface NumberField {
  readonly path: readonly ["budget" | "limits", string];
  readonly label: string;
  readonly about: string;
  /** What holds where nothing is set. */
  readonly without: string;
}

export const BUDGET: readonly NumberField[] = [
  {
    path: ["budget", "maxTokens"],
    label: "Tokens at most",
    about: "No further request is made after so many.",
    without: "no bound",
  },
  {
    path: ["budget", "maxCostUsd"],
    label: "Dollars at most",
    about: "No further request is made after so many.",
    without: "no bound",
  },
  {
    path: ["budget", "warnAtPercent"],
    label: "Warn at percent",
    about: "Said once, when so much is used.",
    without: "no warning",
  },
];

export const LIMIT_FIELDS: readonly NumberField[] = [
  {
    path: ["limits", "maxNoAdvanceCycles"],
    label: "Returns without progress",
    about: "Then the cast fails.",
    without: String(DEFAULT_LIMITS.maxNoAdvanceCycles),
  },
  {
    path: ["limits", "maxRepairs"],
    label: "Repairs of a handoff",
    about: "Then the cast fails.",
    without: String(DEFAULT_LIMITS.maxRepairs),
  },
  {
    path: ["limits", "maxConflicts"],
    label: "Conflicts of a parallel item",
    about: "How often it is done again.",
    without: String(mostConflicts(DEFAULT_LIMITS)),
  },
  {
    path: ["limits", "agentSilenceMs"],
    label: "Silence of an agent in ms",
    about: "Then it is ended; 0 waits for ever.",
    without: String(DEFAULT_LIMITS.agentSilenceMs),
  },
  {
    path: ["limits", "maxRetries"],
    label: "Retries of a request",
    about: "After a failure of the provider.",
    without: "as Pi is set up",
  },
  {
    path: ["limits", "retryBaseMs"],
    label: "First wait before a retry in ms",
    about: "Each further one is twice as long.",
    without: "as Pi is set up",
  },
];

/** What is in force now, as it is typed. */
export function inForce(settings: Settings, { path: [part, key] }: NumberField): string {
  const values: Readonly<Record<string, unknown>> = settings[part];
  const value = values[key];
  return typeof value === "number" ? String(value) : "";
}

/** A number that may stand there, nothing to take it out, or why neither. */
export function readNumber(text: string): { readonly value: number | null } | { readonly fault: string } {
  const trimmed = text.trim();
  if (trimmed === "") return { value: null };
  const number = Number(trimmed);
  return Number.isFinite(number) && number >= 0 ? { value: number } : { fault: "A number of at least 0, or nothing" };
}
