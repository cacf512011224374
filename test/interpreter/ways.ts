import {
  END,
  judges,
  matches,
  type Answer,
  type EdgeText,
  type ExitText,
  type Graph,
  type Place,
  type Region,
} from "./texts.ts";

/** [H9] Whether this socket must say `satisfied`. */
export function mustAnswer(place: Place, region: Region | undefined): boolean {
  if (place.parse !== "json" || judges(place.materia)) return false;
  const exits = place.advance === undefined ? [] : exitsOf(place, region);
  return [
    ...place.edges.map(({ when }) => when),
    place.advance ?? "always",
    ...exits.map((exit) => exit.condition),
  ].some((when) => when !== "always");
}

/** [H21] Whether a no of this socket sends work back. */
export function sendsBack({ id, edges }: Place, region: Region | undefined): boolean {
  const exits = (region?.exits ?? []).filter(({ from }) => from === id);
  return [...edges.map(({ when }) => when), ...exits.map(({ condition }) => condition)].includes("not_satisfied");
}

/** The exits that an advance of this socket can lead to. */
function exitsOf(place: Place, region: Region | undefined): readonly ExitText[] {
  return (region?.exits ?? []).filter(
    (exit) =>
      exit.from === place.id &&
      (exit.condition === "always" || place.advance === "always" || place.advance === exit.condition),
  );
}

/** Every answer that this socket can give. */
function answersOf(place: Place, region: Region | undefined): readonly Answer[] {
  if (judges(place.materia) || mustAnswer(place, region)) return [true, false];
  return place.parse === "json" ? [true, false, undefined] : [undefined];
}

/** [G1] The first edge that matches. */
export function edgeFor(place: Place, answer: Answer): EdgeText | undefined {
  return place.edges.find(({ when }) => matches(when, answer));
}

/** [O9] The exit after exhaustion: that of the answer, then `always`. */
export function exitFor(place: Place, region: Region, answer: Answer): ExitText | undefined {
  const own = region.exits.filter((exit) => exit.from === place.id);
  return (
    own.find(({ condition }) => condition !== "always" && matches(condition, answer)) ??
    own.find(({ condition }) => condition === "always")
  );
}

/** [O8] The exit of an empty list, whichever member it names. */
export function emptyExit(region: Region): ExitText | undefined {
  return region.exits.find(({ condition }) => condition === "always");
}

/** [G34] The exit behind a last item that was given up: of this member, else one that fits, else that of an empty list. */
export function givenUpExit(place: Place, region: Region, answer: Answer): ExitText | undefined {
  return (
    exitFor(place, region, answer) ??
    region.exits.find(({ condition }) => condition !== "always" && matches(condition, answer)) ??
    emptyExit(region)
  );
}

/** Where the answers of this socket lead; its `onward` stands for a way that nobody drew. */
export function waysFrom(place: Place, region: Region | undefined): readonly string[] {
  return answersOf(place, region).flatMap((answer) => {
    const edge = edgeFor(place, answer);
    const leaves = region && place.advance !== undefined && matches(place.advance, answer);
    const exhausted = leaves ? [exitFor(place, region, answer)?.targetSocketId ?? place.onward] : [];
    const then = edge?.then === undefined || edge.then === "next" ? [] : [edge.then];
    return [edge?.to ?? place.onward, ...exhausted, ...then];
  });
}

/** Where a loop leads behind a last item that this member gave up. */
function waysOfGivingUp(graph: Graph, place: Place, region: Region): readonly string[] {
  const by = (answer: Answer): string => givenUpExit(place, region, answer)?.targetSocketId ?? region.onward;
  const own = answersOf(place, region).flatMap((answer) => {
    return edgeFor(place, answer)?.then === "next" ? [by(answer)] : [];
  });
  // [V10] What cannot be merged is given up with a no.
  return region.lanes !== undefined && givesUp(graph, region) ? [...own, by(false)] : own;
}

/** [V50] Whether an edge is counted that an item may take behind its advance. */
export function countsAhead(graph: Graph, { members }: Region): boolean {
  return members.some((id) => {
    const place = graph.places.get(id);
    return [true, false, undefined].some((answer) => {
      const edge = place?.advance !== undefined && matches(place.advance, answer) ? edgeFor(place, answer) : undefined;
      return edge?.maxTraversals !== undefined && edge.to !== END;
    });
  });
}

/** [V10] Whether the loop gives items up. */
export function givesUp(graph: Graph, { members }: Region): boolean {
  return members.some((id) => graph.places.get(id)?.edges.some(({ then }) => then === "next"));
}

