import { apply } from "../../src/core/cast/apply.ts";
import { decide } from "../../src/core/cast/decide.ts";
import type { EventBody } from "../../src/core/cast/state/event.ts";
import { readLoopList } from "../../src/core/cast/item-lists.ts";
import { visitCompletedEvent, next, type Effect } from "../../src/core/cast/next.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { keysOf, getValue, type PersistentMap } from "../../src/core/cast/state/persistent-map.ts";
import type { GraphSocket } from "../../src/core/compile/graph.ts";
import { requiredHandoffFields } from "../../src/core/compile/socket-outputs.ts";
import { isGate } from "../../src/core/model/materia.ts";

export interface Exploration {
  /** How many items every list has. */
  readonly items: number;
  /** Whether replies that break the contract are tried as well. */
  readonly invalid: boolean;
  /** How many states of the cast may be looked at. */
  readonly most: number;
}

const AT = "2026-01-01T00:00:00.000Z";
const USAGE = { input: 1, output: 1, cost: 0 };

/** The most turns that a cast can take, every answer tried with the engine itself; nothing where there are too many states. */
export function mostTurns(start: CastState, exploring: Exploration): number | undefined {
  const known = new Map<string, number>();
  let looked = 0;
  const from = (before: CastState): number => {
    const { state, effect } = upToAnswer(before);
    if (effect.kind === "stop" || looked > exploring.most) return 0;
    const key = keyOf(state);
    const found = known.get(key);
    if (found !== undefined) return found;
    looked += 1;
    const turn = effect.kind === "agent" ? 1 : 0;
    const after = answersTo(state, effect, exploring).map((body) => turn + from(written(state, body)));
    const best = Math.max(0, ...after);
    known.set(key, best);
    return best;
  };
  const best = from(start);
  return looked > exploring.most ? undefined : best;
}

function written(state: CastState, body: EventBody): CastState {
  return apply(state, { ...body, seq: state.seq + 1, at: AT });
}

function upToAnswer(before: CastState): { readonly state: CastState; readonly effect: Effect } {
  let state = before;
  for (let effect = next(state); ; effect = next(state)) {
    if (effect.kind !== "record") return { state, effect };
    for (const body of effect.events) state = written(state, body);
  }
}

function answersTo(state: CastState, effect: Effect, exploring: Exploration): readonly EventBody[] {
  if (effect.kind === "stop" || effect.kind === "record") return [];
  if (effect.kind === "fork")
    return [{ type: "loop_forked", loop: effect.loop.id, lanes: 1, base: null, reason: "there are no trees here" }];
  if (effect.kind === "items" || effect.kind === "join") throw new Error("nothing is worked on at once here");
  if (effect.kind === "sleep") return [{ type: "cast_woken" }];
  const { socket, visit } = effect;
  if (effect.kind === "checkpoint") return [visitCompletedEvent(state, visit)];
  const materia = state.graph.materia[socket.materia];
  if (effect.kind === "wait") {
    const place = { socket: socket.id, visit: visit.number };
    if (materia?.type === "agent") return [{ type: "person_finished", ...place }];
    return [true, false].map((satisfied) => ({ type: "person_judged", ...place, satisfied, text: "" }));
  }
  if (effect.kind === "utility" && materia && isGate(materia))
    return [0, 1].map((code) => decide(state, socket, { kind: "ended", code, printed: "" }));
  const texts = repliesOf(state, socket, exploring.items);
  if (effect.kind === "utility")
    return texts.map((stdout) => decide(state, socket, { kind: "exited", stdout, cut: false }));
  // Before a person is content any words will do, and they cost a turn without being a repair.
  const isTalk = socket.interactive && (effect.ask.kind === "begin" || effect.ask.kind === "answer");
  const invalid = (exploring.invalid || isTalk) && socket.parse === "json" ? ["words"] : [];
  return [...texts, ...invalid].map((text) => decide(state, socket, { kind: "replied", text, usage: USAGE }));
}

function repliesOf({ graph }: CastState, socket: GraphSocket, items: number): readonly string[] {
  if (socket.parse === "text") return ["done"];
  const needed = requiredHandoffFields(graph, socket);
  const workItems = Array.from({ length: items }, () => ({ title: "t", context: "" }));
  const said = { ...(needed.has("workItems") ? { workItems } : {}), context: "c" };
  const yesAndNo = [true, false].map((satisfied) => JSON.stringify({ ...said, satisfied }));
  return needed.has("satisfied") ? yesAndNo : [JSON.stringify(said)];
}

/** All of a state that what follows can depend on; of when sockets were visited, only the order. */
function keyOf(state: CastState): string {
  const { phase, pass, counts, walks, satisfied, lastVisits, graph } = state;
  const moments = [...new Set([...entriesOf(lastVisits).map(([, at]) => at), pass?.since ?? 0])].toSorted(
    (a, b) => a - b,
  );
  const rank = (at: number): number => moments.indexOf(at);
  const lists = entriesOf(walks).map(([loop, walk]) => {
    const now = readLoopList(state, { items: graph.loops[loop]?.items ?? [] });
    return [loop, now === walk.list, pass?.items === walk.list, walk.taken];
  });
  const where = "visit" in phase ? { ...phase, visit: { ...phase.visit, number: 0, usage: 0, turn: 0 } } : phase;
  return JSON.stringify([
    where,
    pass && [pass.loop, pass.cursor, pass.door, pass.items.length, pass.givenUp, rank(pass.since)],
    entriesOf(counts.taken),
    entriesOf(counts.returns),
    counts.passedBy,
    lists,
    satisfied,
    entriesOf(lastVisits).map(([socket, at]) => [socket, rank(at)]),
    entriesOf(state.visits).map(([socket]) => socket),
    Object.entries(state.data).map(([key, value]) => [key, Array.isArray(value) ? value.length : value]),
  ]);
}

/** In the order of their keys: however they came into the table, it is the same table. */
function entriesOf<T>(table: PersistentMap<T>): readonly (readonly [string, T])[] {
  return keysOf(table)
    .toSorted()
    .map((key) => [key, getValue(table, key) as T] as const); // it has this key
}
