import type { CastOutcome } from "./state/event.ts";
import type { CastState, ProgressCounts } from "./state/state.ts";
import type { Totals } from "./state/usage.ts";

/** `queued` is a cast of a fleet that waits for a worker. */
export type CastStatus = CastOutcome | "running" | "waiting" | "interrupted" | "queued";

/** [C13] What a listing says of a cast. */
export interface CastSummary extends CastFigures {
  readonly castId: string;
  readonly status: CastStatus;
  readonly loadout: string;
  readonly request: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** [B16] Why no worker of a fleet could begin it. */
  readonly blocked?: string;
  /** [B73] Set while a worker makes its tree ready: no visit is under way there yet. */
  readonly settingUp?: { readonly worker: string; readonly since: string };
  /** [B63] What became of pushing its result, where a worker was to. */
  readonly delivered?: DeliveryOutcome;
  /** [B26] Set where it is a cast of a fleet. */
  readonly fleet?: CastOnFleet;
  /** [S13] Set where the cast was not begun by this user on this machine. */
  readonly foreign?: true;
  /** [C36] Set where its agents answer from a file. */
  readonly rehearsed?: true;
}

/** [B26] Whose cast it is, and who drives it now. */
export interface CastOnFleet {
  readonly project: string;
  readonly person: string;
  readonly worker: string | null;
}

/** Whether somebody drives a cast, or will once a worker of its fleet is free. */
export type CastLiveness = boolean | "queued";

/** How a cast stands by its own state; one that neither ended nor waits runs only while its process lives. */
export function castStatus({ phase }: CastState, alive: CastLiveness): CastStatus {
  if (phase.kind === "ended") return phase.outcome;
  if (alive === "queued") return "queued";
  if (phase.kind === "waiting") return "waiting";
  return alive ? "running" : "interrupted";
}

/** Why a cast ended; empty while it has not ended. */
export function endReason({ phase }: Pick<CastState, "phase">): string {
  return phase.kind === "ended" ? phase.reason : "";
}

/** [C36] What a cast has come to: the same figures in a listing, in its status and in its story. */
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

/** How many items there were, and what became of those that are behind. */
export interface ItemCounts {
  readonly done: number;
  readonly total: number;
  /** Absent where none was. */
  readonly givenUp?: number;
}

/** Over all lists of a cast. */
export function itemCounts({ itemsDone, items, itemsGivenUp }: ProgressCounts): ItemCounts {
  return { done: itemsDone, total: items, ...(itemsGivenUp === undefined ? {} : { givenUp: itemsGivenUp }) };
}

/** What looks like a secret, and where; never the secret itself. */
export interface SecretFinding {
  readonly file: string;
  readonly kind: string;
}

/** [B63] What became of pushing the result of a cast. */
export type DeliveryOutcome =
  | { readonly branch: string; readonly commit: string }
  | { readonly found: readonly SecretFinding[] }
  | { readonly problem: string };
