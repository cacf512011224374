import { createStore, useStore } from "../browser/store.ts";

export type Theme = "light" | "dark";

const THEME_KEY = "materia-theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const themeStore = createStore<Theme>(currentTheme());

function chosenTheme(): Theme | null {
  const kept = localStorage.getItem(THEME_KEY);
  return kept === "light" || kept === "dark" ? kept : null;
}

function currentTheme(): Theme {
  return chosenTheme() ?? (prefersDark.matches ? "dark" : "light");
}

/** The system's theme until a person chooses; the choice is remembered. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = currentTheme();
  themeStore.set(currentTheme());
}

export function toggleTheme(): void {
  localStorage.setItem(THEME_KEY, currentTheme() === "dark" ? "light" : "dark");
  applyTheme();
}

export function useTheme(): Theme {
  return useStore(themeStore);
}

prefersDark.addEventListener("change", applyTheme);
