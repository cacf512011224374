import { useSyncExternalStore, useEffect, useState } from "react";
import { createStore, storeText, useStore } from "./store.ts";

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

export function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}

export type Theme = "light" | "dark";

const THEME_KEY = "materia-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const themeStore = createStore<Theme>(currentTheme());

function currentTheme(): Theme {
  const kept = localStorage.getItem(THEME_KEY);
  if (kept === "light" || kept === "dark") return kept;
  return prefersDark.matches ? "dark" : "light";
}

/** The theme of the system, or the stored choice of the person. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = currentTheme();
  themeStore.set(currentTheme());
}

export function toggleTheme(): void {
  storeText(THEME_KEY, currentTheme() === "dark" ? "light" : "dark");
  applyTheme();
}

export function useTheme(): Theme {
  return useStore(themeStore);
}

prefersDark.addEventListener("change", applyTheme);

/** The time in milliseconds, updated regularly while `runs`. */
export function useNow(runs: boolean, everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!runs) return undefined;
    setNow((before) => (Date.now() - before < everyMs ? before : Date.now()));
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [runs, everyMs]);
  return now;
}
