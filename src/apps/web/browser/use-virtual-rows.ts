import { useVirtualizer, useWindowVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState, type RefObject } from "react";

/** The drawn rows of a long list. */
export interface VirtualRows {
  readonly indices: readonly number[];
  /** The height of the rows that are not drawn, before and after, in pixels. */
  readonly spaceBefore: number;
  readonly spaceAfter: number;
  /** Rows measure themselves: text may be large, and words long. */
  readonly measureRow: (row: Element | null) => void;
}

export interface VirtualListOptions {
  readonly count: number;
  readonly heightOf: (index: number) => number;
  readonly keyOf: (index: number) => string | number;
  /** The scrolling element: the nearest one with `data-scrolls`, or the page. */
  readonly scrollContainer: "panel" | "page";
}

/** Draw some rows more, so that arrow keys reach the next row. */
const OVERSCAN_ROWS = 12;

export function useVirtualRows(body: RefObject<HTMLElement | null>, list: VirtualListOptions): VirtualRows {
  const { count, heightOf, keyOf, scrollContainer: scrolls } = list;
  const margin = useScrollMargin(body, scrolls);
  const options = { count, estimateSize: heightOf, getItemKey: keyOf, overscan: OVERSCAN_ROWS };
  const inPanel = useVirtualizer<HTMLElement, Element>({
    ...options,
    enabled: scrolls === "panel",
    getScrollElement: () => body.current?.closest<HTMLElement>("[data-scrolls]") ?? null,
  });
  const inPage = useWindowVirtualizer<Element>({ ...options, enabled: scrolls === "page", scrollMargin: margin });
  return scrolls === "panel" ? visibleRows(inPanel, 0) : visibleRows(inPage, margin);
}

function visibleRows<S extends Element | Window>(list: Virtualizer<S, Element>, margin: number): VirtualRows {
  const shown = list.getVirtualItems();
  const [first, last] = [shown[0], shown.at(-1)];
  return {
    indices: shown.map(({ index }) => index),
    spaceBefore: first ? first.start - margin : 0,
    spaceAfter: last ? list.getTotalSize() - (last.end - margin) : 0,
    measureRow: list.measureElement,
  };
}

/** The position of the list in the page. */
function useScrollMargin(body: RefObject<HTMLElement | null>, scrolls: VirtualListOptions["scrollContainer"]): number {
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
