import { useRef, type KeyboardEvent, type RefObject } from "react";
import type { CastSummary } from "../../../../../core/view/casts.ts";
import { useKeys } from "../../browser/keys.ts";
import type { CastAction } from "./page.tsx";
import { nextActionOf } from "./table.tsx";

const ACTION_KEYS: Readonly<Record<string, readonly CastAction[]>> = { c: ["continue"], r: ["resume", "raise"], x: ["abort"] };

/** Arrows from request to request; letters do what the button at the end of the row does. */
export function useCastListKeys(
  casts: readonly CastSummary[],
  act: (cast: CastSummary, action: CastAction) => void,
): { readonly list: RefObject<HTMLDivElement | null>; readonly onKeyDown: (event: KeyboardEvent) => void } {
  const list = useRef<HTMLDivElement>(null);
  // From anywhere on the page where nothing else takes them.
  const enter = (from: "first" | "last"): boolean => {
    if (document.activeElement?.closest("main *")) return false;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("a[data-cast]") ?? [])];
    links.at(from === "first" ? 0 : -1)?.focus();
    return links.length > 0;
  };
  useKeys({ down: () => enter("first"), up: () => enter("last") });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>("a[data-cast]") ?? [])];
    const row = event.target instanceof Element ? event.target.closest("tr, li")?.querySelector("a[data-cast]") : null;
    const at = links.findIndex((link) => link === row);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
      return;
    }
    const cast = casts.find(({ castId }) => castId === links[at]?.dataset["cast"]);
    const wanted = ACTION_KEYS[event.key.toLowerCase()];
    const action = cast ? nextActionOf(cast)[0] : null;
    if (!cast || action === null || !wanted?.includes(action)) return;
    event.preventDefault();
    act(cast, action);
  };
  return { list, onKeyDown };
}
