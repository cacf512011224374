import { describe, expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import {
  lastHeartbeatText,
  waitReasonText,
  waitRemedy,
  waitReasonOf,
  type BlockingLimit,
  type WorkerStatus,
} from "../../src/core/view/progress/fleet-status.ts";
import { workerStretches } from "../../src/core/view/progress/timeline-rows.ts";

const worker = (state: WorkerStatus["state"], casts: number, queues = ["casts"]): WorkerStatus => ({
  worker: "w",
  host: "h",
  pid: 1,
  version: "1",
  state,
  queues,
  concurrency: 2,
  leaves: null,
  casts: Array.from({ length: casts }, (_, index) => `c-${index}`),
  silentMs: 0,
});
const LIMIT: BlockingLimit = { kind: "project", name: "p", most: 3 };

describe("what a cast waits for", () => {
  it.each<
    [
      rule: string,
      blocked: string | null,
      held: readonly BlockingLimit[],
      workers: readonly WorkerStatus[],
      text: string,
    ]
  >([
    ["[B29] a model that nobody has", "no model x", [LIMIT], [], "no worker could begin it: no model x"],
    ["[B29] a limit", null, [LIMIT], [], "held back by a limit: 3 at once of project p"],
    ["[B29] a limit of all", null, [{ kind: "all", name: "", most: 9 }], [], "held back by a limit: 9 at once in all"],
    ["[B29] nobody at all", null, [], [], "no worker serves the queue casts"],
    [
      "[B29] nobody who stays",
      null,
      [],
      [worker("draining", 0), worker("gone", 0)],
      "no worker serves the queue casts",
    ],
    ["[B29] nobody for its queue", null, [], [worker("up", 0, ["night"])], "no worker serves the queue casts"],
    ["[B29] everybody is busy", null, [], [worker("up", 2), worker("up", 2)], "every worker is busy"],
    ["[B29] a worker has room", null, [], [worker("up", 2), worker("up", 1)], "about to begin"],
  ])("%s", (_rule, blocked, held, workers, text) => {
    expect(waitReasonText(waitReasonOf({ blocked, held, queue: "casts" }, workers), "casts")).toBe(text);
  });

  it("[B72] without a worker the command that starts one is printed, for this fleet and queue", () => {
    const at = { fleet: "team", queue: "at night" };
    expect(waitRemedy({ kind: "nobody_up" }, at)).toBe('materia worker --on team --queues "at night"');
    expect(waitRemedy({ kind: "busy" }, at)).toBeUndefined();
  });

  it("[B29] foreign text never controls a terminal", () => {
    expect(waitReasonText({ kind: "blocked", why: "\u001b[2Jmodel" }, "q")).not.toContain("\u001b");
  });
});

it.each<[rule: string, state: WorkerStatus["state"], silentMs: number, text: string]>([
  ["[B29] heard of just now", "up", 900, "heard 1 s ago"],
  ["[B29] silent for longer than a beat", "up", 12_000, "silent for 12 s"],
  ["[B29] given up", "gone", 180_000, "last heard 3 min ago"],
])("%s", (_rule, state, silentMs, text) => {
  expect(lastHeartbeatText(state, silentMs)).toBe(text);
});

it("[B28] a cast went through its workers in order; who resumes what it had has not moved it", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const events = [
    { seq: 1, at, type: "cast_started", worker: "a" },
    { seq: 4, at, type: "cast_resumed", by: "materia continue" },
    { seq: 5, at, type: "cast_resumed", by: "worker a", worker: "a" },
    { seq: 9, at, type: "cast_resumed", by: "worker b", worker: "b" },
  ] as unknown as readonly CastEvent[]; // all that is read of them
  expect(workerStretches(events)).toEqual([
    { worker: "a", seq: 1 },
    { worker: "b", seq: 9 },
  ]);
});
