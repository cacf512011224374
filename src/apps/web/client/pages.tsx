import { lazy } from "react";
import type { ComponentType } from "react";

/** What a page is given: the name in the address (`#/loadouts/<name>`), or null. */
export interface PageProps {
  readonly name: string | null;
  readonly search: URLSearchParams;
}

/** Each page is loaded when it is first opened. */
export const PAGES: Readonly<Record<string, ComponentType<PageProps>>> = {
  casts: lazy(() => import("./casts/page.tsx")),
  cast: lazy(() => import("./cast/page.tsx")),
  loadouts: lazy(() => import("./editor/page.tsx")),
  materia: lazy(() => import("./materia/page.tsx")),
  link: lazy(() => import("./link/page.tsx")),
};
