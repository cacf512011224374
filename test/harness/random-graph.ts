import { apply } from "../../src/core/cast/apply.ts";
import { decide, type EffectOutcome } from "../../src/core/cast/decide.ts";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import { visitCompletedEvent, next } from "../../src/core/cast/next.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { requiredHandoffFields } from "../../src/core/compile/socket-outputs.ts";
import type { Graph, GraphSocket } from "../../src/core/compile/graph.ts";
import type { Json } from "../../src/core/model/json.ts";
import { exit, type EdgeInput, type SocketInput } from "./loadouts.ts";
import type { TestConfig } from "./play.ts";

/** Chance that can be repeated: the same seed gives the same choices. */
export interface Chance {
  /** A whole number from `least` to `most`, both included. */
  readonly count: (least: number, most: number) => number;
  readonly happens: (probability: number) => boolean;
  readonly pick: <T>(first: T, ...others: readonly T[]) => T;
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const draw = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const count = (least: number, most: number): number => least + Math.floor(draw() * (most - least + 1));
  const pick = <T>(first: T, ...others: readonly T[]): T => others[count(0, others.length) - 1] ?? first;
  return { count, happens: (probability) => draw() < probability, pick };
}

const MATERIA = {
  Text: { prompt: "Write about {{request}}." },
  Json: { prompt: "Judge.", parse: "json" },
  Plan: { prompt: "Plan.", generator: true },
  Say: { type: "utility", command: ["say"] },
  Tool: { type: "utility", command: ["tool"], parse: "json" },
  List: { type: "utility", command: ["list"], generator: true },
};

/** A stretch of the spine: one socket, or the members of a loop over the list named here. */
interface Stretch {
  readonly ids: readonly string[];
  readonly list?: "workItems" | "plans";
}

/**
 * A configuration whose loadout `Main` has `size` sockets on a spine from first to last, some of them loops behind a
 * generator, with edges and exits that also lead back, aside and past. Most of them compile; what does not is a way
 * into a loop that passes its generator by.
 */
export function randomConfig(chance: Chance, size: number): TestConfig {
  const stretches = randomStretches(chance, size);
  const ids = stretches.flatMap((stretch) => stretch.ids);
  const sockets = stretches.flatMap((stretch, at) => {
    const behind = stretches[at + 1];
    return stretch.ids.map((id, index): [string, SocketInput] => {
      const onward = stretch.ids[index + 1] ?? (stretch.list ? stretch.ids[0] : behind?.ids[0]) ?? "end";
      const before = stretches[at - 1]?.ids.at(-1) ?? id;
      const isLast = index === stretch.ids.length - 1;
      return [
        id,
        randomSocket(chance, { id, ids, onward, before, stretch, isLast, mustPlan: behind?.list === "workItems" }),
      ];
    });
  });
  const loops = stretches.flatMap((stretch, at) =>
    stretch.list ? [[`loop-${at}`, randomLoop(chance, stretches, at)]] : [],
  );
  const limits = { maxNoAdvanceCycles: chance.count(0, 3), maxRepairs: chance.count(0, 2) };
  const main = { entry: ids[0], sockets: Object.fromEntries(sockets), loops: Object.fromEntries(loops) };
  return { materia: MATERIA, limits, loadouts: { Main: main } };
}

function randomStretches(chance: Chance, size: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let used = 0; used < size;) {
    const length = chance.count(1, Math.min(3, size - used));
    const ids = Array.from({ length }, (_, index) => `Socket-${used + index + 1}`);
    const afterOne = stretches.at(-1)?.ids.length === 1 && stretches.at(-1)?.list === undefined;
    if (afterOne && chance.happens(0.6))
      stretches.push({ ids, list: chance.pick("workItems", "workItems", "workItems", "plans") });
    else stretches.push(...ids.map((id) => ({ ids: [id] })));
    used += length;
  }
  return stretches;
}

interface Seat {
  readonly id: string;
  readonly ids: readonly string[];
  /** The next place on the spine. */
  readonly onward: string;
  /** The socket before the stretch: of a loop, mostly its generator. */
  readonly before: string;
  readonly stretch: Stretch;
  readonly isLast: boolean;
  readonly mustPlan: boolean;
}

function randomSocket(chance: Chance, seat: Seat): SocketInput {
  const advances = seat.stretch.list !== undefined && (seat.isLast || chance.happens(0.2));
  const materia = seat.mustPlan
    ? chance.pick("Plan", "Plan", "List")
    : chance.pick("Text", "Text", "Json", "Json", "Json", "Say", "Tool", "Plan");
  const isJson = materia !== "Text" && materia !== "Say";
  const when = isJson ? chance.pick("always", "satisfied", "satisfied", "not_satisfied") : "always";
  const items = seat.stretch.list === "plans" ? { items: "state.plans" } : {};
  return {
    materia,
    ...(advances ? { advance: { when, ...items } } : {}),
    ...(materia === "Json" && chance.happens(0.2) ? { assign: { plans: "$.workItems" } } : {}),
    edges: isJson ? randomEdges(chance, seat) : [{ when: "always", to: seat.onward }],
  };
}

