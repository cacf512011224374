import { nearestName } from "../model/text.ts";
import type { IssueCode } from "../model/issue-codes.ts";
import { type Issue, pathText, type KeyPath } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import { type LoadoutEdit, findSocket, setAdvance, setEntry, setMateria, setParse } from "./loadout-edit.ts";
import { connectSockets, moveEdge, removeEdge, setEdge, removeWay, findAuthoredWay } from "./edges-and-exits.ts";
import { setLoopGenerator, setLoopMember } from "./loops.ts";
import { edgeWayId, exitWayId } from "../model/ids.ts";

export interface QuickFix {
  readonly label: string;
  readonly edit: LoadoutEdit;
}

export interface KnownMateria {
  readonly materia: readonly string[];
  readonly isGenerator: (materia: string) => boolean;
}

/** [E12] The quick fix of an issue, if there is an obvious one. */
export function quickFixFor(
  issue: Issue,
  place: IssuePlace,
  loadout: Loadout,
  known: KnownMateria,
): QuickFix | undefined {
  if (place.kind === "socket") return socketFix(issue, place, loadout, known);
  if (place.kind === "loop") return loopFix(issue, place, loadout, known);
  if (issue.code !== "unknown_socket") return undefined;
  const [first] = Object.keys(loadout.sockets);
  return first === undefined ? undefined : { label: `Begin at ${first}`, edit: (each) => setEntry(each, first) };
}

type SocketPlace = Extract<IssuePlace, { kind: "socket" }>;

function socketFix(
  issue: Issue,
  { id, way }: SocketPlace,
  loadout: Loadout,
  known: KnownMateria,
): QuickFix | undefined {
  switch (issue.code) {
    case "guard_needs_json":
    case "generator_needs_json":
    case "assign_needs_json":
      return { label: "Set parse to json", edit: (each) => setParse(each, id, "json") };
    case "advance_outside_loop":
      return { label: "Remove advance", edit: (each) => setAdvance(each, id, null) };
    case "refused_item_advances":
      return { label: "Advance only when satisfied", edit: (each) => setAdvance(each, id, "satisfied") };
    case "unbounded_cycle":
      return limitFix(loadout);
    case "unhandled_outcome":
      return {
        label: "Send the rest to end",
        edit: (each) => connectSockets(each, { from: id, to: "end", when: "always" }),
      };
    case "unknown_materia": {
      const near = nearestName(findSocket(loadout, id)?.materia ?? "", known.materia);
      return near === undefined ? undefined : { label: `Use ${near}`, edit: (each) => setMateria(each, id, near) };
    }
    default:
      return way === null ? undefined : edgeFix(issue, way, loadout);
  }
}

const DEFAULT_LIMIT = 3;

/** The only way back without a limit, if there is exactly one. */
function limitFix(loadout: Loadout): QuickFix | undefined {
  const [only, ...others] = Object.entries(loadout.sockets).flatMap(([from, { edges }]) =>
    edges.flatMap(({ when, maxTraversals }, index) =>
      when === "not_satisfied" && maxTraversals === undefined ? [{ from, index }] : [],
    ),
  );
  if (!only || others.length > 0) return undefined;
  return allowSomeTimes(only);
}

function allowSomeTimes({ from, index }: { readonly from: string; readonly index: number }): QuickFix {
  return {
    label: `Allow ${DEFAULT_LIMIT} times`,
    edit: (each) => setEdge(each, from, index, { maxTraversals: DEFAULT_LIMIT }),
  };
}

