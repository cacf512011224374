import {
  END,
  judges,
  listOf,
  parseOf,
  type EdgeText,
  type Graph,
  type LoadoutText,
  type LoopText,
  type MateriaText,
  type SocketText,
  type Texts,
} from "./texts.ts";
import { beginningsOf, leadsOut, leadsTo, reachable } from "./ways.ts";

const CONTRACT = ["workItems", "satisfied", "context"];
const FORBIDDEN = ["__proto__", "constructor", "prototype"];
const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** The rules that one loadout breaks on its own, each as its id; none where it may be cast or linked. */
export function problemsOf(loadout: LoadoutText, texts: Texts): readonly string[] {
  const ids = Object.keys(loadout.sockets);
  const loops = Object.values(loadout.loops ?? {});
  return [
    ...(ids.includes(loadout.entry) ? [] : ["G15 entry"]),
    ...ids.flatMap((id) => (NAME.test(id) && id !== END ? [] : ["G14 id"])),
    ...ids.flatMap((id) => socketProblems(id, loadout, texts)),
    ...loops.flatMap((loop) => loopProblems(loop, loadout, texts)),
    ...memberProblems(loops, ids),
  ];
}

function socketProblems(id: string, loadout: LoadoutText, { materia }: Texts): readonly string[] {
  const socket = loadout.sockets[id];
  if (!socket) return [];
  const seated = materia[socket.materia];
  const loop = Object.values(loadout.loops ?? {}).find(({ sockets }) => sockets.includes(id));
  const edges = socket.edges ?? [];
  const closed = edges.findIndex(({ when }) => when === "always");
  const common = [
    ...(closed >= 0 && closed < edges.length - 1 ? ["G13 after always"] : []),
    ...edges.flatMap((edge) => edgeProblems(edge, loadout, loop)),
    ...(socket.advance && !loop ? ["O7 advance outside a loop"] : []),
  ];
  if (!seated) return [...common, "G15 materia"];
  const guards = [...edges.map(({ when }) => when), socket.advance?.when ?? "always"].filter(
    (when) => when !== "always",
  );
  const text = parseOf(socket, seated) === "text";
  return [
    ...common,
    ...(text && seated.generator ? ["G11 generator as text"] : []),
    ...(text && guards.length > 0 ? ["G12 guard on text"] : []),
    ...(text && judges(seated) ? ["Q3 gate as text"] : []),
    ...((seated.type ?? "agent") !== "agent" && socket.conversation ? ["I7 conversation of no agent"] : []),
    ...assignProblems(
      { ...seated.assign, ...socket.assign },
      socket,
      seated,
      loop !== undefined && listOf(loop, loadout.sockets) !== undefined,
    ),
  ];
}

function edgeProblems(edge: EdgeText, { sockets, loops }: LoadoutText, loop: LoopText | undefined): readonly string[] {
  const known = (id: string): boolean => id === END || id in sockets;
  const walks = loop !== undefined && listOf(loop, sockets) !== undefined;
  const most = edge.maxTraversals;
  return [
    ...(known(edge.to) ? [] : ["G15 to"]),
    ...(most === undefined || (Number.isInteger(most) && most >= 1) ? [] : ["G6 maxTraversals"]),
    ...(edge.then !== undefined && most === undefined ? ["G29 then without maxTraversals"] : []),
    ...(edge.then === undefined || known(edge.then) || (edge.then === "next" && (walks || !loops)) ? [] : ["G29 then"]),
    ...(edge.then === "next" && !walks ? ["G29 next outside a loop"] : []),
  ];
}

/** [H14, H15] What `assign` may read and write. */
function assignProblems(
  assign: Readonly<Record<string, string>>,
  socket: SocketText,
  materia: MateriaText,
  inLoop: boolean,
): readonly string[] {
  const agent = (materia.type ?? "agent") === "agent";
  return Object.entries(assign).flatMap(([target, source]) => {
    const [root = "", ...path] = source.split(".");
    const steps = [...target.split("."), ...path];
    if (steps.some((step) => FORBIDDEN.includes(step))) return ["H15 forbidden path"];
    if (steps.some((step) => step === "") || !["$", "state", "item"].includes(root)) return ["H14 path"];
    if (path.length === 0 && root !== "$") return ["H14 path"];
    if (target.startsWith("workItems.")) return ["H-d into a list"];
    if (root === "item" && !inLoop) return ["H14 item outside a loop"];
    if (root === "item" && !["title", "context"].includes(path[0] ?? "")) return ["H-d item"];
    if (root === "item" && path.length > 1) return ["H-d item"];
    if (root !== "$" || path.length === 0) return [];
    if (judges(materia) && !["satisfied", "context"].includes(path[0] ?? "")) return ["Q3 field"];
    if (parseOf(socket, materia) === "text") return ["H-d field of a text"];
    if (agent && !CONTRACT.includes(path[0] ?? "")) return ["H15 field"];
    return path.length > 1 && (path[0] === "context" || path[0] === "satisfied") ? ["H-d never there"] : [];
  });
}

/** [O1] A socket is a member of at most one loop. */
function memberProblems(loops: readonly LoopText[], ids: readonly string[]): readonly string[] {
  const members = loops.flatMap(({ sockets }) => sockets);
  return [
    ...(new Set(members).size < members.length ? ["O1 overlap"] : []),
    ...(members.every((id) => ids.includes(id)) ? [] : ["O1 member"]),
    ...loops.flatMap(({ sockets }) => (sockets.length === 0 ? ["O1 no member"] : [])),
  ];
}

