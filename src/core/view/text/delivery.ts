import { sanitizeForTerminal } from "../../model/values/text.ts";
import { line, toned, type Line } from "./line.ts";

/** What looks like a secret, and where; never the secret itself. */
export interface SecretFinding {
  readonly file: string;
  readonly kind: string;
}

/** [B24] What became of pushing the result of a cast. */
export type DeliveryOutcome =
  | { readonly branch: string; readonly commit: string }
  | { readonly found: readonly SecretFinding[] }
  | { readonly problem: string };

export function deliveryText(delivered: DeliveryOutcome): string {
  if ("branch" in delivered) return `pushed as ${delivered.branch}`;
  if ("problem" in delivered) return `not pushed: ${sanitizeForTerminal(delivered.problem)}`;
  return `not pushed: ${delivered.found.map(({ file, kind }) => `${sanitizeForTerminal(file)} holds ${kind}`).join("; ")}`;
}

/** Nothing where nobody was to push it. */
export function deliveryLines(delivered: DeliveryOutcome | undefined): readonly Line[] {
  if (!delivered) return [];
  const text = deliveryText(delivered);
  return [
    line(
      toned(
        "branch" in delivered ? "ok" : "rework",
        `Its result was ${text}${"branch" in delivered ? "" : `; "take" brings it`}.`,
      ),
    ),
  ];
}