function edgeFix(issue: Issue, id: string, loadout: Loadout): QuickFix | undefined {
  const way = findAuthoredWay(loadout, id);
  if (way?.kind !== "edge") return undefined;
  const { from, index, edge } = way;
  switch (issue.code) {
    case "edge_after_always": {
      const always = findSocket(loadout, from)?.edges.findIndex((each) => each.when === "always") ?? -1;
      if (edge.when === "always") return { label: "Remove the edge", edit: (each) => removeEdge(each, from, index) };
      return { label: "Move it before always", edit: (each) => moveEdgeUp(each, from, { index, to: always }) };
    }
    case "then_without_limit":
      return allowSomeTimes(way);
    case "next_outside_loop":
      return { label: "Then end", edit: (each) => setEdge(each, from, index, { then: "end" }) };
    case "unknown_socket": {
      if (issue.path.at(-1) === "then")
        return { label: "Take back what follows", edit: (each) => setEdge(each, from, index, { then: null }) };
      const near = nearestName(edge.to, Object.keys(loadout.sockets));
      if (near === undefined) return { label: "Remove the edge", edit: (each) => removeEdge(each, from, index) };
      const to = Object.keys(loadout.sockets).find((each) => each === near) ?? "end";
      return { label: `Lead to ${near}`, edit: (each) => setEdge(each, from, index, { to: to as typeof edge.to }) }; // a key of sockets
    }
    default:
      return undefined;
  }
}

function moveEdgeUp(
  loadout: Loadout,
  from: string,
  { index, to }: { index: number; to: number },
): ReturnType<LoadoutEdit> {
  const moved = moveEdge(loadout, from, index, -1);
  if (!moved.ok || index - 1 <= to) return moved;
  return moveEdgeUp(moved.value, from, { index: index - 1, to });
}

type LoopPlace = Extract<IssuePlace, { kind: "loop" }>;

function loopFix(issue: Issue, { id, way }: LoopPlace, loadout: Loadout, known: KnownMateria): QuickFix | undefined {
  const loop = loadout.loops[id];
  switch (issue.code) {
    case "endless_loop": {
      const last = loop?.sockets.at(-1);
      return last === undefined
        ? undefined
        : { label: `Let ${last} advance`, edit: (each) => setAdvance(each, last, "always") };
    }
    case "not_a_generator":
    case "generator_inside_loop": {
      const generators = Object.keys(loadout.sockets).filter(
        (each) =>
          known.isGenerator(findSocket(loadout, each)?.materia ?? "") &&
          !loop?.sockets.some((member) => member === each),
      );
      const [only, ...others] = generators;
      if (only === undefined || others.length > 0) return undefined;
      return { label: `Consume ${only}`, edit: (each) => setLoopGenerator(each, id, only) };
    }
    case "overlapping_loops": {
      const member = loop?.sockets[Number(issue.path.at(-1))];
      return member === undefined
        ? undefined
        : { label: `Take ${member} out`, edit: (each) => setLoopMember(each, id, member, false) };
    }
    case "exit_never_taken":
    case "exit_needs_json":
    case "repeated_exit":
    case "repeated_exit_id":
    case "exit_not_from_member":
    case "exit_into_loop":
      return way === null ? undefined : exitFix(issue.code, way, loadout);
    default:
      return undefined;
  }
}

function exitFix(code: IssueCode, way: string, loadout: Loadout): QuickFix | undefined {
  const found = findAuthoredWay(loadout, way);
  if (found?.kind !== "exit") return undefined;
  const { from } = found.exit;
  if (code === "exit_needs_json") return { label: "Set parse to json", edit: (each) => setParse(each, from, "json") };
  if (code === "exit_never_taken")
    return { label: `Let ${from} advance`, edit: (each) => setAdvance(each, from, "always") };
  return { label: "Remove the exit", edit: (each) => removeWay(each, way) };
}

export type IssuePlace =
  | { readonly kind: "socket"; readonly id: string; readonly field: string | null; readonly way: string | null }
  | { readonly kind: "loop"; readonly id: string; readonly way: string | null }
  | { readonly kind: "loadout" };

/** [E12] The socket, edge, loop or exit of an issue. */
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

/** The place inside the loadout, as the list shows it: `Socket-5.edges.0`. */
export function shortIssuePath(issue: Issue, name: string): string {
  const below = pathInLoadout(issue, name);
  if (below === undefined) return pathText(issue.path);
  return pathText(below[0] === "sockets" || below[0] === "loops" ? below.slice(1) : below);
}

/** The keys of a place, from the loadout on. */
function pathInLoadout({ path }: Issue, name: string): KeyPath | undefined {
  return path[0] === "loadouts" && path[1] === name ? path.slice(2) : undefined;
}
