import type { RefObject } from "react";
import type { CastSummary } from "../../../../../core/view/casts.ts";
import type { CastGroup } from "../../../../../core/view/watch/groups.ts";
import { useInSight, type InSight, type LongList } from "../../browser/use-in-sight.ts";

/** A row of the list: the title of a group, or a cast. */
type ListRow =
  | { readonly kind: "title"; readonly key: string; readonly title: string; readonly count: number }
  | { readonly kind: "cast"; readonly key: string; readonly cast: CastSummary };

export function listRows(groups: readonly CastGroup[]): readonly ListRow[] {
  return groups.flatMap(({ title, casts }): readonly ListRow[] => [
    { kind: "title", key: `title ${title}`, title, count: casts.length },
    ...casts.map((cast): ListRow => ({ kind: "cast", key: cast.castId, cast })),
  ]);
}

export interface RowsInSight extends Omit<InSight, "indices"> {
  readonly rows: readonly { readonly row: ListRow; readonly index: number }[];
}

const TITLE_HEIGHT = 31;

/** Which rows are drawn: those in sight of whatever scrolls, the panel or the page. */
export function useRows(
  body: RefObject<HTMLElement | null>,
  all: readonly ListRow[],
  { scrolls, height }: { readonly scrolls: LongList["scrolls"]; readonly height: number },
): RowsInSight {
  const { indices, ...sight } = useInSight(body, {
    count: all.length,
    heightOf: (index) => (all[index]?.kind === "title" ? TITLE_HEIGHT : height),
    keyOf: (index) => all[index]?.key ?? index,
    scrolls,
  });
  const rows = indices.flatMap((index) => {
    const row = all[index];
    return row ? [{ row, index }] : [];
  });
  return { ...sight, rows };
}
