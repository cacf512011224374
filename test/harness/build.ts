import * as v from "valibot";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { apply } from "../../src/core/cast/apply.ts";
import { decide, type EffectOutcome } from "../../src/core/cast/decide.ts";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import { visitCompletedEvent, next } from "../../src/core/cast/next.ts";
import type { CastStart, CastState } from "../../src/core/cast/state/state.ts";
import type { TargetRef } from "../../src/core/command/command.ts";
import { compileTargets, type CompiledChain } from "../../src/core/compile/targets/compile.ts";
import type { Graph } from "../../src/core/compile/graph.ts";
import type { Materia } from "../../src/core/model/materia.ts";
import { CastId } from "../../src/core/model/ids.ts";
import type { Loadout } from "../../src/core/model/loadout.ts";
import { pathText } from "../../src/core/model/issue.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

export type LoadoutInput = v.InferInput<typeof Loadout>;
export type MateriaInput = Record<string, Partial<v.InferInput<typeof Materia>> | object>;

/** A chain of loadouts and materia, compiled the way a command is; throws where a command would be refused. */
export function compiled(
  config: { materia?: MateriaInput; loadouts?: Record<string, LoadoutInput> },
  ...targets: readonly string[]
): CompiledChain {
  const catalog = mergeLayers([readLayer("explicit", config)]);
  const refs = targets.map((name): TargetRef => ({ kind: "either", name }));
  const result = compileTargets(refs, catalog);
  if (!result.ok) throw new Error(result.issues.map((issue) => `${pathText(issue.path)}: ${issue.message}`).join("\n"));
  return result.value;
}

/** One loadout as a graph; a materia that is seated and not given is an agent. */
export function graphOf(loadout: LoadoutInput, materia: MateriaInput = {}, name = "Test"): Graph {
  const seated = Object.values(loadout.sockets).map((socket) => [socket.materia, { prompt: "Do it." }] as const);
  return compiled({ materia: { ...Object.fromEntries(seated), ...materia }, loadouts: { [name]: loadout } }, name)
    .graph;
}

export function emptyGraph(name = "Empty"): Graph {
  return {
    ...graphOf({ entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } }),
    name,
    sockets: {},
    materia: {},
  };
}

export const FULL_AUTO_MATERIA: MateriaInput = {
  "Ignore-Artifacts": { type: "utility", script: "Ignore-Artifacts", parse: "json" },
  "Detect-VCS": { type: "utility", script: "Detect-VCS", parse: "json" },
  "Auto-Plan": { prompt: "Plan.", generator: true },
  Build: { prompt: "Build.", tools: "coding" },
  "Auto-Eval": { prompt: "Judge.", parse: "json" },
  Maintain: { prompt: "Tidy." },
  Narrate: { prompt: "Tell." },
};

export const FULL_AUTO: LoadoutInput = {
  entry: "Socket-1",
  sockets: {
    "Socket-1": { materia: "Ignore-Artifacts", edges: [{ when: "always", to: "Socket-2" }] },
    "Socket-2": { materia: "Detect-VCS", edges: [{ when: "always", to: "Socket-3" }] },
    "Socket-3": { materia: "Auto-Plan", edges: [{ when: "always", to: "Socket-4" }] },
    "Socket-4": { materia: "Build", edges: [{ when: "always", to: "Socket-5" }] },
    "Socket-5": {
      materia: "Auto-Eval",
      edges: [
        { when: "satisfied", to: "Socket-6" },
        { when: "not_satisfied", to: "Socket-4", maxTraversals: 3 },
      ],
    },
    "Socket-6": { materia: "Maintain", advance: {}, edges: [{ when: "always", to: "Socket-4" }] },
    "Socket-7": { materia: "Narrate", edges: [{ when: "always", to: "end" }] },
  },
  loops: {
    workItemIteration: {
      sockets: ["Socket-4", "Socket-5", "Socket-6"],
      consumes: { from: "Socket-3", output: "workItems" },
      exits: [{ id: "done", from: "Socket-6", condition: "always", targetSocketId: "Socket-7" }],
    },
  },
};

export function fullAuto(): Graph {
  return graphOf(FULL_AUTO, FULL_AUTO_MATERIA, "Full-Auto");
}

export const STARTED_AT = Date.parse("2026-01-14T12:00:00.000Z");

export function startOf(graph: Graph, part: Partial<CastStart> = {}): CastStart {
  return {
    castId: v.parse(CastId, "cast-1"),
    request: "Add a greeting",
    graph,
    limits: { maxNoAdvanceCycles: 3, maxRepairs: 1 },
    budget: {},
    data: {},
    ...part,
  };
}

/** Bodies as a journal writes them, one second after another. */
export function eventsOf(bodies: readonly EventBody[], firstSeq = 1): readonly CastEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: firstSeq + index, at: timeAt(firstSeq + index - 1) }));
}

function timeAt(second: number): string {
  return new Date(STARTED_AT + second * 1000).toISOString();
}

/** What a turn gives: an object is a JSON reply, a string plain text; anything else is an outcome as it is. */
export type PlayedReplies = string | { readonly json: unknown } | EffectOutcome;

export interface Play {
  readonly start: CastStart;
  readonly events: readonly CastEvent[];
  readonly state: CastState;
}

/** A cast with scripted replies, by materia and in order; it stops where they run out, or when it ends or waits. */
export function play(
  start: CastStart,
  replies: Readonly<Record<string, readonly PlayedReplies[]>>,
  before: readonly CastEvent[] = [],
): Play {
  const left = new Map(Object.entries(replies).map(([name, list]) => [name, [...list]]));
  const events = [...before];
  let state = before.reduce(apply, initialState(start));
  const note = (body: EventBody): void => {
    const [event] = eventsOf([body], state.seq + 1);
    if (!event) return;
    state = apply(state, event);
    events.push(event);
  };
  for (;;) {
    const effect = next(state);
    if (effect.kind === "stop" || effect.kind === "wait") return { start, events, state };
    if (effect.kind === "fork")
      note({ type: "loop_forked", loop: effect.loop.id, lanes: 1, base: null, reason: "there are no trees here" });
    else if (effect.kind === "sleep") note({ type: "cast_woken" });
    else if (effect.kind === "items" || effect.kind === "join") return { start, events, state };
    else if (effect.kind === "record") for (const body of effect.events) note(body);
    else if (effect.kind === "checkpoint") note(visitCompletedEvent(state, effect.visit));
    else {
      const reply = left.get(effect.socket.materia)?.shift();
      if (reply === undefined) return { start, events, state };
      note(decide(state, effect.socket, outcomeOf(reply, effect.kind)));
    }
  }
}

/** A cast goes on after what a person did. */
export function playOn(
  { start, events, state }: Play,
  bodies: readonly EventBody[],
  replies: Readonly<Record<string, readonly PlayedReplies[]>> = {},
): Play {
  return play(start, replies, [...events, ...eventsOf(bodies, state.seq + 1)]);
}

function outcomeOf(reply: PlayedReplies, kind: "agent" | "utility"): EffectOutcome {
  if (typeof reply === "object" && "kind" in reply) return reply;
  const text = typeof reply === "string" ? reply : JSON.stringify(reply.json);
  return kind === "utility"
    ? { kind: "exited", stdout: text, cut: false }
    : { kind: "replied", text, usage: { input: 1000, output: 200, cost: 0.01 } };
}

export function handed(json: unknown): PlayedReplies {
  return { json };
}

export function workItems(...titles: readonly string[]): PlayedReplies {
  return { json: { workItems: titles.map((title) => ({ title, context: `about ${title}` })) } };
}
