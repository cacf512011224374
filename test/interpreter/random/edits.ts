import { END, type EdgeText, type LoadoutText, type SocketText } from "../texts.ts";
import type { Chance } from "./chance.ts";
import type { Case } from "./worlds.ts";

/** The case with its ways changed, as somebody changes a loadout whose cast went wrong. The answers stay as they are. */
export function withOtherWays(chance: Chance, each: Case): Case {
  const loadouts = Object.entries(each.texts.loadouts).map(
    ([name, loadout]) => [name, turned(chance, loadout)] as const,
  );
  const materia = { ...each.texts.materia, Other: { prompt: "Do something else." } };
  return { ...each, texts: { ...each.texts, materia, loadouts: Object.fromEntries(loadouts) } };
}

function turned(chance: Chance, loadout: LoadoutText): LoadoutText {
  const ids = Object.keys(loadout.sockets) as [string, ...string[]]; // a loadout has a socket
  const id = chance.pick(...ids);
  const to = chance.pick(END, ...ids);
  const put = (change: (edge: EdgeText) => EdgeText): LoadoutText => {
    const socket = loadout.sockets[id] ?? { materia: "" };
    const changed: SocketText = { ...socket, edges: (socket.edges ?? []).map(change) };
    return { ...loadout, sockets: { ...loadout.sockets, [id]: changed } };
  };
  const loops = Object.entries(loadout.loops ?? {}).map(([name, loop]) => {
    const exits = (loop.exits ?? []).map((exit) => ({ ...exit, targetSocketId: loop.sockets.includes(to) ? END : to }));
    return [name, { ...loop, exits }] as const;
  });
  return chance.pick<() => LoadoutText>(
    () => put(({ when, maxTraversals: _most, then: _then }) => ({ when, to })),
    () => put(({ when, then: _then, ...edge }) => ({ ...edge, when, maxTraversals: chance.count(1, 3) })),
    () => put(({ then: _then, ...edge }) => ({ ...edge, maxTraversals: edge.maxTraversals ?? 1, then: to })),
    () => put(({ maxTraversals: _most, then: _then, ...edge }) => edge),
    () => ({ ...loadout, loops: Object.fromEntries(loops) }),
    () => ({ ...loadout, loops: {} }),
    () => ({ ...loadout, loops: Object.fromEntries(loops.map(([id, { parallel: _lanes, ...loop }]) => [id, loop])) }),
    () => ({ ...loadout, sockets: { ...loadout.sockets, [id]: { ...loadout.sockets[id], materia: "Other" } } }),
  )();
}
