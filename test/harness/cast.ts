import type { CastState } from "../../src/core/cast/state/state.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { SocketId } from "../../src/core/model/ids.ts";
import type { Ports, TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { type TestConfig, startOf } from "./play.ts";
import { USAGE, graph, said, seat, socket, world } from "./seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

export const NONE = { input: 0, output: 0, cost: 0 };

export function at(id: string, visit = 1): { readonly socket: SocketId; readonly visit: number } {
  return { socket: socket(id), visit };
}

/** The totals after so many visits and turns. */
export function total(visits: number, turns: number, itemsDone = 0, all = 0) {
  return { visits, itemsDone, items: all, tokens: turns * 5, cost: turns };
}

export function completed(id: string, visits: number, turns: number, more: object = {}): object {
  return { type: "visit_completed", ...at(id), model: "test", usage: USAGE, totals: total(visits, turns), ...more };
}

export interface Cast {
  readonly events: readonly CastEvent[];
  /** The events without their number and time. */
  readonly bodies: readonly unknown[];
  readonly state: CastState;
}

/** A reply, or what becomes of the turn. */
export type Answer = string | object | ((request: TurnRequest) => TurnOutcome);

/** A cast whose agents answer one after another, the last again and again. */
export async function cast(
  from: TestConfig | CastState,
  answers: readonly Answer[],
  part: Partial<Ports> = {},
  signal = new AbortController().signal,
): Promise<Cast> {
  const state = "graph" in from ? from : initialState(startOf(from));
  const left = [...answers];
  const ports = world((request) => outcomeOf(request, (left.length > 1 ? left.shift() : left[0]) ?? "done"), part);
  const end = await runCast(state, ports, { cwd: "/project", signal });
  const events = ports.appended.flat();
  return { events, bodies: events.map(({ seq: _seq, at: _at, ...body }) => body), state: end.state };
}

function outcomeOf(request: TurnRequest, answer: Answer): TurnOutcome {
  if (typeof answer === "function") return answer(request);
  return said(typeof answer === "string" ? answer : JSON.stringify(answer));
}

/** One evaluator and nothing else. */
export const one = graph({ "Socket-1": seat("Eval") });
