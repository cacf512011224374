import type { Catalog } from "../../catalog/catalog.ts";
import type { CatalogEntry } from "../../catalog/layer.ts";
import { END, sortSocketIds, type Destination, type SocketId } from "../../model/ids.ts";
import { error, type Issue, type KeyPath } from "../../model/issue.ts";
import { NEXT_ITEM, type Edge, type Loadout, type Socket } from "../../model/loadout.ts";
import { isGate, isGenerator, isInteractive, parseModeOf, type AssignMap, type Materia } from "../../model/materia.ts";
import { didYouMean } from "../../model/text.ts";
import { createEmptyRecord, setOwnKey, withoutUndefined } from "../../model/json.ts";
import { canSourceExist, isHandoffSource, isGateSource, parseAssignment, type Assignment } from "../assignment.ts";
import {
  buildLoop,
  loopMemberships,
  reportUnknownSocket,
  type LoadoutBuildContext,
  type ReportIssue,
} from "./fragment-loops.ts";
import type { Graph, GraphLoop, GraphSocket, Origin } from "../graph.ts";

export type ResolvedTarget =
  | { readonly kind: "materia"; readonly name: string; readonly entry: CatalogEntry<Materia> }
  | { readonly kind: "loadout"; readonly name: string; readonly entry: CatalogEntry<Loadout> };

/** A target as a separate graph. Broken references are reported and left out, so that the rest can be checked. */
export function buildFragment(target: ResolvedTarget, catalog: Catalog, order: number) {
  const { kind, name, entry } = target;
  const place: FragmentSource = { name, order, kind, ...withoutUndefined({ file: entry.file }) };
  const loadout = target.kind === "materia" ? loadoutOfMateria(name) : (target.entry.value ?? target.entry.partial);
  return loadout ? fragmentFromLoadout(loadout, place, catalog) : { graph: emptyGraph(name), issues: [] };
}

/** [L10] A materia becomes one socket with its own parse and assign. */
function loadoutOfMateria(materia: string): Loadout {
  const entry = "Socket-1" as SocketId; // a socket id by its form
  return { entry, sockets: { [entry]: { materia, edges: [] } }, loops: {}, layout: {} };
}

function emptyGraph(name: string): Graph {
  return { name, entry: "Socket-1" as SocketId, sockets: {}, loops: {}, materia: {} }; // never run: it comes with errors
}

interface FragmentSource extends Pick<Origin, "name" | "kind" | "file"> {
  readonly order: number;
}

function fragmentFromLoadout(loadout: Loadout, place: FragmentSource, catalog: Catalog) {
  const issues: Issue[] = [];
  const { order: _order, kind, ...named } = place;
  const { file } = place;
  const report: ReportIssue = (keys, code, message, hint) => {
    // A file with thousands of problems needs no thousands of suggestions.
    const shown = typeof hint === "string" || issues.length > 50 ? hint : hint?.();
    const at = [kind === "materia" ? "materia" : "loadouts", place.name, ...keys];
    const issue = error(code, at, message, typeof shown === "string" ? shown : undefined);
    issues.push(file === undefined ? issue : { ...issue, file });
  };
  const membership = loopMemberships(loadout, report);
  const context: FragmentContext = { loadout, place, catalog, report, membership };
  const ids = sortSocketIds(Object.keys(loadout.sockets));
  // Ids are safe as keys: reading the layer checked them. Names are not.
  const sockets = createEmptyRecord<GraphSocket>(ids.length);
  const materia = new Map<string, Materia>();
  for (const id of ids) {
    const socket = loadout.sockets[id];
    if (!socket) continue;
    const seated = findSeatedMateria(id, socket, context);
    sockets[id] = graphSocket(id, socket, seated, context);
    materia.set(socket.materia, seated);
  }
  if (!Object.hasOwn(loadout.sockets, loadout.entry))
    reportUnknownSocket(context, ["entry"], loadout.entry, { subject: `the entry "${loadout.entry}" is` });
  const written = Object.entries(loadout.loops);
  const loops = createEmptyRecord<GraphLoop>(written.length);
  for (const [id, loop] of written) setOwnKey(loops, id, buildLoop(id, loop, context, named));
  const graph = { name: place.name, entry: loadout.entry, sockets, loops, materia: Object.fromEntries(materia) };
  return { graph, issues };
}

interface FragmentContext extends LoadoutBuildContext {
  readonly place: FragmentSource;
  readonly catalog: Catalog;
  readonly membership: ReadonlyMap<string, string>;
}

/** Replaces a missing materia. Its type causes no further problem for the same mistake. */
const PLACEHOLDER_MATERIA: Materia = {
  type: "agent",
  prompt: "missing",
  tools: "none",
  generator: true,
  parse: "json",
};

function findSeatedMateria(id: string, { materia: name }: Socket, context: FragmentContext): Materia {
  const { report, catalog } = context;
  const at = ["sockets", id, "materia"];
  const suggestName = (wrong: string) => () => didYouMean(wrong, catalog.materia.keys());
  const entry = catalog.materia.get(name);
  if (!entry) {
    report(at, "unknown_materia", `there is no materia "${name}"`, suggestName(name));
    return PLACEHOLDER_MATERIA;
  }
  const { value, issues } = entry;
  if (value === undefined) {
    report(at, "invalid_materia", `the materia "${name}" has problems: ${issues[0]?.message ?? ""}`);
    return PLACEHOLDER_MATERIA;
  }
  const builder = value.type === "agent" ? value.notModelOf : undefined;
  if (builder !== undefined && !catalog.materia.has(builder))
    report(at, "invalid_materia", `"notModelOf" of "${name}" names no materia: "${builder}"`, suggestName(builder));
  return value;
}

