import type { Issue } from "../../model/issue.ts";
import type { Assignment } from "../assignment.ts";
import { reverseDigraph, type Digraph } from "../digraph.ts";
import type { Flow } from "../flow.ts";
import { type Graph, type GraphLoop, materiaOf } from "../graph.ts";
import { NO_ISSUES, issueAtLoop, issueAtSocket, errorWith } from "./issues.ts";
import { mayMakeList } from "../socket-outputs.ts";

/** Checks the lists of loops: a socket makes each one, and no assignment writes into one. */
export function checkLists(graph: Graph, flow: Flow): readonly Issue[] {
  const walked = Object.values(graph.loops).flatMap((loop): readonly WalkedList[] =>
    loop.items === null ? [] : [{ loop, list: loop.items }],
  );
  if (walked.length === 0) return [];
  const isMade = createMakerSearch(graph, flow);
  const targets = checkTargets(flow);
  return walked.flatMap((walk) => [
    ...checkListIsMade(flow, walk, isMade),
    ...(targets.get(walk.list.join(".")) ?? NO_ISSUES),
  ]);
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
    issueAtLoop(
      loop,
      [],
      errorWith("list_never_produced", message, "put a generator before it, or set the list with `assign`"),
    ),
  ];
}

type IsMade = (list: readonly string[], members: readonly number[]) => boolean;

/** Searches back from a loop to the nearest socket that makes its list: usually a short way. */
function createMakerSearch(graph: Graph, flow: Flow): IsMade {
  let drawn: Digraph | undefined;
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
    let makesItself = false;
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const from of before[at] ?? []) {
        const socket = flow.sockets[from];
        if (seen.has(from) || known.has(from) || !socket) continue;
        seen.add(from);
        const makes = mayMakeList(materiaOf(graph, socket), socket, list);
        if (makes && !own.has(from)) return true;
        makesItself ||= makes;
        open.push(from);
      }
    // Another loop may walk a list that this loop's members make.
    if (!makesItself) for (const each of seen) known.add(each);
    return false;
  };
}

/** From each reached socket to those that lead to it. */
function reverseFlow({ next, reached }: Flow): Digraph {
  return reverseDigraph(next.map((targets, from) => (reached.has(from) ? targets : [])));
}

function targetsInsideValue({ target }: Assignment): boolean {
  return target.length > 1;
}

/** [H20] A target inside a list would turn the list into an object. Issues by list, because only lists of loops count. */
function checkTargets(flow: Flow): ReadonlyMap<string, readonly Issue[]> {
  const found = new Map<string, Issue[]>();
  const assigning = flow.sockets.filter(({ assign }) => assign.some(targetsInsideValue));
  for (const socket of assigning) {
    for (const { target } of socket.assign)
      for (let length = 1; length < target.length; length += 1) {
        const list = target.slice(0, length).join(".");
        const message = `state.${list} is the list of a loop; no value can be assigned inside it`;
        const issue = errorWith("bad_assign", message, "assign the whole list");
        const told = found.get(list) ?? [];
        told.push(issueAtSocket(socket, ["assign", target.join(".")], issue));
        found.set(list, told);
      }
  }
  return found;
}
