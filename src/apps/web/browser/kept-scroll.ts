import { useEffect, type RefObject } from "react";

/** Where a person left a list: how far it was scrolled, and the link that had the focus. */
const left = new Map<string, { readonly top: number; readonly focus: string | null }>();

/** Back returns to the place in the list and to the link that was opened. */
export function useKeptScroll(list: RefObject<HTMLElement | null>, isReady: boolean): void {
  useEffect(() => {
    if (!isReady) return undefined;
    const key = location.hash;
    const { top, focus } = left.get(key) ?? { top: 0, focus: null };
    const frame = scrolledElement(list.current);
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

function scrolledElement(list: HTMLElement | null): Element {
  return list && list.scrollHeight > list.clientHeight ? list : (document.scrollingElement ?? document.documentElement);
}
