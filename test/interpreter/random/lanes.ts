import { END, type EdgeText, type LoadoutText, type LoopText, type SocketText } from "../texts.ts";
import { chanceOf, type Chance } from "./chance.ts";
import type { Case } from "./worlds.ts";

/** The case with its loops in lanes: most of them as they must be for that, some as they were. */
export function withParallelLoops(each: Case): Case {
  const chance = chanceOf("lanes", each.seed);
  const { texts } = each;
  const loadouts = Object.entries(texts.loadouts).map(([name, loadout]) => [name, widened(chance, loadout)] as const);
  const limits = { ...texts.limits, ...chance.pick({}, { maxConflicts: 0 }, { maxConflicts: 1 }) };
  return { ...each, parallel: true, texts: { ...texts, limits, loadouts: Object.fromEntries(loadouts) } };
}

function widened(chance: Chance, loadout: LoadoutText): LoadoutText {
  return Object.keys(loadout.loops ?? {}).reduce((all, id) => {
    if (chance.happens(0.1)) return all;
    const loop = all.loops?.[id] ?? { sockets: [] };
    const lanes = chance.happens(0.02) ? chance.pick(0, 65, 1.5) : chance.pick(1, 2, 2, 3, 4);
    const wide = { ...all, loops: { ...all.loops, [id]: { ...loop, parallel: lanes } } };
    return chance.happens(0.08) ? wide : apart(chance, wide, loop);
  }, loadout);
}

/** [V2] Nobody waits inside, no way leads out, and every item begins at the first member. */
function apart(chance: Chance, loadout: LoadoutText, loop: LoopText): LoadoutText {
  const [door = ""] = loop.sockets;
  const isMember = (id: string): boolean => loop.sockets.includes(id);
  const inside = ({ to, then, ...edge }: EdgeText, { advance }: SocketText): EdgeText => {
    const home = advance || chance.happens(0.5) ? door : chance.pick(door, ...loop.sockets);
    const away = chance.happens(0.15) ? END : home;
    const onward = then === undefined || isMember(then) ? then : chance.pick("next", "next", END);
    const last = advance && onward !== undefined && onward !== END ? "next" : onward;
    const near = isMember(to) && (!advance || to === door) ? to : away;
    return { ...edge, to: near, ...(last === undefined ? {} : { then: last }) };
  };
  const outside = ({ to, then, ...edge }: EdgeText): EdgeText => ({
    ...edge,
    to: isMember(to) ? door : to,
    ...(then === undefined ? {} : { then: isMember(then) ? door : then }),
  });
  const sockets = Object.entries(loadout.sockets).map(([id, socket]) => {
    const edges = (socket.edges ?? []).map((edge) => (isMember(id) ? inside(edge, socket) : outside(edge)));
    const waits = isMember(id) && (socket.materia === "Chat" || socket.materia === "Person");
    return [id, { ...socket, ...(waits ? { materia: "Json" } : {}), edges }] as const;
  });
  const loops = Object.entries(loadout.loops ?? {}).map(([id, each]) => {
    const exits = (each.exits ?? []).map((exit) => ({
      ...exit,
      targetSocketId: isMember(exit.targetSocketId) ? door : exit.targetSocketId,
    }));
    return [id, { ...each, exits }] as const;
  });
  return { ...loadout, sockets: Object.fromEntries(sockets), loops: Object.fromEntries(loops) };
}
