import { useCallback, useLayoutEffect, useMemo, useRef, useState, type RefObject, useEffect } from "react";

export interface VirtualListOptions {
  readonly count: number;
  readonly heightOf: (index: number) => number;
  readonly keyOf: (index: number) => string | number;
  /** The scrolling element: the nearest one with `data-scrolls`, or the page. */
  readonly scrollContainer: "panel" | "page";
}

/** Draw some rows more, so that arrow keys reach the next row. */
const OVERSCAN_ROWS = 12;
/** Before the list has a place on the screen. */
const FIRST_ROWS = { first: 0, last: 40 };

/** The drawn rows of a long list, and the height of those before and after, in pixels. */
export function useVirtualRows(body: RefObject<HTMLElement | null>, list: VirtualListOptions) {
  const { count, heightOf, keyOf, scrollContainer: scrolls } = list;
  const measured = useRef(new Map<string | number, number>());
  const [measures, setMeasures] = useState(0);
  const offsets = useMemo(() => {
    const ends = new Float64Array(count + 1);
    for (let index = 0; index < count; index += 1)
      ends[index + 1] = (ends[index] ?? 0) + (measured.current.get(keyOf(index)) ?? heightOf(index));
    return ends;
  }, [count, measures, keyOf, heightOf]);
  const [shown, setShown] = useState(FIRST_ROWS);
  const latest = useRef(offsets);
  latest.current = offsets;
  const update = useCallback((): void => {
    const next = rowsInView(body.current, latest.current, scrolls);
    setShown((before) => (before.first === next.first && before.last === next.last ? before : next));
  }, [body, scrolls]);
  useLayoutEffect(update, [update, offsets]);
  useLayoutEffect(() => {
    const frame = scrolls === "page" ? window : scrollPanelOf(body.current);
    const rows = body.current;
    // Keys may come faster than frames: draw the rows around the focused one before a key moves on.
    rows?.addEventListener("keydown", update);
    frame?.addEventListener("scroll", update, { passive: true });
    window.addEventListener("resize", update);
    return () => {
      rows?.removeEventListener("keydown", update);
      frame?.removeEventListener("scroll", update);
      window.removeEventListener("resize", update);
    };
  }, [body, scrolls, update]);
  // Text may be large, and words long: the drawn rows, which have `data-index`, say how high they are.
  useLayoutEffect(() => {
    let isChanged = false;
    for (const row of body.current?.querySelectorAll<HTMLElement>(":scope > [data-index]") ?? []) {
      const [key, height] = [keyOf(Number(row.dataset["index"])), row.getBoundingClientRect().height];
      if (Math.abs((measured.current.get(key) ?? heightOf(Number(row.dataset["index"]))) - height) < 0.5) continue;
      measured.current.set(key, height);
      isChanged = true;
    }
    if (isChanged) setMeasures((times) => times + 1);
  });
  const [first, last] = [Math.min(shown.first, count), Math.min(shown.last, count)];
  return {
    indices: Array.from({ length: last - first }, (_, at) => first + at),
    spaceBefore: offsets[first] ?? 0,
    spaceAfter: (offsets[count] ?? 0) - (offsets[last] ?? 0),
  };
}

function scrollPanelOf(body: HTMLElement | null): HTMLElement | null {
  return body?.closest<HTMLElement>("[data-scrolls]") ?? null;
}

function rowsInView(body: HTMLElement | null, offsets: Float64Array, scrolls: "panel" | "page"): typeof FIRST_ROWS {
  const panel = scrolls === "page" ? null : scrollPanelOf(body);
  if (!body) return FIRST_ROWS;
  const frame = panel?.getBoundingClientRect() ?? { top: 0, bottom: window.innerHeight };
  const { top } = body.getBoundingClientRect();
  const first = rowAt(offsets, frame.top - top) - OVERSCAN_ROWS;
  const last = rowAt(offsets, frame.bottom - top) + 1 + OVERSCAN_ROWS;
  return { first: Math.max(0, first), last: Math.max(first, last) };
}

function rowAt(offsets: Float64Array, height: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where a person left a list: how far it was scrolled, and the link that had the focus. */
const left = new Map<string, { readonly top: number; readonly focus: string | null }>();

/** Back returns to the place in the list and to the link that was opened. */
export function useKeptScroll(list: RefObject<HTMLElement | null>, isReady: boolean): void {
  useEffect(() => {
    if (!isReady) return undefined;
    const key = location.hash;
    const { top, focus } = left.get(key) ?? { top: 0, focus: null };
    const box = list.current;
    const scrolls = box && box.scrollHeight > box.clientHeight;
    const frame = scrolls ? box : (document.scrollingElement ?? document.documentElement);
    if (top > 0) frame.scrollTop = top;
    // The rows of that place are drawn in the next frame.
    const timer = requestAnimationFrame(() => {
      if (focus !== null) list.current?.querySelector<HTMLElement>(`[data-cast="${CSS.escape(focus)}"]`)?.focus();
    });
    const keep = (): void => {
      const link = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["cast"] : undefined;
      left.set(key, { top: frame.scrollTop, focus: link ?? null });
    };
    // A click on a link comes before its page.
    const element = list.current;
    element?.addEventListener("click", keep, true);
    return () => {
      cancelAnimationFrame(timer);
      element?.removeEventListener("click", keep, true);
    };
  }, [isReady, list]);
}
