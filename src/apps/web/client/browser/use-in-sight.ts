import { useVirtualizer, useWindowVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState, type RefObject } from "react";

/** Which rows of a long list are drawn. */
export interface InSight {
  readonly indices: readonly number[];
  /** The room of what is not drawn, before and behind, in pixels. */
  readonly before: number;
  readonly behind: number;
  /** Rows say their height themselves: text may be large, and words long. */
  readonly measure: (row: Element | null) => void;
}

export interface LongList {
  readonly count: number;
  readonly heightOf: (index: number) => number;
  readonly keyOf: (index: number) => string | number;
  /** What moves: the panel around it that has `data-scrolls`, or the page. */
  readonly scrolls: "panel" | "page";
}

/** Arrow keys go on where the next row is drawn already. */
const BEYOND_SIGHT = 12;

export function useInSight(body: RefObject<HTMLElement | null>, list: LongList): InSight {
  const { count, heightOf, keyOf, scrolls } = list;
  const margin = useMargin(body, scrolls);
  const options = { count, estimateSize: heightOf, getItemKey: keyOf, overscan: BEYOND_SIGHT };
  const inPanel = useVirtualizer<HTMLElement, Element>({
    ...options,
    enabled: scrolls === "panel",
    getScrollElement: () => body.current?.closest<HTMLElement>("[data-scrolls]") ?? null,
  });
  const inPage = useWindowVirtualizer<Element>({ ...options, enabled: scrolls === "page", scrollMargin: margin });
  return scrolls === "panel" ? seen(inPanel, 0) : seen(inPage, margin);
}

function seen<S extends Element | Window>(list: Virtualizer<S, Element>, margin: number): InSight {
  const shown = list.getVirtualItems();
  const [first, last] = [shown[0], shown.at(-1)];
  return {
    indices: shown.map(({ index }) => index),
    before: first ? first.start - margin : 0,
    behind: last ? list.getTotalSize() - (last.end - margin) : 0,
    measure: list.measureElement,
  };
}

/** Where the list begins in the page. */
function useMargin(body: RefObject<HTMLElement | null>, scrolls: LongList["scrolls"]): number {
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
