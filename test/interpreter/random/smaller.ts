import type { EdgeText, LoadoutText, LoopText, SocketText } from "../texts.ts";
import type { Case } from "./worlds.ts";

/** The smallest case that still fails in this way, found by leaving out one thing after another. */
export function smallest(failing: Case, fails: (each: Case) => boolean): Case {
  const smaller = candidates(failing).find(fails);
  return smaller ? smallest(smaller, fails) : failing;
}

function candidates(each: Case): readonly Case[] {
  const { texts, targets } = each;
  const used = Object.entries(texts.loadouts).filter(([name]) => targets.some((target) => target.endsWith(name)));
  const kept = { ...each, texts: { ...texts, loadouts: Object.fromEntries(used) } };
  return [
    ...(used.length < Object.keys(texts.loadouts).length ? [kept] : []),
    ...(targets.length > 1 ? without(targets).map((some) => ({ ...each, targets: some })) : []),
    ...used.flatMap(([name, loadout]) =>
      smallerLoadouts(loadout).map((less) => ({
        ...each,
        texts: { ...texts, loadouts: { ...texts.loadouts, [name]: less } },
      })),
    ),
    ...(Object.keys(texts.budget).length > 0 ? [{ ...each, texts: { ...texts, budget: {} } }] : []),
  ];
}

function without<T>(list: readonly T[]): readonly (readonly T[])[] {
  return list.map((_, at) => list.toSpliced(at, 1));
}

function smallerLoadouts(loadout: LoadoutText): readonly LoadoutText[] {
  const { sockets, loops = {} } = loadout;
  return [
    ...Object.keys(sockets).flatMap((id) => (id === loadout.entry ? [] : [removed(loadout, id)])),
    ...Object.keys(loops).map((id) => ({ ...loadout, loops: omit(loops, id) })),
    ...Object.entries(sockets).flatMap(([id, socket]) =>
      smallerSockets(socket).map((less) => ({ ...loadout, sockets: { ...sockets, [id]: less } })),
    ),
    ...Object.entries(loops).flatMap(([id, loop]) =>
      smallerLoops(loop).map((less) => ({ ...loadout, loops: { ...loops, [id]: less } })),
    ),
  ];
}

function removed({ entry, sockets, loops = {} }: LoadoutText, id: string): LoadoutText {
  const left = Object.entries(omit(sockets, id)).map(([other, socket]) => {
    const edges = (socket.edges ?? []).filter(({ to, then }) => to !== id && then !== id);
    return [other, { ...socket, edges }] as const;
  });
  const changed = Object.entries(loops).map(([name, loop]) => {
    const exits = (loop.exits ?? []).filter(({ from, targetSocketId }) => from !== id && targetSocketId !== id);
    return [name, { ...loop, sockets: loop.sockets.filter((member) => member !== id), exits }] as const;
  });
  return { entry, sockets: Object.fromEntries(left), loops: Object.fromEntries(changed) };
}

function smallerSockets(socket: SocketText): readonly SocketText[] {
  const edges = socket.edges ?? [];
  return [
    ...without(edges).map((some) => ({ ...socket, edges: some })),
    ...(["parse", "assign", "advance"] as const).flatMap((key) => (key in socket ? [omit(socket, key)] : [])),
    ...Object.keys(socket.assign ?? {}).map((key) => ({ ...socket, assign: omit(socket.assign ?? {}, key) })),
    ...edges.flatMap((edge, at) => smallerEdges(edge).map((less) => ({ ...socket, edges: edges.with(at, less) }))),
    ...(socket.materia === "Text" ? [] : [{ ...socket, materia: "Text" }]),
  ];
}

function smallerEdges(edge: EdgeText): readonly EdgeText[] {
  if (edge.then !== undefined) return [omit(edge, "then")];
  return edge.maxTraversals === undefined ? [] : [omit(edge, "maxTraversals")];
}

function smallerLoops(loop: LoopText): readonly LoopText[] {
  return [
    ...without(loop.exits ?? []).map((exits) => ({ ...loop, exits })),
    ...(loop.consumes ? [omit(loop, "consumes")] : []),
    ...(loop.parallel === undefined ? [] : [omit(loop, "parallel")]),
    ...(loop.parallel === undefined || loop.parallel < 2 ? [] : [{ ...loop, parallel: 1 }]),
  ];
}

function omit<T extends object>(object: T, key: string): T {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) as T; // the key was optional
}
