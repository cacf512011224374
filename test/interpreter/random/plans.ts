import type { LoadoutText, LoopText, MateriaText, SocketText } from "../texts.ts";
import type { Chance } from "./chance.ts";
import { randomLoadout } from "./worlds.ts";

/** Materia that only some kinds of cases have. */
export const PLAN_MATERIA: Readonly<Record<string, MateriaText>> = {
  "Ask-Plan": { prompt: "Plan with the person.", generator: true, interactive: true, conversation: "item" },
  Echo: { type: "utility", command: ["echo"], generator: true, assign: { heard: "$.context" } },
  Sort: { type: "utility", command: ["sort"], parse: "json", assign: { plans: "$.things" } },
};

/** Lists that pass through several hands, and are named by others than the one before the loop. */
export function randomPlans(chance: Chance): LoadoutText {
  const loadout = refined(chance, randomLoadout(chance, chance.count(3, 8)));
  return shuffled(chance, asText(chance, fromElsewhere(chance, loadout)));
}

/** More sockets make lists: with a person, or from the list as it is. */
function refined(chance: Chance, loadout: LoadoutText): LoadoutText {
  const sockets = Object.entries(loadout.sockets).map(([id, socket]): [string, SocketText] => {
    const { assign, parse, ...rest } = socket;
    if (["Plan", "List"].includes(socket.materia) && chance.happens(0.4))
      return [id, { ...socket, materia: chance.pick("Ask-Plan", "Echo") }];
    if (assign?.["plans"] !== undefined && chance.happens(0.5)) return [id, { ...rest, materia: "Sort" }];
    const isPlain = !assign && (socket.edges ?? []).every(({ when }) => when === "always") && !socket.advance;
    if (isPlain && chance.happens(0.35)) return [id, { ...rest, materia: chance.pick("Plan", "Echo", "Echo", "Sort") }];
    return [id, { ...rest, ...(assign && { assign }), ...(parse && { parse }) }];
  });
  return { ...loadout, sockets: Object.fromEntries(sockets) };
}

/** A loop consumes from any generator outside, two loops from one; its list is said as well. */
function fromElsewhere(chance: Chance, loadout: LoadoutText): LoadoutText {
  const makers = Object.entries(loadout.sockets).flatMap(([id, { materia }]) =>
    ["Plan", "List", "Echo", "Ask-Plan"].includes(materia) ? [id] : [],
  );
  const loops = Object.entries(loadout.loops ?? {}).map(([name, loop]): [string, LoopText] => {
    const [first, ...others] = makers.filter((id) => !loop.sockets.includes(id));
    if (first === undefined || !chance.happens(0.6)) return [name, loop];
    const last = others.at(-1) ?? first;
    return [name, { ...loop, consumes: { from: chance.pick(first, last, ...others), output: "workItems" } }];
  });
  const walking = loops.flatMap(([, { sockets, consumes }]) => (consumes ? sockets : []));
  const sockets = Object.entries(loadout.sockets).map(([id, socket]): [string, SocketText] => {
    if (!socket.advance || !walking.includes(id)) return [id, socket];
    const { items: _items, ...advance } = socket.advance;
    const said = chance.happens(0.5) ? { items: "state.workItems" } : {};
    return [id, { ...socket, advance: { ...advance, ...said } }];
  });
  return { ...loadout, sockets: Object.fromEntries(sockets), loops: Object.fromEntries(loops) };
}

/** What could be JSON is read as text, where nothing needs it. */
function asText(chance: Chance, loadout: LoadoutText): LoadoutText {
  const sockets = Object.entries(loadout.sockets).map(([id, socket]): [string, SocketText] => {
    const whens = [...(socket.edges ?? []).map(({ when }) => when), socket.advance?.when ?? "always"];
    const isFree = ["Json", "Keep", "Tool"].includes(socket.materia) && whens.every((when) => when === "always");
    return [id, isFree && chance.happens(0.4) ? { ...socket, parse: "text" } : socket];
  });
  return { ...loadout, sockets: Object.fromEntries(sockets) };
}

/** Written in another order: of sockets, loops, members and exits. */
function shuffled(chance: Chance, { entry, sockets, loops = {} }: LoadoutText): LoadoutText {
  if (chance.happens(0.4)) return { entry, sockets, loops };
  const mixed = <T>(list: readonly T[]): readonly T[] =>
    list
      .map((each) => ({ each, at: chance.count(0, 1_000) }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ each }) => each);
  const turned = Object.entries(loops).map(([id, { exits = [], ...loop }]): [string, LoopText] => {
    return [id, { ...loop, sockets: mixed(loop.sockets), exits: mixed(exits) }];
  });
  return {
    entry,
    sockets: Object.fromEntries(mixed(Object.entries(sockets))),
    loops: Object.fromEntries(mixed(turned)),
  };
}
