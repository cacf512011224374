import type { RefObject } from "react";
import type { CastSummary } from "../../../../../core/view/casts.ts";
import type { CastGroup } from "../../../../../core/view/watch/groups.ts";
import { useVirtualRows, type VirtualRows, type VirtualListOptions } from "../../browser/use-in-sight.ts";

/** A row of the list: the title of a group, or a cast. */
type CastListRow =
  | { readonly kind: "title"; readonly key: string; readonly title: string; readonly count: number }
  | { readonly kind: "cast"; readonly key: string; readonly cast: CastSummary };

export function castListRows(groups: readonly CastGroup[]): readonly CastListRow[] {
  return groups.flatMap(({ title, casts }): readonly CastListRow[] => [
    { kind: "title", key: `title ${title}`, title, count: casts.length },
    ...casts.map((cast): CastListRow => ({ kind: "cast", key: cast.castId, cast })),
  ]);
}

export interface VisibleRows extends Omit<VirtualRows, "indices"> {
  readonly rows: readonly { readonly row: CastListRow; readonly index: number }[];
}

const TITLE_HEIGHT_PX = 31;

/** Which rows are drawn: those in sight of whatever scrolls, the panel or the page. */
export function useVisibleRows(
  body: RefObject<HTMLElement | null>,
  all: readonly CastListRow[],
  { scrolls, height }: { readonly scrolls: VirtualListOptions["scrollContainer"]; readonly height: number },
): VisibleRows {
  const { indices, ...sight } = useVirtualRows(body, {
    count: all.length,
    heightOf: (index) => (all[index]?.kind === "title" ? TITLE_HEIGHT_PX : height),
    keyOf: (index) => all[index]?.key ?? index,
    scrollContainer: scrolls,
  });
  const rows = indices.flatMap((index) => {
    const row = all[index];
    return row ? [{ row, index }] : [];
  });
  return { ...sight, rows };
}
