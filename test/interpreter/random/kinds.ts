import type { EdgeText, LoadoutText, SocketText } from "../texts.ts";
import { chanceOf, type Chance } from "./chance.ts";
import { spoiled } from "./faults.ts";
import { withParallelLoops } from "./lanes.ts";
import { randomCase, randomLoadout, type Case } from "./worlds.ts";

/** What cases are about. */
export const KINDS = ["mixed", "single", "dense", "links", "deep", "mutated", "raised", "lists", "parallel"] as const;
export type Kind = (typeof KINDS)[number];

export function isKind(name: string): name is Kind {
  return (KINDS as readonly string[]).includes(name);
}

export function caseOfKind(kind: Kind, seed: number): Case {
  const each = randomCase(seed);
  const chance = chanceOf(kind, seed);
  switch (kind) {
    case "mixed":
      return each;
    case "single":
      return { ...each, targets: ["loadout:A"] };
    case "dense":
      return { ...withLoadouts(each, (loadout) => dense(chance, loadout)), targets: ["loadout:A"] };
    case "links":
      return { ...each, targets: [...each.targets, ...linked(chance, each)] };
    case "deep":
      return { ...withLoadouts(each, () => randomLoadout(chance, chance.count(8, 16))), targets: ["loadout:A"] };
    case "mutated":
      return withLoadouts(each, (loadout) => mutated(chance, loadout));
    case "raised":
      return raised(chance, each);
    case "lists": {
      const copied = withLoadouts(each, (loadout) => {
        const copies = copying(chance, loadout);
        const less = chance.happens(0.15) ? walkingNothing(chance, copies) : copies;
        return chance.happens(0.3) ? deeper(less) : less;
      });
      return chance.happens(0.4) ? withParallelLoops(copied) : copied;
    }
    case "parallel":
      return withParallelLoops(each);
  }
}

function withLoadouts(each: Case, change: (loadout: LoadoutText) => LoadoutText): Case {
  const loadouts = Object.entries(each.texts.loadouts).map(([name, loadout]) => [name, change(loadout)] as const);
  return { ...each, texts: { ...each.texts, loadouts: Object.fromEntries(loadouts) } };
}

/** Up to three more edges before those of each socket that judges: to anywhere, with and without a limit. */
function dense(chance: Chance, loadout: LoadoutText): LoadoutText {
  const ids = Object.keys(loadout.sockets) as [string, ...string[]]; // a loadout has a socket
  const more = (): EdgeText => {
    const limit = chance.happens(0.5) ? { maxTraversals: chance.pick(1, 2, 3) } : {};
    const then = limit.maxTraversals !== undefined && chance.happens(0.4) ? { then: chance.pick(...ids, "end") } : {};
    return { when: chance.pick("satisfied", "not_satisfied"), to: chance.pick(...ids), ...limit, ...then };
  };
  const sockets = Object.entries(loadout.sockets).map(([id, socket]): [string, SocketText] => {
    const edges = socket.edges ?? [];
    const judges = edges.some(({ when }) => when !== "always");
    return [
      id,
      judges ? { ...socket, edges: [...Array.from({ length: chance.count(0, 3) }, more), ...edges] } : socket,
    ];
  });
  return { ...loadout, sockets: Object.fromEntries(sockets) };
}

function linked(chance: Chance, { texts }: Case): readonly string[] {
  const names = Object.keys(texts.loadouts) as [string, ...string[]]; // there is one
  const materia = Object.keys(texts.materia) as [string, ...string[]];
  return Array.from({ length: chance.count(1, 3) }, () =>
    chance.happens(0.7) ? `loadout:${chance.pick(...names)}` : `materia:${chance.pick(...materia)}`,
  );
}

function mutated(chance: Chance, loadout: LoadoutText): LoadoutText {
  return Array.from({ length: chance.count(1, 3) }).reduce<LoadoutText>((all) => spoiled(chance, all), loadout);
}

/** Lists that are kept, copied and brought back, and loops that lead to their makers. */
function copying(chance: Chance, loadout: LoadoutText): LoadoutText {
  const ids = Object.keys(loadout.sockets) as [string, ...string[]]; // a loadout has a socket
  const maker = { materia: "Plan", assign: { plans: "$.workItems" } };
  const sockets = Object.entries(loadout.sockets).map(([id, socket], index): [string, SocketText] => {
    if (index === 0 && chance.happens(0.7)) return [id, { ...maker, edges: socket.edges ?? [] }];
    if (!chance.happens(0.4)) return [id, socket];
    const copy = chance.pick({ workItems: "state.plans" }, { plans: "state.workItems" }, { "old.list": "state.plans" });
    return [id, { ...socket, assign: { ...socket.assign, ...copy } }];
  });
  const loops = Object.entries(loadout.loops ?? {}).map(([id, { consumes: _from, ...loop }]) => {
    const exits = (loop.exits ?? []).map((exit) => {
      const to = chance.pick(...ids);
      return loop.sockets.includes(to) || !chance.happens(0.5) ? exit : { ...exit, targetSocketId: to };
    });
    return [id, { ...loop, exits }] as const;
  });
  return { ...loadout, sockets: Object.fromEntries(sockets), loops: Object.fromEntries(loops) };
}

/** Its second list one level deeper in state. */
function deeper(loadout: LoadoutText): LoadoutText {
  const text = JSON.stringify(loadout).replaceAll('"state.plans"', '"state.deep.plans"');
  return JSON.parse(text.replaceAll('"plans":', '"deep.plans":')) as LoadoutText; // a copy of it
}

/** Some of its loops walk no list. */
function walkingNothing(chance: Chance, loadout: LoadoutText): LoadoutText {
  const members = Object.values(loadout.loops ?? {}).flatMap((loop) => (chance.happens(0.4) ? loop.sockets : []));
  const sockets = Object.entries(loadout.sockets).map(([id, { advance, ...socket }]): [string, SocketText] => {
    return [id, { ...socket, ...(advance && !members.includes(id) ? { advance } : {}) }];
  });
  return { ...loadout, sockets: Object.fromEntries(sockets) };
}

/** Tight limits, and a person who allows more again and again. */
function raised(chance: Chance, each: Case): Case {
  const limits = { ...each.texts.limits, maxNoAdvanceCycles: chance.count(0, 2), maxRepairs: chance.count(0, 1) };
  const budget = chance.happens(0.6) ? { maxTokens: chance.count(1, 12) * 10 + 7 } : {};
  return { ...each, raises: chance.count(1, 6), texts: { ...each.texts, limits, budget } };
}
