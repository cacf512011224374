import { pathText } from "../model/issue.ts";
import type { Issue } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import { exitWayId } from "./graph/ways.ts";

/** Where in the drawing a problem stands. */
export type ProblemPlace =
  | { readonly kind: "socket"; readonly id: string; readonly field: string | null; readonly way: string | null }
  | { readonly kind: "loop"; readonly id: string; readonly way: string | null }
  | { readonly kind: "loadout" };

/** [E12] The socket, edge, loop or exit that a problem of this loadout is about. */
export function placeOfIssue(issue: Issue, name: string, loadout: Loadout): ProblemPlace {
  const root = pathText(["loadouts", name]);
  if (!issue.path.startsWith(root)) return { kind: "loadout" };
  const [section = "", id = "", field = "", index = ""] = issue.path.slice(root.length).replace(/^\./, "").split(".");
  if (section === "sockets" && Object.hasOwn(loadout.sockets, id)) {
    const way = field === "edges" && index !== "" ? `edge:${id}:${Number(index) + 1}` : null;
    return { kind: "socket", id, field: field === "" ? null : field, way };
  }
  const loop = section === "loops" ? loopAt(issue.path.slice(root.length + ".loops.".length), loadout) : undefined;
  if (loop !== undefined) {
    const exit = /^\.exits\.(\d+)/.exec(issue.path.slice(root.length + ".loops.".length + loop.length))?.[1];
    const routeId = exit === undefined ? undefined : loadout.loops[loop]?.exits[Number(exit)]?.id;
    return { kind: "loop", id: loop, way: routeId === undefined ? null : exitWayId(loop, routeId) };
  }
  if (section === "entry" && Object.hasOwn(loadout.sockets, loadout.entry))
    return { kind: "socket", id: loadout.entry, field: null, way: null };
  return { kind: "loadout" };
}

/** A loop id may hold a dot; the longest one that fits is meant. */
function loopAt(rest: string, loadout: Loadout): string | undefined {
  return Object.keys(loadout.loops)
    .filter((id) => rest === id || rest.startsWith(`${id}.`))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** The place without the loadout's own path, as the list shows it: `Socket-5.edges.0`. */
export function shortPath(issue: Issue, name: string): string {
  const root = pathText(["loadouts", name]);
  if (!issue.path.startsWith(root)) return issue.path;
  return issue.path.slice(root.length).replace(/^\.(sockets\.|loops\.)?/, "");
}
