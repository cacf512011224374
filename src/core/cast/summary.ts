import type { CastOutcome } from "./state/event.ts";
import type { CastState, ProgressCounts } from "./state/state.ts";
import type { Totals } from "./state/usage.ts";

/** `queued` is a cast of a fleet that waits for a worker. */
export type CastStatus = CastOutcome | "running" | "sleeping" | "paused" | "waiting" | "interrupted" | "queued";

/** [C13] A cast in a listing. */
export interface CastSummary extends CastFigures {
  readonly castId: string;
  readonly status: CastStatus;
  readonly loadout: string;
  readonly request: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** [Z11] Set while it sleeps or is paused. */
  readonly asleep?: { readonly until: string; readonly provider: string; readonly model: string };
  /** [B16] Why no worker of the fleet could start it. */
  readonly blocked?: string;
  /** [B73] Set while a worker prepares its working tree, before the first visit. */
  readonly settingUp?: { readonly worker: string; readonly since: string };
  /** [B63] The outcome of pushing its result, if a worker had to. */
  readonly delivered?: DeliveryOutcome;
  /** [B26] Set for a cast of a fleet. */
  readonly fleet?: CastOnFleet;
  /** [S13] Set if another user or another machine started the cast. */
  readonly foreign?: true;
  /** [YT1] The branch of its separate working tree, if it has one. */
  readonly branch?: string;
  /** [C36] Set if its agents answer from a file. */
  readonly rehearsed?: true;
}

/** [B26] The user of the cast, and its present worker. */
export interface CastOnFleet {
  readonly project: string;
  readonly person: string;
  readonly worker: string | null;
}

/** Whether a process runs the cast, or will once a worker is free. */
export type CastLiveness = boolean | "queued";

/** The status from the cast's own state. A cast that neither ended nor waits runs only while its process lives. */
export function castStatus({ phase }: CastState, alive: CastLiveness): CastStatus {
  if (phase.kind === "ended") return phase.outcome;
  // [Z4] Without a process nobody wakes it.
  if (phase.kind === "sleeping") return alive === false || phase.paused ? "paused" : "sleeping";
  if (alive === "queued") return "queued";
  if (phase.kind === "waiting") return "waiting";
  return alive ? "running" : "interrupted";
}

export function endReason({ phase }: Pick<CastState, "phase">): string {
  return phase.kind === "ended" ? phase.reason : "";
}

/** [C36] The totals of a cast: the same figures in a listing, in its status and in its report. */
export interface CastFigures {
  readonly visits: number;
  /** Over all lists of the cast. */
  readonly items: ItemCounts;
  readonly tokens: number;
  readonly cost: number;
}

export function castFigures(totals: Totals): CastFigures {
  const { visits, tokens, cost } = totals;
  return { visits, items: itemCounts(totals), tokens, cost };
}

/** More items than this are drawn as a bar. */
export const MAX_ITEM_CELLS = 24;

/** The number of items, and the outcomes of finished ones. */
export interface ItemCounts {
  readonly done: number;
  readonly total: number;
  /** Absent if none was. */
  readonly givenUp?: number;
}

/** Over all lists of a cast. */
export function itemCounts({ itemsDone, items, itemsGivenUp }: ProgressCounts): ItemCounts {
  return { done: itemsDone, total: items, ...(itemsGivenUp === undefined ? {} : { givenUp: itemsGivenUp }) };
}

/** A probable secret and its place, never the secret itself. */
export interface SecretFinding {
  readonly file: string;
  readonly kind: string;
}

/** [B63] The outcome of pushing the result of a cast. */
export type DeliveryOutcome =
  | { readonly branch: string; readonly commit: string }
  | { readonly found: readonly SecretFinding[] }
  | { readonly problem: string };
