import { useVirtualizer, useWindowVirtualizer } from "@tanstack/react-virtual";
import type { Virtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import type { CastSummary } from "../../../../../core/view/casts.ts";
import type { CastGroup } from "../../../../../core/view/watch/groups.ts";

/** A row of the list: the title of a group, or a cast. */
export type Row =
  | { readonly kind: "title"; readonly key: string; readonly title: string; readonly count: number }
  | { readonly kind: "cast"; readonly key: string; readonly cast: CastSummary };

export function rowsOf(groups: readonly CastGroup[]): readonly Row[] {
  return groups.flatMap(({ title, casts }): readonly Row[] => [
    { kind: "title", key: `title ${title}`, title, count: casts.length },
    ...casts.map((cast): Row => ({ kind: "cast", key: cast.castId, cast })),
  ]);
}

export interface RowsInSight {
  readonly rows: readonly { readonly row: Row; readonly index: number }[];
  /** The room of what is not drawn, before and behind, in pixels. */
  readonly before: number;
  readonly behind: number;
  /** Rows say their height themselves: text may be large, and requests long. */
  readonly measure: (row: Element | null) => void;
}

const TITLE_HEIGHT = 31;
const CAST_HEIGHT = 39;
/** Arrow keys go on where the next row is drawn already. */
const BEYOND_SIGHT = 12;

/** Which rows are drawn: those in sight of whatever scrolls, the panel or the page. */
export function useRows(
  body: RefObject<HTMLElement | null>,
  all: readonly Row[],
  scrolls: "panel" | "page",
): RowsInSight {
  const margin = useMargin(body, scrolls);
  const options = {
    count: all.length,
    estimateSize: (index: number) => (all[index]?.kind === "title" ? TITLE_HEIGHT : CAST_HEIGHT),
    getItemKey: (index: number) => all[index]?.key ?? index,
    overscan: BEYOND_SIGHT,
  };
  const inPanel = useVirtualizer<HTMLElement, Element>({
    ...options,
    enabled: scrolls === "panel",
    getScrollElement: () => panelOf(body.current),
  });
  const inPage = useWindowVirtualizer<Element>({ ...options, enabled: scrolls === "page", scrollMargin: margin });
  return scrolls === "panel" ? inSight(inPanel, all, 0) : inSight(inPage, all, margin);
}

function inSight<S extends Element | Window>(
  list: Virtualizer<S, Element>,
  all: readonly Row[],
  margin: number,
): RowsInSight {
  const shown = list.getVirtualItems();
  const [first, last] = [shown[0], shown.at(-1)];
  return {
    rows: shown.flatMap(({ index }) => {
      const row = all[index];
      return row ? [{ row, index }] : [];
    }),
    before: first ? first.start - margin : 0,
    behind: last ? list.getTotalSize() - (last.end - margin) : 0,
    measure: list.measureElement,
  };
}

function panelOf(body: HTMLElement | null): HTMLElement | null {
  return body?.closest<HTMLElement>("[data-scrolls]") ?? null;
}

/** Where the list begins in the page. */
function useMargin(body: RefObject<HTMLElement | null>, scrolls: "panel" | "page"): number {
  const [margin, setMargin] = useState(0);
  const known = useRef(0);
  useLayoutEffect(() => {
    if (scrolls !== "page" || !body.current) return;
    const now = Math.round(body.current.getBoundingClientRect().top + window.scrollY);
    if (now === known.current) return;
    known.current = now;
    setMargin(now);
  });
  return margin;
}
