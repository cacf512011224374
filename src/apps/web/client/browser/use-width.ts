import { useSyncExternalStore } from "react";

/** The widths at which the page is arranged anew. */
export type ScreenWidth = "small" | "medium" | "large";

const smallScreen = matchMedia("(max-width: 639.98px)");
const mediumScreen = matchMedia("(max-width: 1099.98px)");

export function useScreenWidth(): ScreenWidth {
  return useSyncExternalStore(
    (listener) => {
      smallScreen.addEventListener("change", listener);
      mediumScreen.addEventListener("change", listener);
      return () => {
        smallScreen.removeEventListener("change", listener);
        mediumScreen.removeEventListener("change", listener);
      };
    },
    () => (smallScreen.matches ? "small" : mediumScreen.matches ? "medium" : "large"),
  );
}

/** How much larger than usual a person reads. */
export function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}
