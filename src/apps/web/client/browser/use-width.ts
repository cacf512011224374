import { useSyncExternalStore } from "react";

/** The widths at which the page is arranged anew. */
export type Width = "small" | "medium" | "large";

const small = matchMedia("(max-width: 639.98px)");
const medium = matchMedia("(max-width: 1099.98px)");

export function useWidth(): Width {
  return useSyncExternalStore(
    (listener) => {
      small.addEventListener("change", listener);
      medium.addEventListener("change", listener);
      return () => {
        small.removeEventListener("change", listener);
        medium.removeEventListener("change", listener);
      };
    },
    () => (small.matches ? "small" : medium.matches ? "medium" : "large"),
  );
}

/** How much larger than usual a person reads. */
export function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}
