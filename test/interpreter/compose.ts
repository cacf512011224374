import {
  END,
  listOf,
  parseOf,
  type EdgeText,
  type ExitText,
  type Graph,
  type LoadoutText,
  type Place,
  type Region,
  type Texts,
} from "./texts.ts";
import { problemsOf, wayProblems } from "./problems.ts";
import { reachable, waysFrom } from "./ways.ts";

export type ComposedGraph =
  | { readonly graph: Graph; readonly problems?: undefined }
  | { readonly problems: readonly string[] };

interface Part {
  readonly order: number;
  readonly loadout: LoadoutText;
}

/** [L10–L20] The targets as one graph, or the rules that they break. */
export function compose(targets: readonly string[], texts: Texts): ComposedGraph {
  const found = targets.map((target) => resolve(target, texts));
  const unknown = found.flatMap((loadout) => (typeof loadout === "string" ? [loadout] : []));
  const parts = found.flatMap((loadout, index) => (typeof loadout === "string" ? [] : [{ order: index + 1, loadout }]));
  const problems = [...unknown, ...parts.flatMap(({ loadout }) => problemsOf(loadout, texts))];
  if (problems.length > 0) return { problems };
  const named = parts.length === 1 ? parts : renumbered(parts);
  const alone = named.map((part) => graphOf(part, texts));
  const joints = alone.slice(0, -1).flatMap((graph) => (terminalsOf(graph).length === 1 ? [] : ["L18 terminals"]));
  if (joints.length > 0) return { problems: joints };
  const graph = ordered(stitched(alone));
  const froms = named.flatMap(({ loadout }) =>
    Object.entries(loadout.loops ?? {}).map(([id, loop]) => [id, loop.consumes?.from] as const),
  );
  const wrong = wayProblems(graph, new Map(froms));
  return wrong.length > 0 ? { problems: wrong } : { graph };
}

/** [L7, L8, L10] A materia is a loadout of one socket. */
function resolve(target: string, { materia, loadouts }: Texts): LoadoutText | string {
  const [, kind, name = ""] = /^(?:(materia|loadout):)?(.*)$/.exec(target) ?? [];
  const loadout = kind === "materia" || !Object.hasOwn(loadouts, name) ? undefined : loadouts[name];
  const isMateria = kind !== "loadout" && Object.hasOwn(materia, name);
  if (loadout && isMateria) return "L8 ambiguous";
  if (loadout) return loadout;
  return isMateria ? { entry: "Socket-1", sockets: { "Socket-1": { materia: name } } } : "L8 unknown";
}

/** [L12] `Socket-1…n` by target, then by number, then by name; loops and exits get their target's number. */
function renumbered(parts: readonly Part[]): readonly Part[] {
  let used = 0;
  return parts.map(({ order, loadout }) => {
    const names = new Map<string, string>([
      [END, END],
      ["next", "next"],
    ]);
    for (const id of Object.keys(loadout.sockets).toSorted(compareSources)) names.set(id, `Socket-${(used += 1)}`);
    const of = (id: string): string => names.get(id) ?? id;
    const edge = ({ to, then, ...rest }: EdgeText): EdgeText => ({
      ...rest,
      to: of(to),
      ...(then && { then: of(then) }),
    });
    const exit = (each: ExitText): ExitText => ({
      ...each,
      id: `t${order}-${each.id}`,
      from: of(each.from),
      targetSocketId: of(each.targetSocketId),
    });
    const sockets = Object.entries(loadout.sockets).map(([id, socket]) => {
      return [of(id), { ...socket, edges: (socket.edges ?? []).map(edge) }] as const;
    });
    const loops = Object.entries(loadout.loops ?? {}).map(([id, loop]) => {
      const consumes = loop.consumes && { ...loop.consumes, from: of(loop.consumes.from) };
      const rest = { sockets: loop.sockets.map(of), exits: (loop.exits ?? []).map(exit) };
      const parallel = loop.parallel === undefined ? {} : { parallel: loop.parallel };
      return [`t${order}-${id}`, { ...rest, ...parallel, ...(consumes && { consumes }) }] as const;
    });
    const made = { sockets: Object.fromEntries(sockets), loops: Object.fromEntries(loops) };
    return { order, loadout: { entry: of(loadout.entry), ...made } };
  });
}