function randomEdges(chance: Chance, seat: Seat): readonly EdgeInput[] {
  const onward = { when: "always", to: seat.onward };
  const aside = (when: string): EdgeInput => {
    const to = chance.happens(0.1)
      ? "end"
      : chance.pick(
          seat.id,
          seat.before,
          seat.before,
          ...seat.stretch.ids,
          ...seat.ids.slice(0, seat.ids.indexOf(seat.id) + 3),
        );
    return chance.happens(0.7) ? { when, to, maxTraversals: chance.count(1, 3) } : { when, to };
  };
  return chance.pick<readonly EdgeInput[]>(
    [onward],
    [aside("not_satisfied"), onward],
    [aside("satisfied"), onward],
    [aside("not_satisfied"), { when: "satisfied", to: seat.onward }],
    [aside("not_satisfied"), aside("satisfied")],
    [aside("always")],
    [aside("satisfied")],
    [],
  );
}

function randomLoop(chance: Chance, stretches: readonly Stretch[], at: number): object {
  const { ids, list } = stretches[at] ?? { ids: [] };
  const outside = stretches.flatMap((stretch, index) => (index === at ? [] : stretch.ids));
  const after = stretches[at + 1]?.ids[0] ?? outside[0] ?? "";
  const from = stretches[at - 1]?.ids[0] ?? "";
  const exits = ids.flatMap((id) =>
    ["satisfied", "not_satisfied", "always"]
      .filter(() => after !== "" && chance.happens(0.35))
      .map((condition) => exit(id, condition, chance.pick(after, after, after, after, ...outside))),
  );
  return { sockets: ids, exits, ...(list === "workItems" ? { consumes: { from, output: "workItems" } } : {}) };
}

/** How the agents and utilities of one cast are minded. */
export interface Mood {
  /** How likely a socket says yes; one may always say no while another is content. */
  readonly satisfied: (socket: string) => number;
  readonly valid: number;
  readonly shortest: number;
  readonly longest: number;
}

export function randomMood(chance: Chance): Mood {
  const minds = new Map<string, number>();
  const satisfied = (socket: string): number => {
    const mind = minds.get(socket) ?? chance.pick(0, 0, 0.3, 0.7, 1);
    minds.set(socket, mind);
    return mind;
  };
  const longest = chance.pick(0, 1, 1, 2, 4);
  return { satisfied, valid: chance.pick(1, 1, 0.9, 0.6), shortest: chance.pick(longest, longest, 0), longest };
}

/** What a socket says: mostly what it must return, now and then something else. */
export function randomReply(chance: Chance, mood: Mood, graph: Graph, socket: GraphSocket): string {
  const isUtility = graph.materia[socket.materia]?.type === "utility";
  // One invalid result of a utility ends the cast; more than a few would end them all.
  if (!chance.happens(isUtility ? Math.max(mood.valid, 0.97) : mood.valid)) {
    return chance.pick("", "no object", "[]", "null", "{", '{"satisfied":"yes"}', '{"workItems":[{"title":1}]}', "{}");
  }
  if (socket.parse === "text") return chance.pick("done", "", '{"satisfied":false}');
  const needed = requiredHandoffFields(graph, socket);
  const handoff: Record<string, Json> = {};
  if (needed.has("satisfied") || chance.happens(0.3)) handoff["satisfied"] = chance.happens(mood.satisfied(socket.id));
  if (needed.has("workItems") || chance.happens(0.1)) handoff["workItems"] = randomItems(chance, mood);
  if (chance.happens(0.3)) handoff["context"] = chance.pick("", "because");
  // A refusal without a reason is often invalid.
  if (handoff["satisfied"] === false && chance.happens(0.9)) handoff["context"] = "because";
  if (isUtility && chance.happens(0.3)) handoff["state"] = { plans: randomItems(chance, mood) };
  const text = JSON.stringify(handoff);
  return chance.pick(text, text, `So:\n\`\`\`json\n${text}\n\`\`\``, `I say ${text}.`);
}

function randomItems(chance: Chance, mood: Mood): Json {
  return Array.from({ length: chance.count(mood.shortest, mood.longest) }, (_, index) => ({
    title: `item ${index}`,
    context: "",
  }));
}

export interface SimulatedCast {
  readonly events: readonly CastEvent[];
  readonly state: CastState;
  readonly turns: number;
}

/** A cast with random replies, until it ends or has had `most` events. */
export function simulate(start: CastState, chance: Chance, most: number): SimulatedCast {
  const mood = randomMood(chance);
  const events: CastEvent[] = [];
  let state = start;
  let turns = 0;
  const note = (body: EventBody): void => {
    const event: CastEvent = { ...body, seq: state.seq + 1, at: "2026-01-01T00:00:00.000Z" };
    state = apply(state, event);
    events.push(event);
  };
  while (events.length < most) {
    const effect = next(state);
    if (effect.kind === "stop" || effect.kind === "wait") break;
    if (effect.kind === "fork" || effect.kind === "items" || effect.kind === "join")
      throw new Error("these graphs work on one item after another");
    if (effect.kind === "sleep") throw new Error("nobody refuses here");
    if (effect.kind === "record") for (const body of effect.events) note(body);
    else if (effect.kind === "checkpoint") note(visitCompletedEvent(state, effect.visit));
    else {
      const text = randomReply(chance, mood, state.graph, effect.socket);
      if (effect.kind === "agent") turns += 1;
      note(decide(state, effect.socket, outcomeOf(effect.kind, text)));
    }
  }
  return { events, state, turns };
}

function outcomeOf(kind: "agent" | "utility", text: string): EffectOutcome {
  if (kind === "utility") return { kind: "exited", stdout: text, cut: false };
  return { kind: "replied", text, usage: { input: 1, output: 1, cost: 0 } };
}
