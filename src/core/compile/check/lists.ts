import type { Issue } from "../../model/issue.ts";
import type { Assignment } from "../assignment.ts";
import { reverseDigraph, type Digraph } from "../digraph.ts";
import type { Flow } from "../flow.ts";
import { type Graph, type GraphLoop, materiaOf } from "../graph.ts";
import { NO_ISSUES, issueAtLoop, issueAtSocket, errorWith, appendIssues } from "./issues.ts";
import { mayMakeList } from "../socket-outputs.ts";

/** What loops walk: a list that something makes, and that nothing writes into. */
export function checkLists(graph: Graph, flow: Flow): readonly Issue[] {
  const walked = Object.values(graph.loops).flatMap((loop): readonly WalkedList[] =>
    loop.items === null ? [] : [{ loop, list: loop.items }],
  );
  if (walked.length === 0) return [];
  const isMade = createMakerSearch(graph, flow);
  const targets = checkTargets(flow);
  const issues: Issue[] = [];
  for (const walk of walked) {
    appendIssues(checkListIsMade(flow, walk, isMade), issues);
    if (targets.size > 0) appendIssues(targets.get(walk.list.join(".")) ?? NO_ISSUES, issues);
  }
  return issues;
}

interface WalkedList {
  readonly loop: GraphLoop;
  readonly list: readonly string[];
}

/** [O15] A loop over a list that nothing can have made would be passed by in silence, and the cast end as completed. */
function checkListIsMade({ numberOf, reached }: Flow, { loop, list }: WalkedList, isMade: IsMade): readonly Issue[] {
  if (loop.from !== null) return NO_ISSUES;
  const members = loop.sockets.flatMap((id) => numberOf.get(id) ?? []);
  // A loop that nothing reaches is reported as that.
  if (!members.some((member) => reached.has(member)) || isMade(list, members)) return NO_ISSUES;
  const message = `nothing that runs before the loop "${loop.id}" makes state.${list.join(".")}, so it has nothing to walk`;
  return [
    issueAtLoop(
      loop,
      [],
      errorWith("list_never_produced", message, "lead to it from a generator, or set the list with `assign`"),
    ),
  ];
}

type IsMade = (list: readonly string[], members: readonly number[]) => boolean;

/** Looks back from a loop as far as the nearest that makes its list: that is near it, however large the graph. */
function createMakerSearch(graph: Graph, flow: Flow): IsMade {
  let drawn: Digraph | undefined;
  /** Where looking back for a list has led to nobody that makes it. */
  const barren = new Map<string, Set<number>>();
  return (list, members) => {
    // A loop that names its generator asks nobody.
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
    // What its own members make, another loop may walk.
    if (!makesItself) for (const each of seen) known.add(each);
    return false;
  };
}

/** From each socket to those that lead to it, of those that a cast can come to. */
function reverseFlow({ next, reached }: Flow): Digraph {
  return reverseDigraph(next.map((targets, from) => (reached.has(from) ? targets : [])));
}

function targetsInsideValue({ target }: Assignment): boolean {
  return target.length > 1;
}

/** [H20] A target inside a list would turn the list into an object. Told by list, whether a loop walks it or not. */
function checkTargets(flow: Flow): ReadonlyMap<string, readonly Issue[]> {
  const found = new Map<string, Issue[]>();
  const assigning = flow.sockets.filter(({ assign }) => assign.some(targetsInsideValue));
  for (const socket of assigning) {
    for (const { target } of socket.assign)
      for (let length = 1; length < target.length; length += 1) {
        const list = target.slice(0, length).join(".");
        const message = `state.${list} is a list that a loop walks; nothing can be put into it`;
        const issue = errorWith("bad_assign", message, "assign the whole list");
        const told = found.get(list) ?? [];
        told.push(issueAtSocket(socket, ["assign", target.join(".")], issue));
        found.set(list, told);
      }
  }
  return found;
}
