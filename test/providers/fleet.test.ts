import { expect, it } from "vitest";
import { replaySteps } from "../../src/core/cast/timeline.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import { createPauseControl } from "../../src/shell/fleet/worker/dispatch-state.ts";
import { castOnce } from "../harness/effects.ts";
import { movedClock } from "../harness/moved-clock.ts";
import { startOf } from "../harness/play.ts";
import { graph, said, seat } from "../harness/seats.ts";

it("[Z16] a sleeping cast frees its slot, and is requeued when it wakes", async () => {
  const config = graph(
    { "Socket-1": seat("Build") },
    { limits: { maxNoAdvanceCycles: 3, maxRepairs: 1, waitForProvider: 9_000_000 } },
  );
  const message = "429 rate limit, try again in 2 hours";
  const answers = [{ kind: "failed", reason: "provider", message, usage: { input: 0, output: 0, cost: 0 } } as const];
  const { events } = await castOnce(config, () => answers.shift() ?? said("done"), movedClock());
  let isParked = false;
  const { signal: draining } = new AbortController();
  const park = async (): Promise<void> => {
    isParked = true;
  };
  const parking = { isParked: () => isParked, park, parked: Promise.resolve() };
  const { signal, onSteps, close } = createPauseControl({ draining, stopping: draining }, parking);
  const seen: string[] = [];
  for (const step of replaySteps(initialState(startOf(config)), events)) {
    onSteps([step]);
    seen.push(`${step.event.type} ${isParked ? "parked" : "in a slot"}${signal.aborted ? ", requeued" : ""}`);
    if (signal.aborted) break;
  }
  close();
  expect(seen).toEqual([
    "cast_started in a slot",
    "visit_started in a slot",
    "cast_sleeping parked",
    "cast_woken parked, requeued",
  ]);
});
