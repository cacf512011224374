import type { EventOf } from "../../cast/state/event.ts";
import { assertNever } from "../../model/values/never.ts";
import { countOfLimitText } from "../../cast/words/of-text.ts";
import { oneLine } from "../../model/values/text.ts";
import { amountText, costText, countedText } from "../numbers.ts";

/** A limit in words, as "2 of 3" where it counts something. */
export function limitReachedText({ limit, value, where }: EventOf<"limit_reached">): string {
  const item = where.item === undefined ? "" : ` for “${oneLine(where.item.title, 60)}”`;
  const times = countOfLimitText(where.taken ?? value, value);
  switch (limit) {
    case "maxTokens":
      return `limit reached: the budget of ${amountText(value)} tokens is used`;
    case "maxCostUsd":
      return `limit reached: the budget of ${costText(value)} is used`;
    case "maxTurnTokens":
      return `limit reached: ${amountText(value)} tokens in one turn${item}`;
    case "maxTurnMinutes":
      return `limit reached: ${countedText(value, "minute")} in one turn${item}`;
    case "maxTraversals":
      return `limit reached: ${times} times${item}`;
    case "maxNoAdvanceCycles":
      return `limit reached: ${times} returns without progress${item}`;
    case "maxRepairs":
      return `limit reached: ${times} repair turns used${item}`;
    case "maxConflicts":
      return `limit reached: ${times} times done again because of a conflict${item}`;
    default:
      return assertNever(limit);
  }
}

/** How much of a budget is used, while that stops nothing yet. */
export function budgetWarningText({ limit, used, of }: EventOf<"cast_warned">): string {
  const text = limit === "maxTokens" ? amountText : costText;
  return `warning: ${text(used)} of ${text(of)}${limit === "maxTokens" ? " tokens" : ""} are used`;
}

export function limitsRaisedText({ maxTokens, maxCostUsd, allow, hint, items }: EventOf<"limits_raised">): string {
  const parts = [
    ...(maxTokens === undefined ? [] : [`budget ${amountText(maxTokens)} tokens`]),
    ...(maxCostUsd === undefined ? [] : [`budget ${costText(maxCostUsd)}`]),
    ...(allow === undefined ? [] : [`${allow} more allowed`]),
    ...(hint === undefined ? [] : [`with “${oneLine(hint, 200)}”`]),
  ];
  // What a person decided about items is no limit.
  if (items) return `what was sent back too often is ${items === "accept" ? "accepted as it is" : "given up"}`;
  return `limits raised: ${parts.join(", ") || "nothing"}`;
}
