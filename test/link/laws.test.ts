import * as fc from "fast-check";
import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import { decide } from "../../src/core/cast/decide.ts";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import { next } from "../../src/core/cast/next.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import type { Catalog } from "../../src/core/catalog/catalog.ts";
import { compileTargets, socketOrigins, type CompiledChain } from "../../src/core/compile/targets/compile.ts";
import type { Graph, GraphSocket } from "../../src/core/compile/graph.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { deepFreeze } from "../harness/deep-freeze.ts";
import { catalogWith, refsOf } from "../harness/chain.ts";
import { chanceOf, randomConfig, randomMood, randomReply } from "../harness/random-graph.ts";
import type { TestConfig } from "../harness/play.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const NAMES = ["A", "B", "C"] as const;

/** Three random loadouts over the same materia. */
function threeLoadouts(seed: number): TestConfig {
  const chance = chanceOf(seed);
  const made = NAMES.map(() => randomConfig(chance, chance.count(1, 6)));
  const loadouts = Object.fromEntries(NAMES.map((name, index) => [name, made[index]?.loadouts?.["Main"]]));
  return { materia: made[0]?.materia ?? {}, limits: made[0]?.limits ?? {}, loadouts };
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const chains = fc.array(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 4 });

/** The chain where it can be linked; a random loadout often ends in several places. */
function chainOf(targets: readonly string[], catalog: Catalog): CompiledChain | undefined {
  const result = compileTargets(refsOf(targets.map((name) => `loadout:${name}`).join(" ")), catalog);
  return result.ok ? result.value : undefined;
}

it("[L12] renumbering loses no socket and joins no two", () => {
  let linked = 0;
  fc.assert(
    fc.property(seeds, chains, (seed, targets) => {
      const chain = chainOf(targets, catalogWith(threeLoadouts(seed)));
      // A part may lack the list that another one makes.
      if (!chain || targets.some((name) => !chainOf([name], catalogWith(threeLoadouts(seed))))) return;
      linked += 1;
      const map = socketOrigins(chain.graph);
      expect(map.map(({ socket }) => socket)).toEqual(map.map((_, index) => `Socket-${index + 1}`));
      expect(new Set(map.map(({ target, source }) => `${target} ${source}`)).size).toBe(map.length);
      const sizes = targets.map((name) =>
        Object.keys(chainOf([name], catalogWith(threeLoadouts(seed)))?.graph.sockets ?? {}),
      );
      expect(map.length).toBe(sizes.flat().length);
      expect(Object.entries(chain.graph.sockets).every(([id, socket]) => id === socket.id)).toBe(true);
      expect(Object.entries(chain.graph.loops).every(([id, loop]) => id === loop.id)).toBe(true);
    }),
    { numRuns: 300 },
  );
  expect(linked).toBeGreaterThan(20);
});

it("[L13] the same command over the same configuration gives the same graph, byte for byte", () => {
  fc.assert(
    fc.property(seeds, chains, (seed, targets) => {
      const text = JSON.stringify(threeLoadouts(seed));
      const [once, again] = [text, text].map((copy) => chainOf(targets, catalogWith(JSON.parse(copy) as TestConfig)));
      expect(JSON.stringify([again?.graph, again?.stitches, again?.id])).toBe(
        JSON.stringify([once?.graph, once?.stitches, once?.id]),
      );
    }),
  );
});

it("[L14] linking changes nothing in the catalogue", () => {
  fc.assert(
    fc.property(seeds, chains, (seed, targets) => {
      const catalog = catalogWith(threeLoadouts(seed));
      for (const entry of [...catalog.loadouts.values(), ...catalog.materia.values()]) deepFreeze(entry);
      const before = JSON.stringify([[...catalog.loadouts], [...catalog.materia]]);
      chainOf(targets, catalog);
      chainOf(["A", "Full-Auto"], catalog);
      chainOf(["Planning-Consult", ...targets], catalog);
      expect(JSON.stringify([[...catalog.loadouts], [...catalog.materia]])).toBe(before);
    }),
  );
});

const MOST_EVENTS = 400;

