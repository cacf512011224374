import type { Issue } from "../../model/issue.ts";
import type { Assignment } from "../assignment.ts";
import { reverseDigraph, type Digraph } from "../digraph.ts";
import type { Flow } from "../flow.ts";
import { type Graph, type GraphLoop, type GraphSocket, materiaOf } from "../graph.ts";
import { NO_ISSUES, errorAt } from "./cycles.ts";
import { mayMakeList } from "../socket-outputs.ts";

/** Checks the lists of loops: a socket makes each one, and no assignment writes into one. */
export function checkLists(graph: Graph, flow: Flow): readonly Issue[] {
  const walked = Object.values(graph.loops).flatMap((loop): readonly WalkedList[] =>
    loop.items === null ? [] : [{ loop, list: loop.items }],
  );
  const targets = checkTargets(
    flow,
    walked.map(({ list }) => list),
  );
  if (walked.length === 0) return targets;
  const isMade = createMakerSearch(graph, flow);
  return [...walked.flatMap((walk) => checkListIsMade(flow, walk, isMade)), ...targets];
}

interface WalkedList {
  readonly loop: GraphLoop;
  readonly list: readonly string[];
}

/** [O15] A loop whose list nothing makes would be skipped silently, and the cast would complete. */
function checkListIsMade({ numberOf, reached }: Flow, { loop, list }: WalkedList, isMade: IsMade): readonly Issue[] {
  if (loop.from !== null) return NO_ISSUES;
  const members = loop.sockets.flatMap((id) => numberOf.get(id) ?? []);
  // Another check reports an unreachable loop.
  if (!members.some((member) => reached.has(member)) || isMade(list, members)) return NO_ISSUES;
  const message = `no socket before the loop "${loop.id}" makes state.${list.join(".")}, so the loop has no items`;
  return [
    errorAt(loop, [], "list_never_produced", message, "put a generator before it, or set the list with `assign`"),
  ];
}

type IsMade = (list: readonly string[], members: readonly number[]) => boolean;

/**
 * Searches back from a loop to the nearest socket that makes its list, usually a short way. The members of the loop
 * are no way to it: they run only when the list is there.
 */
function createMakerSearch(graph: Graph, flow: Flow): IsMade {
  let drawn: Digraph | undefined;
  const comesBefore = createFirstWaySearch(flow);
  /** Sockets from which the search found no socket that makes the list. */
  const barren = new Map<string, Set<number>>();
  return (list, members) => {
    // A loop with `consumes` names its generator.
    const before = (drawn ??= reverseFlow(flow));
    const key = JSON.stringify(list);
    const known = barren.get(key) ?? new Set<number>();
    barren.set(key, known);
    const own = new Set(members);
    const seen = new Set<number>();
    const open = [...members];
    // Another loop may walk a list that this loop's members make or lead to.
    let isPartial = false;
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const from of before[at] ?? []) {
        const socket = flow.sockets[from];
        isPartial ||= own.has(from);
        if (own.has(from) || seen.has(from) || known.has(from) || !socket) continue;
        seen.add(from);
        if (mayMakeList(materiaOf(graph, socket), socket, list)) {
          if (comesBefore(from, own)) return true;
          isPartial = true;
        }
        open.push(from);
      }
    if (!isPartial) for (const each of seen) known.add(each);
    return false;
  };
}

/** Whether a cast can come to a socket without a visit of these members. */
function createFirstWaySearch({ onward, starts }: Flow): (goal: number, members: ReadonlySet<number>) => boolean {
  let tree: ReadonlyMap<number, number> | undefined;
  return (goal, members) => {
    tree ??= searchTree(onward, starts, NO_MEMBERS);
    let at: number | undefined = goal;
    while (at !== undefined && at !== -1 && !members.has(at)) at = tree.get(at);
    return at === -1 || searchTree(onward, starts, members).has(goal);
  };
}

const NO_MEMBERS: ReadonlySet<number> = new Set();

/** Every socket that the starts lead to around these members, with the socket before it; -1 for a start. */
function searchTree(
  next: Digraph,
  starts: readonly number[],
  around: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const before = new Map(starts.map((start) => [start, -1]));
  for (const at of before.keys())
    if (!around.has(at)) for (const to of next[at] ?? []) if (!before.has(to)) before.set(to, at);
  return before;
}

/** From each reached socket to those that lead to it. */
function reverseFlow({ next, reached }: Flow): Digraph {
  return reverseDigraph(next.map((targets, from) => (reached.has(from) ? targets : [])));
}

/** [H20] A target inside a list would turn the list into an object. */
function checkTargets({ sockets }: Flow, walked: readonly (readonly string[])[]): readonly Issue[] {
  const deepest = Math.max(0, ...sockets.flatMap(({ assign }) => assign.map(({ target }) => target.length)));
  if (deepest < 2) return NO_ISSUES;
  const lists = listPaths(sockets, walked, deepest);
  return sockets.flatMap((socket) =>
    socket.assign.flatMap(({ target }) => {
      const list = target.findIndex((_, index) => index > 0 && lists.has(target.slice(0, index).join(".")));
      if (list === -1) return [];
      const message = `state.${target.slice(0, list).join(".")} is a list; no value can be assigned inside it`;
      return [errorAt(socket, ["assign", target.join(".")], "bad_assign", message, "assign the whole list")];
    }),
  );
}

/** Paths of state with a list: those of loops, those that hold work items, and their copies. */
function listPaths(
  sockets: readonly GraphSocket[],
  walked: readonly (readonly string[])[],
  deepest: number,
): ReadonlySet<string> {
  const found = new Map<string, readonly string[]>();
  const add = (path: readonly string[]): void => {
    if (path.length < deepest) found.set(path.join("."), path);
  };
  for (const path of [["workItems"], ...walked]) add(path);
  const copies: Assignment[] = [];
  for (const { assign, parse } of sockets)
    for (const each of assign) {
      if (each.from === "state") copies.push(each);
      if (each.from !== "output" || parse === "text") continue;
      if (each.path.length === 0) add([...each.target, "workItems"]);
      else if (each.path.join(".") === "workItems") add(each.target);
    }
  // A path that is found is followed in turn: a copy may be copied.
  if (copies.length > 0)
    for (const list of found.values())
      for (const { target, path } of copies)
        if (path.every((key, index) => list[index] === key)) add([...target, ...list.slice(path.length)]);
  return new Set(found.keys());
}
