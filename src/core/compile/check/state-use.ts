import type { Issue } from "../../model/issue.ts";
import { VARIABLE_NAMES, parseVariables, type TemplateVariable, templateOf } from "../../model/materia.ts";
import { nearestName } from "../../model/text.ts";
import type { Flow } from "../flow.ts";
import { type Graph, type GraphSocket, loopOf, materiaOf, socketLabel, socketsOf } from "../graph.ts";
import { warningAt } from "./cycles.ts";
import { bundledStateWrites, isCustomUtility } from "../socket-outputs.ts";
import type { Catalog } from "../../catalog/catalog.ts";

const ENGINE_STATE_KEYS = ["workItems", "previousCastContext"];

/** State that code outside the graph sets and reads. */
export interface StateUse {
  readonly sets: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
}

export function checkStateUse(graph: Graph, { sockets }: Flow, elsewhere: () => StateUse): readonly Issue[] {
  const seated = Object.values(graph.materia);
  const variables = variablesByMateria(graph);
  const used = (socket: GraphSocket): readonly TemplateVariable[] => variables.get(socket.materia) ?? NO_VARIABLES;
  const concerned = sockets.filter(
    (socket) => used(socket).length > 0 || socket.assign.length > 0 || socket.advance !== null,
  );
  const reads = concerned.flatMap((socket) => keysReadBy(graph, socket, used(socket)).map((key) => ({ socket, key })));
  const writes = concerned.flatMap((socket) => socket.assign.map(({ target }) => ({ socket, key: target[0] ?? "" })));
  const unknownReaders = seated.some(isCustomUtility);
  const unknownWriters =
    unknownReaders && sockets.some((socket) => socket.parse === "json" && isCustomUtility(materiaOf(graph, socket)));
  const own = {
    sets: new Set([...writes.map(({ key }) => key), ...seated.flatMap(bundledStateWrites)]),
    reads: new Set(reads.map(({ key }) => key)),
  };
  const unset = unknownWriters ? [] : usesWithout(reads, own.sets);
  const unread = unknownReaders ? [] : usesWithout(writes, own.reads);
  // Search the other loadouts only if a key is in doubt.
  const others = unset.length + unread.length === 0 ? own : elsewhere();
  const written = new Set([...ENGINE_STATE_KEYS, ...others.sets, ...own.sets]);
  const listIsSet = unknownWriters || writes.some(({ key }) => key === "workItems");
  return [
    ...usesWithout(unset, others.sets).map(({ socket, key }) => {
      const message = `${socketLabel(socket)} reads state.${key}, which nothing sets`;
      const near = nearestName(key, written);
      const hint = near === undefined ? `set it with "assign" in an earlier socket` : `did you mean state.${near}?`;
      return warningAt(socket, [], "state_never_set", message, hint);
    }),
    ...usesWithout(unread, others.reads).map(({ socket, key }) => {
      const message = `${socketLabel(socket)} sets state.${key}, which nothing reads`;
      const hint = `use {{state.${key}}} in a prompt, or remove it`;
      return warningAt(socket, ["assign"], "state_never_read", message, hint);
    }),
    ...concerned.flatMap((socket) => checkVariables(graph, socket, used(socket), listIsSet)),
  ];
}

interface StateKeyUse {
  readonly socket: GraphSocket;
  readonly key: string;
}

function usesWithout(uses: readonly StateKeyUse[], known: ReadonlySet<string>): readonly StateKeyUse[] {
  return uses.filter(({ key }) => !known.has(key) && !ENGINE_STATE_KEYS.includes(key));
}

/** [C56] Materia whose instructions differ between visits of one cast, so that no cache holds them, with what changes. */
export function changingInstructions(graph: Graph): readonly { readonly materia: string; readonly variable: string }[] {
  const inLoops = socketsOf(graph).filter((socket) => loopOf(graph, socket));
  const changing = new Set(["workItem", "workItemIndex"]);
  for (const { assign } of inLoops) for (const { target } of assign) changing.add(target[0] ?? "");
  const variables = variablesByMateria(graph);
  const found = inLoops
    .filter((socket) => materiaOf(graph, socket).type === "agent")
    .flatMap(({ materia }) =>
      (variables.get(materia) ?? NO_VARIABLES).flatMap((variable) => {
        if (variable.kind === "item") return [{ materia, variable: `{{item.${variable.field}}}` }];
        if (variable.kind !== "state" || !changing.has(variable.path[0] ?? "")) return [];
        return [{ materia, variable: `{{state.${variable.path.join(".")}}}` }];
      }),
    );
  return [...new Map(found.map((each) => [`${each.materia} ${each.variable}`, each])).values()];
}

