import { nearestName } from "../model/text.ts";
import type { IssueCode } from "../model/issue-codes.ts";
import { type Issue, pathText, type KeyPath } from "../model/issue.ts";
import type { Loadout } from "../model/loadout.ts";
import { type LoadoutEdit, findSocket, setAdvance, setEntry, setMateria, setParse } from "./loadout-edit.ts";
import { connectSockets, moveEdge, removeEdge, setEdge, removeWay, findAuthoredWay } from "./edges-and-exits.ts";
import { setLoopGenerator, setLoopMember } from "./loops.ts";
import { edgeWayId, exitWayId, type SocketId } from "../model/ids.ts";

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
  return first === undefined ? undefined : fix(`Begin at ${first}`, (each) => setEntry(each, first));
}

function fix(label: string, edit: LoadoutEdit): QuickFix {
  return { label, edit };
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
      return fix("Set parse to json", (each) => setParse(each, id, "json"));
    case "advance_outside_loop":
      return fix("Remove advance", (each) => setAdvance(each, id, null));
    case "refused_item_advances":
      return fix("Advance only when satisfied", (each) => setAdvance(each, id, "satisfied"));
    case "unbounded_cycle":
      return limitFix(loadout);
    case "unhandled_outcome":
      return fix("Send the rest to end", (each) => connectSockets(each, { from: id, to: "end", when: "always" }));
    case "unknown_materia": {
      const near = nearestName(findSocket(loadout, id)?.materia ?? "", known.materia);
      return near === undefined ? undefined : fix(`Use ${near}`, (each) => setMateria(each, id, near));
    }
    default:
      return way === null ? undefined : edgeFix(issue, way, loadout);
  }
}

/** For the only way back without a limit, if there is exactly one. */
function limitFix(loadout: Loadout): QuickFix | undefined {
  const [only, ...others] = Object.entries(loadout.sockets).flatMap(([from, { edges }]) =>
    edges.flatMap(({ when, maxTraversals }, index) =>
      when === "not_satisfied" && maxTraversals === undefined ? [allowSomeTimes(from, index)] : [],
    ),
  );
  return others.length > 0 ? undefined : only;
}

const DEFAULT_LIMIT = 3;

function allowSomeTimes(from: string, index: number): QuickFix {
  return fix(`Allow ${DEFAULT_LIMIT} times`, (each) => setEdge(each, from, index, { maxTraversals: DEFAULT_LIMIT }));
}

function edgeFix(issue: Issue, id: string, loadout: Loadout): QuickFix | undefined {
  const way = findAuthoredWay(loadout, id);
  if (way?.kind !== "edge") return undefined;
  const { from, to, when, index } = way;
  const removal = fix("Remove the edge", (each) => removeEdge(each, from, index));
  switch (issue.code) {
    case "edge_after_always": {
      const always = findSocket(loadout, from)?.edges.findIndex((each) => each.when === "always") ?? -1;
      if (when === "always") return removal;
      return fix("Move it before always", (each) => moveEdge(each, from, index, always - index));
    }
    case "then_without_limit":
      return allowSomeTimes(from, index);
    case "next_outside_loop":
      return fix("Then end", (each) => setEdge(each, from, index, { then: "end" }));
    case "unknown_socket": {
      if (issue.path.at(-1) === "then")
        return fix("Take back what follows", (each) => setEdge(each, from, index, { then: null }));
      const near = nearestName(to, Object.keys(loadout.sockets));
      if (near === undefined) return removal;
      return fix(`Lead to ${near}`, (each) => setEdge(each, from, index, { to: near as SocketId })); // a key of sockets
    }
    default:
      return undefined;
  }
}

type LoopPlace = Extract<IssuePlace, { kind: "loop" }>;

function loopFix(issue: Issue, { id, way }: LoopPlace, loadout: Loadout, known: KnownMateria): QuickFix | undefined {
  const members: readonly string[] = loadout.loops[id]?.sockets ?? [];
  switch (issue.code) {
    case "endless_loop": {
      const last = members.at(-1);
      return last === undefined ? undefined : fix(`Let ${last} advance`, (each) => setAdvance(each, last, "always"));
    }
    case "not_a_generator":
    case "generator_inside_loop": {
      const [only, ...others] = Object.entries(loadout.sockets).flatMap(([each, { materia }]) =>
        known.isGenerator(materia) && !members.includes(each) ? [each] : [],
      );
      if (only === undefined || others.length > 0) return undefined;
      return fix(`Consume ${only}`, (each) => setLoopGenerator(each, id, only));
    }
    case "overlapping_loops": {
      const member = members[Number(issue.path.at(-1))];
      return member === undefined
        ? undefined
        : fix(`Take ${member} out`, (each) => setLoopMember(each, id, member, false));
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
  const { kind, from } = findAuthoredWay(loadout, way) ?? {};
  if (kind !== "exit" || from === undefined) return undefined;
  if (code === "exit_needs_json") return fix("Set parse to json", (each) => setParse(each, from, "json"));
  if (code === "exit_never_taken") return fix(`Let ${from} advance`, (each) => setAdvance(each, from, "always"));
  return fix("Remove the exit", (each) => removeWay(each, way));
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

function pathInLoadout({ path }: Issue, name: string): KeyPath | undefined {
  return path[0] === "loadouts" && path[1] === name ? path.slice(2) : undefined;
}
