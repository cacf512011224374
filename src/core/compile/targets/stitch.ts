import { END, type SocketId, sortSocketIds, type Destination } from "../../model/ids.ts";
import { failWith, collectResults, ok, type Result } from "../../model/issue.ts";
import { type Condition, type Edge, NEXT_ITEM } from "../../model/loadout.ts";
import { createEmptyRecord, setOwnKey } from "../../model/json.ts";
import type { Flow, FlowStep } from "../flow.ts";
import {
  type Graph,
  type GraphExit,
  type GraphLoop,
  type GraphSocket,
  loopOf,
  socketLabel,
  socketOf,
  socketsOf,
} from "../graph.ts";

export interface Stitch {
  readonly from: SocketId;
  readonly to: SocketId;
  readonly reason: string;
}

/** A part of a chain, already renumbered so that no two parts share a name; that does not change its flow. */
interface ChainPart {
  readonly graph: Graph;
  readonly flow: Flow;
}

/** [L15, L16] Joins neighbours where exactly one terminal meets the one entry; nothing is guessed. */
export function stitchParts(parts: readonly ChainPart[]) {
  const joints = collectResults(parts.slice(0, -1).map((part, index) => stitchBetween(part, parts[index + 1])));
  if (!joints.ok) return joints;
  const joined = parts.map((part, index) => {
    const stitch = joints.value[index];
    return stitch ? redirect(part, stitch) : part.graph;
  });
  const [first] = joined;
  if (!first) return failWith("missing_target", "link", "a link needs at least one materia or loadout");
  const graph: Graph = {
    name: joined.map((each) => each.name).join(" → "),
    entry: first.entry,
    sockets: mergeRecords(joined.map((each) => each.sockets)),
    loops: mergeRecords(joined.map((each) => each.loops)),
    materia: Object.assign({}, ...joined.map((each) => each.materia)),
  };
  return ok({ graph, stitches: joints.value });
}

function mergeRecords<T>(records: readonly Readonly<Record<string, T>>[]): Readonly<Record<string, T>> {
  return recordOf(records.flatMap((record) => Object.entries(record)));
}

function recordOf<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  const all = createEmptyRecord<T>(entries.length);
  for (const [key, value] of entries) setOwnKey(all, key, value);
  return all;
}

function stitchBetween(part: ChainPart, next: ChainPart | undefined): Result<Stitch> {
  if (!next) return failWith("unlinked_target", part.graph.name, "nothing follows");
  const entry = socketOf(next.graph, next.graph.entry);
  const [terminal, ...others] = terminalsOf(part);
  const { name } = part.graph;
  const future = "the sockets to join cannot be named yet";
  const to = `${socketLabel(entry)} of "${next.graph.name}"`;
  if (!terminal) {
    const hint = `give one of its sockets a way to end; ${future}`;
    return failWith("missing_terminal", name, `"${name}" never ends, so it cannot lead to ${to}`, hint);
  }
  if (others.length > 0) {
    const ends = [terminal, ...others].slice(0, 8).map((end) => socketLabel(end.socket));
    const message = `"${name}" can end at ${others.length + 1} sockets (${ends.join(", ")}), so it is unclear which one leads to ${to}`;
    const hint = `split the chain, or let the loadout end in one socket; ${future}`;
    return failWith("ambiguous_terminal", name, message, hint);
  }
  const reason = `the only socket of "${name}" that can end (${terminal.ways.join(", ")}) meets the entry of "${next.graph.name}"`;
  return ok({ from: terminal.socket.id, to: entry.id, reason });
}

function terminalsOf({ graph, flow }: ChainPart) {
  const sockets = socketsOf(graph);
  return [...flow.reached].flatMap((number) => {
    const socket = sockets[number];
    const steps = flow.steps[number] ?? [];
    if (!socket || !steps.some(leadsToEnd)) return [];
    const ends = steps.filter(leadsToEnd);
    return [{ socket, ways: [...new Set(ends.map((step) => endingWayText(socket, step)))] }];
  });
}

function leadsToEnd({ way }: FlowStep): boolean {
  return way.to === END;
}

function endingWayText(socket: GraphSocket, { way, advanced }: FlowStep): string {
  if (way.via === "edge") return `its "${way.edge.when}" edge leads to end${way.then ? " when it is used up" : ""}`;
  if (way.via === "exit") return "an exit of its loop leads to end";
  if (advanced) return "it exhausts its loop without a matching exit";
  return socket.edges.length === 0 ? "it has no edges" : "an answer has no edge";
}

