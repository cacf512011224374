import type { EdgeText, LoadoutText, SocketText } from "../texts.ts";
import { chanceOf, type Chance } from "./chance.ts";
import { spoiled } from "./faults.ts";
import { withParallelLoops } from "./lanes.ts";
import { withChain } from "./chains.ts";
import { PLAN_MATERIA, randomPlans } from "./plans.ts";
import { randomShape, SHAPE_MATERIA } from "./shapes.ts";
import { MATERIA, randomCase, randomLoadout, type Case } from "./worlds.ts";

/** What cases are about. */
export const KINDS = [
  "mixed",
  "single",
  "dense",
  "links",
  "deep",
  "mutated",
  "raised",
  "lists",
  "parallel",
  "shapes",
  "chains",
  "plans",
  "broken",
  "earlier",
  "anything",
] as const;
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
    case "shapes":
      return shapes(chance, each);
    case "chains": {
      const chained = withChain(chance, each, (own) => randomLoadout(own, own.count(2, 6)));
      return chance.happens(0.4) ? withParallelLoops(chained) : chained;
    }
    case "broken":
      return broken(chance, each);
    case "earlier":
      return earlier(chance, each);
    case "anything":
      return anything(chance, each);
    case "plans": {
      const made = plans(chance, each);
      return chance.happens(0.4) ? withParallelLoops(made) : made;
    }
  }
}

function withLoadouts(each: Case, change: (loadout: LoadoutText) => LoadoutText): Case {
  const loadouts = Object.entries(each.texts.loadouts).map(([name, loadout]) => [name, change(loadout)] as const);
  return { ...each, texts: { ...each.texts, loadouts: Object.fromEntries(loadouts) } };
}

/** One loadout as people write them, or a chain of some. */
function shapes(chance: Chance, each: Case): Case {
  const loadouts = { A: randomShape(chance), B: randomShape(chance), C: randomShape(chance) };
  const targets = chance.pick<readonly string[]>(
    ["loadout:A"],
    ["loadout:A"],
    ["loadout:A", "loadout:B"],
    ["materia:Context-Check", "loadout:A"],
    ["loadout:A", "loadout:B", "loadout:C"],
  );
  return { ...each, parallel: true, targets, texts: { ...each.texts, materia: SHAPE_MATERIA, loadouts } };
}

/** Lists by way of several hands, in one loadout or a chain of two. */
function plans(chance: Chance, each: Case): Case {
  const loadouts = { A: randomPlans(chance), B: randomPlans(chance) };
  const habits = {
    echoes: chance.happens(0.8),
    repeats: chance.happens(0.4),
    alike: chance.happens(0.2),
    ...(chance.happens(0.15) ? { longest: chance.count(5, 25) } : {}),
  };
  const targets = chance.happens(0.75) ? ["loadout:A"] : ["loadout:A", "loadout:B"];
  return { ...each, habits, targets, texts: { ...each.texts, materia: { ...MATERIA, ...PLAN_MATERIA }, loadouts } };
}

/** Turns and runs are broken off; who goes on allows nothing, little or much, or gives a hint. */
function broken(chance: Chance, each: Case): Case {
  const breaks = chance.pick(0, 0.05, 0.2);
  return { ...raised(chance, each), habits: { ...each.habits, breaks } };
}

/** Parts that read the cast before: its lists, as they are or copied, and the whole in a prompt. */
function earlier(chance: Chance, each: Case): Case {
  const lists = [
    "previousCastContext.workItems",
    "previousCastContext.workItems",
    "previousCastContext.handoff.workItems",
  ];
  const [list = "", ...others] = lists;
  const loadouts = withLoadouts(each, (loadout) => {
    const sockets = Object.entries(loadout.sockets).map(([id, socket]): [string, SocketText] => {
      const from = `state.${chance.pick(list, ...others)}`;
      const { advance } = socket;
      if (advance?.items !== undefined && chance.happens(0.4))
        return [id, { ...socket, advance: { ...advance, items: from } }];
      if (!chance.happens(0.35)) return [id, socket];
      if (socket.materia === "Text") return [id, { ...socket, materia: "Recall" }];
      if (each.texts.materia[socket.materia]?.generator) return [id, socket];
      return [id, { ...socket, assign: { ...socket.assign, [chance.pick("workItems", "plans", "kept.list")]: from } }];
    });
    return { ...loadout, sockets: Object.fromEntries(sockets) };
  });
  const materia = { ...each.texts.materia, Recall: { prompt: "{{state.previousCastContext}} {{state.kept.list}}" } };
  const changed = { ...loadouts, habits: { ...each.habits, earlier: !chance.happens(0.1) } };
  return { ...changed, texts: { ...changed.texts, materia } };
}

/** Several kinds at once. */
function anything(chance: Chance, each: Case): Case {
  const base = chance.pick(
    () => each,
    () => plans(chance, each),
    () => shapes(chance, each),
    () => withChain(chance, each, (own) => randomLoadout(own, own.count(2, 6))),
  )();
  const changes = [
    (one: Case) => withLoadouts(one, (loadout) => dense(chance, loadout)),
    (one: Case) => withLoadouts(one, (loadout) => copying(chance, loadout)),
    (one: Case) => earlier(chance, one),
    (one: Case) => withParallelLoops(one),
    (one: Case) => raised(chance, one),
    (one: Case) => broken(chance, one),
  ].filter(() => chance.happens(0.4));
  return changes.reduce((one, change) => change(one), base);
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
