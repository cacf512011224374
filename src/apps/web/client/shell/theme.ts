import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark";

const KEY = "materia-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function chosen(): Theme | null {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : null;
}

function themeNow(): Theme {
  return chosen() ?? (dark.matches ? "dark" : "light");
}

/** The system's theme until a person chooses; the choice is remembered. */
export function showTheme(): void {
  document.documentElement.dataset["theme"] = themeNow();
  for (const listener of listeners) listener();
}

export function switchTheme(): void {
  localStorage.setItem(KEY, themeNow() === "dark" ? "light" : "dark");
  showTheme();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, themeNow);
}

dark.addEventListener("change", showTheme);
