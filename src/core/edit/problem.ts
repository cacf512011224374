import { pathText, type Issue, type KeyPath } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import { edgeWayId, exitWayId } from "../model/way-id.ts";

/** Where in the drawing a problem stands. */
export type IssuePlace =
  | { readonly kind: "socket"; readonly id: string; readonly field: string | null; readonly way: string | null }
  | { readonly kind: "loop"; readonly id: string; readonly way: string | null }
  | { readonly kind: "loadout" };

/** [E12] The socket, edge, loop or exit that a problem of this loadout is about. */
export function placeOfIssue(issue: Issue, name: string, loadout: Loadout): IssuePlace {
  const [section, id, field, index] = pathInLoadout(issue, name) ?? [];
  if (section === "sockets" && typeof id === "string" && Object.hasOwn(loadout.sockets, id)) {
    const way = field === "edges" && typeof index === "number" ? edgeWayId(id, index) : null;
    return { kind: "socket", id, field: field === undefined ? null : String(field), way };
  }
  if (section === "loops" && typeof id === "string" && Object.hasOwn(loadout.loops, id)) {
    const exit = field === "exits" && typeof index === "number" ? loadout.loops[id]?.exits[index]?.id : undefined;
    return { kind: "loop", id, way: exit === undefined ? null : exitWayId(id, exit) };
  }
  if (section === "entry" && Object.hasOwn(loadout.sockets, loadout.entry))
    return { kind: "socket", id: loadout.entry, field: null, way: null };
  return { kind: "loadout" };
}

/** The place without the loadout's own path, as the list shows it: `Socket-5.edges.0`. */
export function shortIssuePath(issue: Issue, name: string): string {
  const below = pathInLoadout(issue, name);
  if (below === undefined) return pathText(issue.path);
  return pathText(below[0] === "sockets" || below[0] === "loops" ? below.slice(1) : below);
}

/** The keys of a place in this loadout, from the loadout on. */
function pathInLoadout({ path }: Issue, name: string): KeyPath | undefined {
  return path[0] === "loadouts" && path[1] === name ? path.slice(2) : undefined;
}
