import type { CastFileSpans, CheckpointSpan } from "../../../../../../core/view/file-spans.ts";
import type { VisitRecord } from "../../../../../../core/view/watch/visit.ts";

/** Whose files are looked at. */
export type FilesScope = "visit" | "item" | "cast";

/** Its name on the command line and in addresses; null for the whole cast. */
export function scopeAddress(scope: FilesScope, { socket, visit, item }: VisitRecord): string | null {
  if (scope === "visit") return `${socket}#${visit}`;
  return scope === "item" && item ? `${item.loop}/${item.key}` : null;
}

export function fileSpanOf(spans: CastFileSpans & { readonly kind: "kept" }, scope: FilesScope, visit: VisitRecord): CheckpointSpan {
  const { whole, visits, items } = spans;
  // One whose beginning is not known yet has changed nothing yet.
  const nothing = { from: whole.to, to: whole.to };
  if (scope === "visit")
    return visits.find((each) => each.socket === visit.socket && each.visit === visit.visit) ?? nothing;
  if (scope === "item")
    return items.find(({ loop, key }) => loop === visit.item?.loop && key === visit.item.key) ?? nothing;
  return whole;
}
