import type { Issue } from "../../model/issue.ts";
import { VARIABLE_NAMES, variablesOf } from "../../model/values/template.ts";
import type { Variable } from "../../model/values/template.ts";
import { nearest } from "../../model/values/nearest.ts";
import { templateOf } from "../../model/materia.ts";
import type { Flow } from "../flow.ts";
import type { Graph, GraphSocket } from "../graph.ts";
import { loopOf, materiaOf, socketLabel } from "../graph.ts";
import { atSocket, doubtful } from "./report.ts";
import { bundledWrites, isOwnUtility } from "./writers.ts";

/** State that the cast itself keeps. */
const KEPT = ["workItems", "previousCastContext"];

/** State that something outside the graph sets and reads. */
export interface StateUse {
  readonly sets: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
}

/** State that is read and never set, or set and never read; and variables that nothing fills. */
export function checkStateUse(graph: Graph, { sockets }: Flow, elsewhere: StateUse): readonly Issue[] {
  const seated = Object.values(graph.materia);
  const variables = variablesByMateria(graph);
  const used = (socket: GraphSocket): readonly Variable[] => variables.get(socket.materia) ?? [];
  const reads: Use[] = [];
  const writes: Use[] = [];
  const concerned = sockets.filter((socket) => readsOrWrites(socket, used(socket)));
  for (const socket of concerned) {
    for (const key of readsOf(graph, socket, used(socket))) reads.push({ socket, key });
    for (const { target } of socket.assign) writes.push({ socket, key: target[0] ?? "" });
  }
  const unknownReaders = seated.some(isOwnUtility);
  const unknownWriters =
    unknownReaders && sockets.some((socket) => socket.parse === "json" && isOwnUtility(materiaOf(graph, socket)));
  const written = new Set([
    ...KEPT,
    ...elsewhere.sets,
    ...writes.map(({ key }) => key),
    ...seated.flatMap(bundledWrites),
  ]);
  const listIsSet = unknownWriters || writes.some(({ key }) => key === "workItems");
  const read = new Set([...KEPT, ...elsewhere.reads, ...reads.map(({ key }) => key)]);
  return [
    ...reads
      .filter(({ key }) => !unknownWriters && !written.has(key))
      .map(({ socket, key }) =>
        atSocket(
          socket,
          [],
          doubtful(
            "state_never_set",
            `${socketLabel(socket)} reads state.${key}, which nothing sets`,
            hintFor(key, written),
          ),
        ),
      ),
    ...writes
      .filter(({ key }) => !unknownReaders && !read.has(key))
      .map(({ socket, key }) =>
        atSocket(
          socket,
          ["assign"],
          doubtful(
            "state_never_read",
            `${socketLabel(socket)} sets state.${key}, which nothing reads`,
            `use {{state.${key}}} in a prompt, or remove it`,
          ),
        ),
      ),
    ...concerned.flatMap((socket) => checkVariables(graph, socket, used(socket), listIsSet)),
  ];
}

interface Use {
  readonly socket: GraphSocket;
  readonly key: string;
}

/** Each prompt is searched once, however many sockets hold it. */
function variablesByMateria({ materia }: Graph): ReadonlyMap<string, readonly Variable[]> {
  return new Map(Object.entries(materia).map(([name, each]) => [name, variablesOf(templateOf(each)?.text ?? "")]));
}

function readsOrWrites({ assign, advance }: GraphSocket, used: readonly Variable[]): boolean {
  return used.length > 0 || assign.length > 0 || advance !== null;
}

function readsOf(graph: Graph, socket: GraphSocket, used: readonly Variable[]): readonly string[] {
  const inPrompt = used.flatMap((variable) => (variable.kind === "state" ? variable.path.slice(0, 1) : []));
  const inAssign = socket.assign.flatMap(({ from, path }) => (from === "state" ? path.slice(0, 1) : []));
  const list = socket.advance === null ? [] : (loopOf(graph, socket)?.items?.slice(0, 1) ?? []);
  const all = new Set([...inPrompt, ...inAssign, ...list]);
  // [O4] Inside a loop the cast itself keeps these two.
  if (loopOf(graph, socket)?.items) for (const key of ["workItem", "workItemIndex"]) all.delete(key);
  return [...all];
}

function checkVariables(
  graph: Graph,
  socket: GraphSocket,
  used: readonly Variable[],
  listIsSet: boolean,
): readonly Issue[] {
  const unfilled = (message: string, hint?: string): readonly Issue[] => [
    atSocket(socket, [], doubtful("unknown_variable", message, hint)),
  ];
  return used.flatMap((variable) => {
    if (variable.kind === "unknown") {
      const hint = `use ${VARIABLE_NAMES.map((name) => `{{${name}}}`).join(", ")}`;
      return unfilled(`nothing fills {{${variable.name}}} in the prompt of ${socketLabel(socket)}`, hint);
    }
    if (variable.kind === "item" && !loopOf(graph, socket)?.items) {
      return unfilled(
        `${socketLabel(socket)} stands in no loop over items, so nothing fills {{item.${variable.field}}}`,
      );
    }
    if (variable.kind === "changes" && materiaOf(graph, socket).type !== "agent")
      return unfilled(`only an agent's prompt knows {{changes}}, and ${socketLabel(socket)} holds none`);
    if (variable.kind === "workItems" && !listIsSet)
      return unfilled(
        `nothing makes work items, so nothing fills {{workItems}} in the prompt of ${socketLabel(socket)}`,
      );
    return [];
  });
}

function hintFor(key: string, written: ReadonlySet<string>): string {
  const near = nearest(key, written);
  return near === undefined ? `set it with "assign" in an earlier socket` : `did you mean state.${near}?`;
}
