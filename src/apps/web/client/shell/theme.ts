import { openStore, useStore } from "../browser/store.ts";

export type Theme = "light" | "dark";

const KEY = "materia-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = openStore<Theme>(themeNow());

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
  theme.set(themeNow());
}

export function switchTheme(): void {
  localStorage.setItem(KEY, themeNow() === "dark" ? "light" : "dark");
  showTheme();
}

export function useTheme(): Theme {
  return useStore(theme);
}

dark.addEventListener("change", showTheme);