function compareSources(left: string, right: string): number {
  const number = (id: string): number => Number(/^Socket-(\d+)$/.exec(id)?.[1] ?? Infinity);
  const [a, b] = [number(left), number(right)];
  return a === b ? (left < right ? -1 : 1) : a - b;
}

function graphOf({ order, loadout }: Part, texts: Texts): Graph {
  const loops = Object.entries(loadout.loops ?? {});
  const regions = loops.map(([id, loop]): [string, Region] => {
    const list = listOf(loop, loadout.sockets)?.split(".");
    const lanes = loop.parallel === undefined ? {} : { lanes: loop.parallel };
    const from = loop.consumes && { from: loop.consumes.from };
    const region = { id, members: loop.sockets, exits: loop.exits ?? [], onward: END };
    return [id, { ...region, ...lanes, ...from, ...(list && { list }) }];
  });
  const places = Object.entries(loadout.sockets).map(([id, socket]): [string, Place] => {
    const materia = texts.materia[socket.materia] ?? {};
    const loop = loops.find(([, { sockets }]) => sockets.includes(id))?.[0];
    const place = {
      id,
      name: socket.materia,
      materia,
      part: order,
      parse: parseOf(socket, materia),
      assign: Object.entries({ ...materia.assign, ...socket.assign }),
      edges: socket.edges ?? [],
      onward: END,
      talksOn: (materia.type ?? "agent") === "agent" && (socket.conversation ?? materia.conversation) === "item",
      ordered: false,
    };
    const advance = socket.advance && { advance: socket.advance.when ?? "always" };
    return [id, { ...place, ...advance, ...(loop !== undefined && { loop }) }];
  });
  return { entry: loadout.entry, places: new Map(places), regions: new Map(regions) };
}

/** [V3] Whether this socket makes the list of a loop: the one that it consumes from, else any socket that assigns a list. */
function feeds({ id, materia, assign }: Place, { list = [], from }: Region): boolean {
  if (from !== undefined) return from === id;
  const path = list.join(".");
  return (path === "workItems" && materia.generator === true) || assign.some(([target]) => target === path);
}

function ordered({ entry, places, regions }: Graph): Graph {
  const wide = [...regions.values()].filter(({ lanes }) => lanes !== undefined);
  const known = [...places].map(([id, place]): [string, Place] => {
    return [id, { ...place, ordered: wide.some((region) => feeds(place, region)) }];
  });
  return { entry, places: new Map(known), regions };
}

/** [L15] The sockets from which a cast can come to `end`; several ways of one are one. */
function terminalsOf(graph: Graph): readonly Place[] {
  return [...reachable(graph)].flatMap((id) => {
    const place = graph.places.get(id);
    return place && waysFrom(place, graph.regions.get(place.loop ?? "")).includes(END) ? [place] : [];
  });
}

/** [L16, L17] Every way of the one terminal to `end`, and an empty list that would have ended, lead to the next part. */
function stitched(parts: readonly Graph[]): Graph {
  const joined = parts.map((part, index) => {
    const next = parts[index + 1]?.entry;
    if (next === undefined) return part;
    const [terminal] = terminalsOf(part);
    const on = (to: string): string => (to === END ? next : to);
    const edge = (each: EdgeText): EdgeText => ({
      ...each,
      to: on(each.to),
      ...(each.then && { then: on(each.then) }),
    });
    const places = [...part.places].map(([id, place]): [string, Place] =>
      id === terminal?.id ? [id, { ...place, edges: place.edges.map(edge), onward: next }] : [id, place],
    );
    const regions = [...part.regions].map(([id, region]): [string, Region] => {
      const exits = region.exits.map((exit) => ({ ...exit, targetSocketId: on(exit.targetSocketId) }));
      return [id, { ...region, exits, onward: next }];
    });
    return { entry: part.entry, places: new Map(places), regions: new Map(regions) };
  });
  return {
    entry: joined[0]?.entry ?? END,
    places: new Map(joined.flatMap(({ places }) => [...places])),
    regions: new Map(joined.flatMap(({ regions }) => [...regions])),
  };
}