interface WalkedGraph {
  /** Each visit, and each turn that was asked for in it. */
  readonly visits: readonly string[];
  readonly state: CastState;
}

/** A cast in which each turn of a socket, known by its target and its own id there, gets the answer that belongs to it. */
function walk(
  graph: Graph,
  data: JsonObject,
  limits: CastState["limits"],
  answer: (key: string) => string,
): WalkedGraph {
  const castId = "test" as CastId; // of an id's form
  let state = initialState({ castId, request: "x", graph, limits, budget: {}, data });
  const turns = new Map<string, number>();
  const visits: string[] = [];
  const note = (body: EventBody): void => {
    const event: CastEvent = { ...body, seq: state.seq + 1, at: "2026-01-01T00:00:00.000Z" };
    state = apply(state, event);
    if (event.type === "visit_started") visits.push(placeOf(graph.sockets[event.socket]));
  };
  while (state.seq < MOST_EVENTS) {
    const effect = next(state);
    if (effect.kind === "stop" || effect.kind === "wait") break;
    if (effect.kind === "fork" || effect.kind === "items" || effect.kind === "join")
      throw new Error("these graphs work on one item after another");
    if (effect.kind === "sleep") throw new Error("nobody refuses here");
    if (effect.kind === "record") for (const body of effect.events) note(body);
    else {
      const place = placeOf(effect.socket);
      const turn = (turns.get(place) ?? 0) + 1;
      turns.set(place, turn);
      visits.push(`asked ${turn}`);
      const text = answer(`${place} ${turn}`);
      note(
        decide(
          state,
          effect.socket,
          effect.kind === "utility"
            ? { kind: "exited", stdout: text, cut: false }
            : { kind: "replied", text, usage: { input: 1, output: 1, cost: 0 } },
        ),
      );
    }
  }
  return { visits, state };
}

function placeOf(socket: GraphSocket | undefined): string {
  return `${socket?.origin.target} ${socket?.origin.socket}`;
}

const CHAINS = sweepSize(80, 1_500);

it(
  "[L20] a chain visits the sockets of each target as that target alone would, one target after the other",
  SWEEP,
  () => {
    let compared = 0;
    let passed = 0;
    fc.assert(
      fc.property(seeds, chains, (seed, targets) => {
        const catalog = catalogWith(threeLoadouts(seed));
        const chain = chainOf(targets, catalog);
        if (!chain) return;
        const { limits } = catalog.settings;
        const chance = chanceOf(seed + 1);
        const mood = randomMood(chance);
        const said = new Map<string, string>();
        const alone: string[] = [];
        let data: JsonObject = {};
        for (const [index, name] of targets.entries()) {
          const own = chainOf([name], catalog)?.graph;
          // A part that lacks the list which another one makes cannot be cast alone.
          if (!own) return;
          const graph = ordered(own, index + 1);
          const answer = (key: string): string => {
            const id = key.split(" ")[1] ?? "";
            const socket = graph.sockets[id];
            const text = said.get(key) ?? (socket ? randomReply(chance, mood, graph, socket) : "");
            said.set(key, text);
            return text;
          };
          const { visits, state } = walk(graph, data, limits, answer);
          alone.push(...visits);
          data = state.data;
          if (state.phase.kind !== "ended") return;
          if (state.phase.outcome === "failed") break;
          passed += index + 1 < targets.length ? 1 : 0;
        }
        if (alone.length > MOST_EVENTS / 8) return;
        compared += 1;
        const whole = walk(chain.graph, {}, limits, (key) => said.get(key) ?? "nobody was asked this alone");
        expect(whole.visits).toEqual(alone);
      }),
      { numRuns: CHAINS },
    );
    expect([compared > CHAINS / 5, passed > CHAINS / 5]).toEqual([true, true]);
  },
);

/** A single target, told which place it takes in the chain. */
function ordered(graph: Graph, target: number): Graph {
  const sockets = Object.values(graph.sockets).map((socket) => ({ ...socket, origin: { ...socket.origin, target } }));
  return { ...graph, sockets: Object.fromEntries(sockets.map((socket) => [socket.id, socket])) };
}
