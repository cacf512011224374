import { startedEvent } from "../../src/core/cast/next.ts";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import type { Ports, TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import type { RunOptions, RunOutcome } from "../../src/shell/context/run-context.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { type TestConfig, startOf } from "./play.ts";
import { graph, seat, world } from "./seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

/** One agent that may write files. */
export const one = graph({ "Socket-1": seat("Build") }, { materia: { Build: { prompt: "Build.", tools: "coding" } } });
export const failed = (reason: Extract<TurnOutcome, { kind: "failed" }>["reason"]): TurnOutcome => ({
  kind: "failed",
  reason,
  message: `it is ${reason}`,
  usage: NO_USAGE,
});

interface Once {
  readonly end: RunOutcome;
  readonly events: readonly CastEvent[];
  readonly appended: readonly (readonly CastEvent[])[];
  readonly asked: readonly TurnRequest[];
}

/** A cast of this graph with a separate store and folder; with `files` it takes checkpoints from its start. */
export async function castOnce(
  config: TestConfig,
  answer: (request: TurnRequest) => TurnOutcome,
  part: Partial<Ports> = {},
  options: Partial<RunOptions> = {},
): Promise<Once> {
  const { signal } = new AbortController();
  const ports = world(answer, part);
  const state = initialState(startOf(config));
  const firstEvents = [startedEvent(state, part.checkpoints && { commit: "c0" })];
  const end = await runCast(state, ports, { cwd: "/project", signal, firstEvents, ...options });
  return { end, events: ports.appended.flat(), appended: ports.appended, asked: ports.asked };
}

export const typesOf = (events: readonly CastEvent[]): readonly string[] => events.map(({ type }) => type);
