import type { GraphPart } from "../../../graph/marks.ts";
import type { LoadoutProblem } from "./use-checked.ts";

/** What of the graph a problem is about. */
export function graphPartOf({ place }: LoadoutProblem): GraphPart | null {
  if (place.kind === "loadout") return null;
  if (place.way !== null) return { kind: "edge", id: place.way };
  return { kind: place.kind, id: place.id };
}
