import { lazy, type ComponentType } from "react";
import type { PageProps } from "../browser/route.ts";

/** The next thing that is opened from the list is a cast: its page is there before it is asked for. */
export function loadCastPage(): Promise<{ readonly default: ComponentType<PageProps> }> {
  return import("../features/cast/page.tsx");
}

/** Each page is loaded when it is first opened. */
export const PAGES: Readonly<Record<string, ComponentType<PageProps>>> = {
  casts: lazy(() => import("../features/casts/page.tsx")),
  cast: lazy(loadCastPage),
  loadouts: lazy(() => import("../features/loadouts/page.tsx")),
  materia: lazy(() => import("../features/materia/page.tsx")),
  link: lazy(() => import("../features/link/page.tsx")),
  compare: lazy(() => import("../features/compare/page.tsx")),
  find: lazy(() => import("../features/find/page.tsx")),
  fleet: lazy(() => import("../features/fleet/page.tsx")),
  settings: lazy(() => import("../features/settings/page.tsx")),
  help: lazy(() => import("../features/help/page.tsx")),
  tests: lazy(() => import("../features/tests/page.tsx")),
};