function loopProblems(loop: LoopText, { sockets }: LoadoutText, texts: Texts): readonly string[] {
  const exits = loop.exits ?? [];
  const from = sockets[loop.consumes?.from ?? ""];
  const advancing = loop.sockets.some((id) => sockets[id]?.advance);
  const twice = (keys: readonly string[]): boolean => new Set(keys).size < keys.length;
  const named = loop.sockets.flatMap((id) => sockets[id]?.advance?.items ?? []);
  const lists = [...new Set([...named, ...(loop.consumes ? ["state.workItems"] : [])])];
  const consumes = loop.consumes && [
    ...(advancing ? [] : ["O10 no advance"]),
    ...(from && texts.materia[from.materia]?.generator && !loop.sockets.includes(loop.consumes.from)
      ? []
      : ["O11 from"]),
    ...(loop.consumes.output === "workItems" ? [] : ["O11 output"]),
  ];
  return [
    ...parallelProblems(loop, sockets, texts),
    ...(consumes ?? []),
    ...(lists.length > 1 ? ["O12 several lists"] : []),
    ...(twice(exits.map(({ id }) => id)) ? ["O13 id"] : []),
    ...(twice(exits.map((exit) => `${exit.from} ${exit.condition}`)) ? ["O13 twice"] : []),
    ...exits.flatMap((exit) => (loop.sockets.includes(exit.from) ? [] : ["O13 from"])),
    ...exits.flatMap(({ targetSocketId: to }) => {
      return to === END || (to in sockets && !loop.sockets.includes(to)) ? [] : ["O13 target"];
    }),
  ];
}

/** [V1, V2] What a loop lacks so that its items can be worked on at once. */
function parallelProblems(loop: LoopText, sockets: LoadoutText["sockets"], { materia }: Texts): readonly string[] {
  const { parallel: lanes } = loop;
  if (lanes === undefined) return [];
  const seats = loop.sockets.flatMap((id) => materia[sockets[id]?.materia ?? ""] ?? []);
  const targets = loop.sockets.flatMap((id) => (sockets[id]?.edges ?? []).flatMap(({ to, then }) => [to, then ?? END]));
  const isInside = (to: string): boolean => [END, "next", ...loop.sockets].includes(to);
  return [
    ...(Number.isInteger(lanes) && lanes >= 1 && lanes <= 64 ? [] : ["V1 lanes"]),
    ...(listOf(loop, sockets) === undefined ? ["V2 no list"] : []),
    ...(seats.some(({ type, interactive }) => type === "person" || interactive) ? ["V2 waits"] : []),
    ...(targets.every(isInside) ? [] : ["V2 leads out"]),
  ];
}

/** What is wrong with the ways of a graph whose parts are sound: a loop that can be entered before its list is there. */
export function wayProblems(graph: Graph, loops: ReadonlyMap<string, string | undefined>): readonly string[] {
  const seen = reachable(graph);
  if (writesIntoList(graph)) return ["H-d into a list"];
  return [...graph.regions.values()].flatMap((region) => {
    if (!region.list || !region.members.some((id) => seen.has(id))) return [];
    if (region.lanes !== undefined && leadsOut(graph, region)) return ["V2 leads out"];
    if (region.lanes !== undefined && beginningsOf(graph, region).size > 1) return ["V2 beginnings"];
    const from = loops.get(region.id);
    const around = from === undefined ? undefined : reachable(graph, new Set([from]));
    if (around && region.members.some((id) => around.has(id))) return ["O11 entered before"];
    return from === undefined && !madeBefore(graph, region.list, region.members) ? ["L-f nothing makes the list"] : [];
  });
}

/** [H20] Whether a target lies inside something that may be a list: of a loop, of a handoff, or a copy of one. */
function writesIntoList({ places, regions }: Graph): boolean {
  const all = [...places.values()].flatMap(({ assign, parse }) =>
    assign.map(([target, source]) => ({ target: target.split("."), source, json: parse === "json" })),
  );
  const isList = (path: readonly string[], depth: number): boolean => {
    const name = path.join(".");
    if (name === "workItems" || [...regions.values()].some(({ list }) => list?.join(".") === name)) return true;
    return all.some(({ target, source, json }) => {
      if (depth > 20 || target.some((key, index) => path[index] !== key)) return false;
      const rest = path.slice(target.length);
      const [root, ...from] = source.split(".");
      if (root === "$") return json && [...from, ...rest].join(".") === "workItems";
      return root === "state" && isList([...from, ...rest], depth + 1);
    });
  };
  return all.some(({ target }) => target.some((_, length) => length > 0 && isList(target.slice(0, length), 0)));
}

/** Whether some socket that can come before the loop may write the list. */
function madeBefore(graph: Graph, list: readonly string[], members: readonly string[]): boolean {
  // [O15] When it is entered for the first time no member has run.
  return [...reachable(graph, new Set(members))].some((id) => {
    const place = graph.places.get(id);
    if (!place || members.includes(id)) return false;
    const json =
      place.materia.type === "utility" && place.parse === "json" && !place.materia.gate && list[0] !== "workItems";
    const assigns = place.assign.some(([target]) => list.join(".").startsWith(target));
    const makes = json || assigns || (place.materia.generator === true && list.join(".") === "workItems");
    return makes && members.some((member) => leadsTo(graph, id, member));
  });
}
