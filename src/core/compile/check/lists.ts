import type { Issue } from "../../model/issue.ts";
import type { Assignment } from "../assignment.ts";
import { createDigraph, reachable } from "../digraph.ts";
import type { Flow } from "../flow.ts";
import { type Graph, type GraphLoop, type GraphSocket, materiaOf } from "../graph.ts";
import { NO_ISSUES, errorAt } from "./cycles.ts";
import { mayMakeList } from "../socket-outputs.ts";

export function checkLists(graph: Graph, flow: Flow): readonly Issue[] {
  const walked = Object.values(graph.loops).flatMap((loop): readonly WalkedList[] =>
    loop.items === null ? [] : [{ loop, list: loop.items }],
  );
  const lists = walked.map(({ list }) => list);
  const targets = checkTargets(flow, lists);
  // A loop with `consumes` names its generator.
  const open = walked.filter(({ loop }) => loop.from === null);
  if (open.length === 0) return targets;
  const isMade = createMakerSearch(graph, flow);
  return [...open.flatMap((walk) => checkListIsMade(flow, walk, isMade)), ...targets];
}

interface WalkedList {
  readonly loop: GraphLoop;
  readonly list: readonly string[];
}

/** [O15] A loop whose list nothing makes would be skipped silently, and the cast would complete. */
function checkListIsMade({ numberOf, reached }: Flow, { loop, list }: WalkedList, isMade: IsMade): readonly Issue[] {
  const members = loop.sockets.flatMap((id) => numberOf.get(id) ?? []);
  // Another check reports an unreachable loop.
  if (!members.some((member) => reached.has(member)) || isMade(list, members)) return NO_ISSUES;
  const message = `no socket before the loop "${loop.id}" makes state.${list.join(".")}, so the loop has no items`;
  const hint = "put a generator before it, or set the list with `assign`";
  return [errorAt(loop, [], "list_never_produced", message, hint)];
}

type IsMade = (list: readonly string[], members: readonly number[]) => boolean;

/** The members of the loop are no way to a socket that makes its list: they run only when the list is there. */
function createMakerSearch(graph: Graph, { sockets, next, onward, starts, reached }: Flow): IsMade {
  const before = createDigraph(next.length);
  for (const from of reached) for (const to of next[from] ?? []) before[to]?.push(from);
  return (list, members) => {
    const own = new Set(members);
    const comesFirst = reachable(onward, starts, own);
    return [...reachable(before, members)].some((at) => {
      const socket = own.has(at) || !comesFirst.has(at) ? undefined : sockets[at];
      return socket !== undefined && mayMakeList(materiaOf(graph, socket), socket, list);
    });
  };
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
