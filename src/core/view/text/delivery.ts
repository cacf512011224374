import { harmless } from "../../model/values/text.ts";
import { line, toned, type Line } from "./line.ts";

/** What looks like a secret, and where; never the secret itself. */
export interface SecretFound {
  readonly file: string;
  readonly kind: string;
}

/** [B24] What became of pushing the result of a cast. */
export type Delivery =
  | { readonly branch: string; readonly commit: string }
  | { readonly found: readonly SecretFound[] }
  | { readonly problem: string };

export function deliveryText(delivered: Delivery): string {
  if ("branch" in delivered) return `pushed as ${delivered.branch}`;
  if ("problem" in delivered) return `not pushed: ${harmless(delivered.problem)}`;
  return `not pushed: ${delivered.found.map(({ file, kind }) => `${harmless(file)} holds ${kind}`).join("; ")}`;
}

/** Nothing where nobody was to push it. */
export function deliveryLines(delivered: Delivery | undefined): readonly Line[] {
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
