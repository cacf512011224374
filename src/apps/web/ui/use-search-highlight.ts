import { useEffect, useState, type RefObject } from "react";
import { readSearchParam } from "../browser/route.ts";

/** Marks the searched words and scrolls to them once; the person scrolls from then on. */
export function useSearchHighlight(place: RefObject<HTMLElement | null>, tab: string): void {
  const [sought] = useState(() => ({ words: readSearchParam("found")?.toLowerCase() ?? "", tab }));
  useEffect(() => {
    const element = place.current;
    if (!element || sought.words === "" || tab !== sought.tab) return undefined;
    const look = (): boolean => {
      const range = findTextRange(element, sought.words);
      if (!range) return false;
      observer.disconnect();
      // Mark without a change of the DOM; older browsers only scroll.
      if ("highlights" in CSS) CSS.highlights.set("found", new Highlight(range));
      scrollToRange(range);
      return true;
    };
    // A prompt or an output may still be loading.
    const observer = new MutationObserver(look);
    if (!look()) observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      if ("highlights" in CSS) CSS.highlights.delete("found");
    };
  }, [place, sought, tab]);
}

/** Scrolls to the middle of the container. A long text element counts as visible when a part of it is. */
function scrollToRange(range: Range): void {
  for (let frame = range.startContainer.parentElement; frame; frame = frame.parentElement) {
    const isPage = frame === document.scrollingElement;
    if (frame.scrollHeight <= frame.clientHeight || (!isPage && getComputedStyle(frame).overflowY === "visible"))
      continue;
    const top = isPage ? 0 : frame.getBoundingClientRect().top;
    frame.scrollTop += range.getBoundingClientRect().top - top - frame.clientHeight / 2;
  }
}

/** The first occurrence of these words, even across text nodes. */
function findTextRange(element: HTMLElement, words: string): Range | null {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const pieces: { readonly node: Node; readonly from: number }[] = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    pieces.push({ node, from: text.length });
    text += node.nodeValue ?? "";
  }
  const at = text.toLowerCase().indexOf(words);
  if (at === -1) return null;
  const range = document.createRange();
  const place = (offset: number): readonly [Node, number] | null => {
    const piece = pieces.findLast(({ from }) => from <= offset);
    return piece ? [piece.node, offset - piece.from] : null;
  };
  const [start, end] = [place(at), place(at + words.length - 1)];
  if (!start || !end) return null;
  range.setStart(...start);
  range.setEnd(end[0], end[1] + 1);
  return range;
}
