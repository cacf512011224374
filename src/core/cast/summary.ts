import * as v from "valibot";
import { wholeNumber } from "../model/schemas.ts";
import { CastOutcome } from "./state/event.ts";
import type { CastState, ProgressCounts } from "./state/state.ts";
import type { Totals } from "./state/usage.ts";
import { parseMillis } from "../model/text.ts";

/** `queued` is a cast of a fleet that waits for a worker. */
const CastStatus = v.picklist([
  ...CastOutcome.options,
  "running",
  "sleeping",
  "paused",
  "waiting",
  "interrupted",
  "queued",
]);
export type CastStatus = v.InferOutput<typeof CastStatus>;

/** A probable secret and its place, never the secret itself. */
const SecretFinding = v.object({ file: v.string(), kind: v.string() });
export type SecretFinding = Readonly<v.InferOutput<typeof SecretFinding>>;

/** [B63] The outcome of pushing the result of a cast. */
const DeliveryOutcome = v.union([
  v.object({ branch: v.string(), commit: v.string() }),
  v.object({ found: v.array(SecretFinding) }),
  v.object({ problem: v.string() }),
]);
export type DeliveryOutcome = Readonly<v.InferOutput<typeof DeliveryOutcome>>;

const count = wholeNumber(0);

/** [C13, N10] A cast in a listing. */
export const CastSummary = v.object({
  castId: v.string(),
  status: CastStatus,
  loadout: v.string(),
  request: v.string(),
  startedAt: v.string(),
  endedAt: v.nullable(v.string()),
  idleSince: v.exactOptional(v.string()), // [C57] since when it neither works nor has ended
  visits: count,
  /** Over all lists of the cast: the number of items, and the outcomes of finished ones. */
  items: v.object({ done: count, total: count, givenUp: v.exactOptional(count) }),
  tokens: v.number(),
  cost: v.number(),
  asleep: v.exactOptional(v.object({ until: v.string(), provider: v.string(), model: v.string() })), // [Z11] or paused
  blocked: v.exactOptional(v.string()), // [B16] why no worker of the fleet could start it
  settingUp: v.exactOptional(v.object({ worker: v.string(), since: v.string() })), // [B73] before the first visit
  delivered: v.exactOptional(DeliveryOutcome), // [B63] if a worker had to push its result
  fleet: v.exactOptional(v.object({ project: v.string(), person: v.string(), worker: v.nullable(v.string()) })), // [B26]
  foreign: v.exactOptional(v.literal(true)), // [S13] another user or another machine started it
  branch: v.exactOptional(v.string()), // [YT1] of its separate working tree
  model: v.exactOptional(v.string()), // [W46] that answered last, as `provider/id`; none in a rehearsal
  reason: v.exactOptional(v.string()), // why it ended, if its end has a reason; for `waiting` what it asks
  rehearsed: v.exactOptional(v.literal(true)), // [C36] its agents answer from a file
});
export type CastSummary = Readonly<v.InferOutput<typeof CastSummary>>;

/** [C36] The totals of a cast: the same figures in a listing, in its status and in its report. */
export type CastFigures = Pick<CastSummary, "visits" | "items" | "tokens" | "cost">;
export type ItemCounts = Readonly<CastSummary["items"]>;

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

/** [C57] How long a cast has worked, and how long it now waits for a person or a provider. */
export interface WorkTime {
  readonly elapsedMs: number;
  readonly waitsMs: number;
}

/** Only a running cast gets older. */
export function workTime(
  { startedAt, lastAt, idleMs }: Record<"startedAt" | "lastAt", string | null> & { readonly idleMs: number },
  { status, now }: { readonly status: CastStatus; readonly now: number },
): WorkTime {
  const until = status === "running" ? now : parseMillis(lastAt, now);
  const isWaiting = status === "waiting" || status === "sleeping" || status === "paused";
  return {
    elapsedMs: Math.max(0, until - parseMillis(startedAt, until) - idleMs),
    waitsMs: isWaiting ? Math.max(0, now - until) : 0,
  };
}

/** Whether the cast has ended with a result, satisfied or not. */
export function hasResult({ phase }: Pick<CastState, "phase">): boolean {
  return phase.kind === "ended" && (phase.outcome === "completed" || phase.outcome === "not_satisfied");
}

export function endReason({ phase }: Pick<CastState, "phase">): string {
  return phase.kind === "ended" ? phase.reason : "";
}

export function castFigures(totals: Totals): CastFigures {
  const { visits, tokens, cost } = totals;
  return { visits, items: itemCounts(totals), tokens, cost };
}

/** More items than this are drawn as a bar. */
export const MAX_ITEM_CELLS = 24;

export function itemCounts({ itemsDone, items, itemsGivenUp }: ProgressCounts): ItemCounts {
  return { done: itemsDone, total: items, ...(itemsGivenUp === undefined ? {} : { givenUp: itemsGivenUp }) };
}