/** Every way from the terminal to the end, and the early end of an empty list, lead to the next entry instead. */
function redirect({ graph, flow }: ChainPart, { from, to }: Stitch): Graph {
  const terminal = socketOf(graph, from);
  const edges: readonly Edge[] = terminal.edges.map((edge) => ({
    ...edge,
    to: edge.to === END ? to : edge.to,
    ...(edge.then === END ? { then: to } : {}),
  }));
  // A part may be renumbered after its flow was computed, so sockets are matched by position.
  const place = socketsOf(graph).findIndex(({ id }) => id === from);
  const isOpen = (flow.steps[place] ?? []).some(({ way, exhausted }) => way.via === "none" && !exhausted);
  // [V2] In a parallel loop an edge that no answer takes would count as an edge out of it.
  const isShut = !isOpen && loopOf(graph, terminal)?.parallel !== undefined;
  const covered = isShut || edges.some((edge) => edge.when === "always");
  const socket: GraphSocket = { ...terminal, edges: covered ? edges : [...edges, { when: "always", to }] };
  const loops = Object.fromEntries(
    Object.entries(graph.loops).map(([id, loop]) => [id, redirectLoop(loop, terminal, to)]),
  );
  return { ...graph, sockets: { ...graph.sockets, [from]: socket }, loops };
}

function redirectLoop(loop: GraphLoop, terminal: GraphSocket, to: SocketId): GraphLoop {
  if (!loop.items) return loop;
  const exhausts = terminal.loop === loop.id && terminal.advance !== null;
  const onward = exhausts ? uncoveredConditions(loop, terminal) : [];
  const exits = onward.map((condition): GraphExit => ({
    id: `stitch:${terminal.id}:${condition}`,
    from: terminal.id,
    condition,
    targetSocketId: to,
    stitched: true,
  }));
  const written = loop.exits.map((exit) => (exit.targetSocketId === END ? { ...exit, targetSocketId: to } : exit));
  return { ...loop, exits: [...written, ...exits], emptyTo: to };
}

/** The answers for which the loop ends the cast: beside conditions an `always` would ignore the answer. */
function uncoveredConditions(loop: GraphLoop, terminal: GraphSocket): readonly Condition[] {
  const own = loop.exits.filter((exit) => exit.from === terminal.id).map((exit) => exit.condition);
  if (own.includes("always")) return [];
  if (own.length === 0 || terminal.parse === "text") return ["always"];
  return (["satisfied", "not_satisfied"] as const).filter((condition) => !own.includes(condition));
}

/** [L12] `Socket-1…n` in the order of targets, then of source ids. Loops and exits get the part's number. */
export function renumberSockets(graphs: readonly Graph[]): readonly Graph[] {
  // A single part keeps its names: casting a loadout must not rename the user's sockets.
  if (graphs.length === 1) return graphs;
  let count = 0;
  return graphs.map((graph, index) => {
    const ids = sortSocketIds(Object.keys(graph.sockets));
    const renamed = new Map<string, SocketId>(ids.map((id) => [id, `Socket-${(count += 1)}` as SocketId])); // of that form by construction
    return renameSockets(graph, renamed, `t${index + 1}-`);
  });
}

function renameSockets(graph: Graph, renamed: ReadonlyMap<string, SocketId>, prefix: string): Graph {
  const idOf = (id: SocketId): SocketId => renamed.get(id) ?? id;
  const placeOf = (to: Destination): Destination => (to === END ? END : idOf(to));
  const edgeOf = ({ then, ...edge }: Edge): Edge => ({
    ...edge,
    to: placeOf(edge.to),
    ...(then === undefined ? {} : { then: then === NEXT_ITEM ? NEXT_ITEM : placeOf(then) }),
  });
  const socketOf = (socket: GraphSocket): GraphSocket => ({
    ...socket,
    id: idOf(socket.id),
    edges: socket.edges.map(edgeOf),
    loop: socket.loop === null ? null : `${prefix}${socket.loop}`,
  });
  const loopOf = (loop: GraphLoop): GraphLoop => ({
    ...loop,
    id: `${prefix}${loop.id}`,
    sockets: loop.sockets.map(idOf),
    from: loop.from === null ? null : idOf(loop.from),
    exits: loop.exits.map((exit) => ({
      ...exit,
      id: `${prefix}${exit.id}`,
      from: idOf(exit.from),
      targetSocketId: placeOf(exit.targetSocketId),
    })),
  });
  const sockets = recordOf(Object.values(graph.sockets).map((socket) => [idOf(socket.id), socketOf(socket)]));
  const loops = recordOf(Object.values(graph.loops).map((loop) => [`${prefix}${loop.id}`, loopOf(loop)]));
  return { ...graph, entry: idOf(graph.entry), sockets, loops };
}