/** [V2] Whether an item can lead elsewhere than to a member or to the end; in a chain the end of a part is elsewhere. */
export function leadsOut(graph: Graph, region: Region): boolean {
  const inside = [END, "next", ...region.members];
  return region.members.some((id) => {
    const place = graph.places.get(id);
    const none = place && answersOf(place, region).some((answer) => !edgeFor(place, answer)) ? [place.onward] : [];
    const edges = place?.edges.flatMap(({ to, then }) => [to, then ?? END]) ?? [];
    return [...edges, ...none].some((to) => !inside.includes(to));
  });
}

/** [V2] The members at which an item can begin: where the loop is entered, and where an advance leads. */
export function beginningsOf(graph: Graph, region: Region): ReadonlySet<string> {
  const behind = region.members.flatMap((id) => {
    const place = graph.places.get(id);
    if (!place || !reachable(graph).has(id)) return [];
    return answersOf(place, region).flatMap((answer) => {
      const edge = place.advance !== undefined && matches(place.advance, answer) ? edgeFor(place, answer) : undefined;
      return edge ? [edge.to, edge.then ?? END] : [];
    });
  });
  return new Set([...doorsOf(graph, region), ...behind.filter((id) => region.members.includes(id))]);
}

/** The members by which a cast can enter a loop from outside. */
function doorsOf(graph: Graph, region: Region): readonly string[] {
  const places = [...reachable(graph)].flatMap((id) => graph.places.get(id) ?? []);
  const ways = places.flatMap((place) => {
    const own = graph.regions.get(place.loop ?? "");
    if (own === region) return [];
    return [...waysFrom(place, own), ...(own?.list ? waysOfGivingUp(graph, place, own) : [])];
  });
  const passed = [...graph.regions.values()].flatMap((each) =>
    each !== region && each.list && places.some(({ loop }) => loop === each.id)
      ? [emptyExit(each)?.targetSocketId ?? each.onward]
      : [],
  );
  return [graph.entry, ...ways, ...passed].filter((id) => region.members.includes(id));
}

/** [G28] Whether a cast can come from one socket to another, also in the next item of a pass, which begins at its door. */
export function leadsTo(graph: Graph, from: string, to: string): boolean {
  const seen = new Set(reachable(graph, new Set(), from));
  const doors = [...graph.regions.values()].flatMap((region) =>
    region.list ? doorsOf(graph, region).map((door) => ({ door, givers: giversBehind(graph, region, door) })) : [],
  );
  for (;;) {
    const next = doors.find(({ door, givers }) => !seen.has(door) && givers.some((id) => seen.has(id)));
    if (!next) return seen.has(to);
    for (const id of reachable(graph, new Set(), next.door)) seen.add(id);
  }
}

/** The members that can give up an item of a pass which began at this one. */
function giversBehind(graph: Graph, region: Region, door: string): readonly string[] {
  const seen = new Set([door]);
  for (const id of seen) {
    const place = graph.places.get(id);
    for (const to of place ? waysFrom(place, region) : []) if (region.members.includes(to)) seen.add(to);
  }
  return [...seen].filter((id) => {
    const place = graph.places.get(id);
    return place && answersOf(place, region).some((answer) => edgeFor(place, answer)?.then === "next");
  });
}

/** Every socket that a cast can reach from `entry`, going through none of `withoutKeys`. */
export function reachable(
  graph: Graph,
  without: ReadonlySet<string> = new Set(),
  entry = graph.entry,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const passed = new Set<string>();
  const open: string[] = [];
  /** [O8] Who comes from outside may pass a loop by; who is inside may not. */
  const arrive = (to: string, from: string | undefined): void => {
    open.push(to);
    const region = graph.regions.get(graph.places.get(to)?.loop ?? "");
    if (!region?.list || region.id === from || passed.has(region.id)) return;
    passed.add(region.id);
    arrive(emptyExit(region)?.targetSocketId ?? region.onward, region.id);
  };
  arrive(entry, entry === graph.entry ? undefined : graph.places.get(entry)?.loop);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const place = graph.places.get(id);
    if (!place || id === END || seen.has(id) || without.has(id)) continue;
    seen.add(id);
    const region = graph.regions.get(place.loop ?? "");
    const ways = [...waysFrom(place, region), ...(region?.list ? waysOfGivingUp(graph, place, region) : [])];
    for (const to of ways) arrive(to, place.loop);
  }
  return seen;
}
