import type { LimitName } from "../cast/state/event.ts";
import type { CastStatus } from "../cast/summary.ts";

export const ACTION_LABELS = {
  answer: "Answer…",
  allow: "Allow one more",
  hint: "Try again with a hint…",
  accept: "Accept the result",
  skip: "Skip this item",
  raise: "Raise a limit…",
  resume: "Resume",
  abort: "Abort…",
  review: "Review…",
  again: "Run again…",
  compare: "Compare with…",
  record: "Record as a test…",
  take: "Take home as a branch",
} as const;
export type CastAction = keyof typeof ACTION_LABELS;

/** The facts that decide which actions apply. A listing knows only the status. */
export interface ActionFacts {
  readonly status: CastStatus;
  /** The limit that stopped it; undefined if only its journal tells. */
  readonly limit?: LimitName | null;
  /** Set if a result was sent back too often. */
  readonly rework?: { readonly item: unknown };
  readonly isOnFleet?: boolean;
  readonly isApart?: boolean;
  /** [YW1] Its files were kept, so that the change can be shown. */
  readonly isReviewable?: boolean;
}

/** [W43] The actions that help in this state, the most likely first, and the rest that can apply. */
export interface OfferedActions {
  readonly main: readonly CastAction[];
  readonly more: readonly CastAction[];
}

export function actionsFor({
  status,
  limit,
  rework,
  isOnFleet = false,
  isApart = isOnFleet,
  isReviewable = false,
}: ActionFacts): OfferedActions {
  const taken: readonly CastAction[] = isApart ? ["take"] : [];
  const again: readonly CastAction[] = isOnFleet ? [] : ["again"];
  const review: readonly CastAction[] = isReviewable ? ["review"] : [];
  switch (status) {
    case "running":
    case "queued":
      return { main: ["abort"], more: ["raise", "compare"] };
    case "sleeping":
      return { main: ["resume", "abort"], more: ["compare"] };
    case "paused":
      return { main: ["resume", ...again], more: ["compare", ...taken] };
    case "waiting":
      return { main: ["answer"], more: ["abort", "compare"] };
    case "completed":
    case "not_satisfied":
      return { main: [...review, ...again, "compare", "record", ...taken], more: [] };
    case "aborted":
    case "interrupted":
      return { main: ["resume", ...again], more: [...review, "raise", "compare", ...taken] };
    case "failed": {
      const more: readonly CastAction[] = [...review, ...again, "compare", "record", ...taken];
      if (rework) return { main: ["allow", "hint", "accept", ...(rework.item ? (["skip"] as const) : [])], more };
      // Without a higher limit the cast would stop at the same place.
      if (limit === "maxTokens" || limit === "maxCostUsd") return { main: ["raise"], more };
      return limit ? { main: ["allow"], more: ["raise", ...more] } : { main: ["resume"], more: ["raise", ...more] };
    }
  }
}

/** A cast that sleeps is woken. */
export function actionLabel(action: CastAction, status: CastStatus): string {
  return action === "resume" && (status === "sleeping" || status === "paused") ? "Wake now" : ACTION_LABELS[action];
}

/** [W43] The one action of a row; a failed cast has choices, which its page explains. */
export function rowActionOf(status: CastStatus): { readonly action: CastAction; readonly label: string } {
  if (status === "failed") return { action: "raise", label: "See choices" };
  const [action = "again"] = actionsFor({ status }).main;
  return { action, label: actionLabel(action, status) };
}