function graphSocket(id: string, socket: Socket, materia: Materia, context: FragmentContext): GraphSocket {
  const { report, place } = context;
  // A single materia has no keys of a socket.
  const keys = place.kind === "materia" ? [] : ["sockets", id];
  const generator = isGenerator(materia);
  const parse = parseModeOf(materia, socket.parse);
  if (parse === "json" && socket.parse === "text") {
    const message = "a gate answers yes or no, so it cannot be parsed as text";
    report([...keys, "parse"], "gate_needs_json", message, "remove it");
  }
  if (socket.conversation !== undefined && materia.type !== "agent")
    report([...keys, "conversation"], "bad_value", '"conversation" belongs to an agent', "remove it");
  // [H14] A socket adds to the `assign` of its materia, and may override a target.
  const sources =
    socket.assign && materia.assign ? { ...materia.assign, ...socket.assign } : (socket.assign ?? materia.assign);
  const assign = sources ? readAssign(sources, materia, [...keys, "assign"], report) : NO_ASSIGN;
  return {
    id: id as SocketId, // the loadout's ids were checked when its layer was read
    materia: socket.materia,
    parse,
    generator,
    interactive: isInteractive(materia),
    ...(continuesConversation(socket, materia) ? { conversation: "item" as const } : undefined),
    // [H17] A generator sets the list without an `assign`.
    assign: generator && parse === "json" ? withWorkItems(assign) : assign,
    advance: socket.advance?.when ?? null,
    edges: socket.edges.map((edge, index) => replaceUnknownEdge(edge, [...keys, "edges", index], context)),
    loop: context.membership.get(id) ?? null,
    origin: {
      target: place.order,
      kind: place.kind,
      name: place.name,
      socket: id,
      ...withoutUndefined({ file: place.file }),
    },
  };
}

/** [I1] A socket may override its materia. */
function continuesConversation({ conversation }: Socket, materia: Materia): boolean {
  return materia.type === "agent" && (conversation ?? materia.conversation) === "item";
}

/** An edge to an unknown socket keeps its index, so that paths of later edges stay right. */
function replaceUnknownEdge(edge: Edge, keys: KeyPath, context: FragmentContext): Edge {
  const checked = (key: "to" | "then", to: Destination): Destination => {
    if (to === END || Object.hasOwn(context.loadout.sockets, to)) return to;
    const subject = `the edge leads to "${to}", which is`;
    reportUnknownSocket(context, [...keys, key], to, { subject, others: [END] });
    return END;
  };
  const to = checked("to", edge.to);
  const { then } = edge;
  if (then !== undefined && then !== NEXT_ITEM) return { ...edge, to, then: checked("then", then) };
  return to === edge.to ? edge : { ...edge, to };
}

const NO_ASSIGN: readonly Assignment[] = [];

function readAssign(
  assign: AssignMap,
  materia: Materia,
  keys: readonly string[],
  report: ReportIssue,
): readonly Assignment[] {
  return Object.entries(assign).flatMap(([target, source]) => {
    const assignment = parseAssignment(target, source);
    const problem = typeof assignment === "string" ? [assignment] : assignProblem(assignment, source, materia);
    if (!problem && typeof assignment !== "string") return [assignment];
    const [message = "", hint] = problem ?? [];
    report([...keys, target], "bad_assign", message, hint);
    return [];
  });
}

function assignProblem(
  assignment: Assignment,
  source: string,
  materia: Materia,
): readonly [message: string, hint: string] | undefined {
  const { target } = assignment;
  if (isGate(materia) && !isGateSource(assignment))
    return [`a gate answers with satisfied and context; "${source}" never exists`, "use $.satisfied or $.context"];
  if (materia.type === "agent" && !isHandoffSource(assignment)) {
    const message = `agents hand over only workItems, satisfied and context; "${source}" never exists`;
    const noText = "a handoff has no text field: use $.context; the output of a text socket is handed on automatically";
    return [message, source === "$.text" ? noText : 'use $.context, or "$" for all three'];
  }
  if (!canSourceExist(assignment)) return [`"${source}" never exists`, "items have a title and a context"];
  if (target[0] === "workItems" && target.length > 1)
    return [`"${target.join(".")}" is inside the list of work items`, "assign the whole list"];
  return undefined;
}

const WORK_ITEMS_ASSIGNMENT: readonly Assignment[] = [{ target: ["workItems"], from: "output", path: ["workItems"] }];

function withWorkItems(assign: readonly Assignment[]): readonly Assignment[] {
  if (assign.length === 0) return WORK_ITEMS_ASSIGNMENT;
  const assignsList = assign.some((assignment) => assignment.target.join(".") === "workItems");
  return assignsList ? assign : [...assign, ...WORK_ITEMS_ASSIGNMENT];
}