const NO_VARIABLES: readonly TemplateVariable[] = [];

function variablesByMateria({ materia }: Graph): ReadonlyMap<string, readonly TemplateVariable[]> {
  return new Map(Object.entries(materia).map(([name, each]) => [name, parseVariables(templateOf(each)?.text ?? "")]));
}

/** Each key once. */
function keysReadBy(graph: Graph, socket: GraphSocket, used: readonly TemplateVariable[]): readonly string[] {
  const items = loopOf(graph, socket)?.items;
  const paths = [
    ...used.map((variable) => (variable.kind === "state" ? variable.path : [])),
    ...socket.assign.map(({ from, path }) => (from === "state" ? path : [])),
    (socket.advance !== null && items) || [],
  ];
  const keys = new Set(paths.flatMap(([key]) => key ?? []));
  // [O4] Inside a loop the engine sets these two.
  return [...keys].filter((key) => !items || (key !== "workItem" && key !== "workItemIndex"));
}

function checkVariables(
  graph: Graph,
  socket: GraphSocket,
  used: readonly TemplateVariable[],
  listIsSet: boolean,
): readonly Issue[] {
  const unfilled = (message: string, hint?: string): readonly Issue[] => [
    warningAt(socket, [], "unknown_variable", message, hint),
  ];
  return used.flatMap((variable) => {
    if (variable.kind === "unknown") {
      const hint = `use ${VARIABLE_NAMES.map((name) => `{{${name}}}`).join(", ")}`;
      return unfilled(`unknown variable {{${variable.name}}} in the prompt of ${socketLabel(socket)}`, hint);
    }
    if (variable.kind === "item" && !loopOf(graph, socket)?.items) {
      return unfilled(`${socketLabel(socket)} is in no loop with items, so nothing sets {{item.${variable.field}}}`);
    }
    const isForAgents = variable.kind === "changes" || variable.kind === "versionControl";
    if (isForAgents && materiaOf(graph, socket).type !== "agent")
      return unfilled(`{{${variable.kind}}} works only in prompts of agents, and ${socketLabel(socket)} has none`);
    if (variable.kind === "workItems" && !listIsSet)
      return unfilled(`no socket makes work items, so {{workItems}} is empty in the prompt of ${socketLabel(socket)}`);
    return [];
  });
}

const stateUseOf = new WeakMap<Catalog, StateUse>();

/** [G21] State that other loadouts set or read: a loadout may be meant to be linked with them. */
export function stateUsedInCatalog(catalog: Catalog): StateUse {
  const found = stateUseOf.get(catalog) ?? collectStateUse(catalog);
  stateUseOf.set(catalog, found);
  return found;
}

function collectStateUse({ materia, loadouts }: Catalog): StateUse {
  const sets = new Set<string>();
  const reads = new Set<string>();
  const note = (assign: Readonly<Record<string, string>> | undefined): void => {
    if (assign === undefined) return;
    for (const [target, source] of Object.entries(assign)) {
      sets.add(firstKey(target));
      if (source.startsWith("state.")) reads.add(firstKey(source.slice("state.".length)));
    }
  };
  for (const { value } of materia.values()) {
    if (!value) continue;
    note(value.assign);
    for (const variable of parseVariables(templateOf(value)?.text ?? ""))
      if (variable.kind === "state") reads.add(variable.path[0] ?? "");
  }
  for (const { value } of loadouts.values())
    for (const socket of Object.values(value?.sockets ?? {})) note(socket.assign);
  return { sets, reads };
}

function firstKey(path: string): string {
  return path.split(".", 1).join("");
}
