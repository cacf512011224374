import type { CastStatus, CastSummary } from "../casts.ts";

export interface CastGroup {
  readonly title: string;
  readonly casts: readonly CastSummary[];
}

/** Casts that wait for something only a person can give. */
const NEEDS_YOU: readonly CastStatus[] = ["waiting", "failed", "interrupted"];

/** What needs a person first, then what runs, then by day; each in the order given. */
export function groupCasts(casts: readonly CastSummary[], dayOf: (at: string) => string): readonly CastGroup[] {
  const needs = casts.filter(needsYou);
  const running = casts.filter(({ status }) => status === "running");
  const queued = casts.filter(({ status }) => status === "queued");
  const rest = casts.filter((cast) => !needsYou(cast) && cast.status !== "running" && cast.status !== "queued");
  const days = [...Map.groupBy(rest, ({ startedAt }) => dayOf(startedAt))];
  return [
    { title: "Needs you", casts: needs },
    { title: "Running", casts: running },
    { title: "Waiting for a worker", casts: queued },
    ...days.map(([title, group]) => ({ title, casts: group })),
  ].filter((group) => group.casts.length > 0);
}

function needsYou({ status }: CastSummary): boolean {
  return NEEDS_YOU.includes(status);
}

export const CAST_FILTERS = [
  "all",
  "needs_you",
  "running",
  "queued",
  "completed",
  "not_satisfied",
  "failed",
  "aborted",
  "rehearsed",
] as const;
export type CastFilter = (typeof CAST_FILTERS)[number];

/** What of the casts is looked for. */
export interface CastSearch {
  readonly filter: CastFilter;
  readonly text: string;
  readonly loadout: string | null;
}

export const ALL_CASTS: CastSearch = { filter: "all", text: "", loadout: null };

function matchesFilter(cast: CastSummary, filter: CastFilter): boolean {
  if (filter === "all") return true;
  if (filter === "needs_you") return needsYou(cast);
  return filter === "rehearsed" ? cast.rehearsed === true : cast.status === filter;
}

export function matchesSearch(cast: CastSummary, { filter, text, loadout }: CastSearch): boolean {
  if (!matchesFilter(cast, filter) || (loadout !== null && cast.loadout !== loadout)) return false;
  const whose = cast.fleet ? ` ${cast.fleet.project} ${cast.fleet.person} ${cast.fleet.worker ?? ""}` : "";
  const all = `${cast.request} ${cast.castId} ${cast.loadout}${whose}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
