import { expect, it } from "vitest";
import { NEW_VISIT } from "../../src/core/cast/state/state.ts";
import { socketOf } from "../../src/core/compile/graph.ts";
import { writeAgentPrompt } from "../../src/core/prompt/agent-prompt.ts";
import { startedEvent } from "../../src/core/cast/next.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import type { ItemCastInput } from "../../src/core/cast/state/parallel-run.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import { resolvesMarks } from "../../src/shell/git/diff.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { startOf } from "../harness/play.ts";
import { always, graph, items, loop, notSatisfied, said, satisfied, seat, socket, world } from "../harness/seats.ts";

const MARKED = ["a", "<<<<<<< ours", "b", "=======", "c", ">>>>>>> theirs", "d", "e"];

it.each<[rule: string, resolved: readonly string[], is: boolean]>([
  ["both sides", ["a", "b", "c", "d", "e"], true],
  ["neither side", ["a", "d", "e"], true],
  ["other words", ["a", "x", "y", "d", "e"], true],
  ["a line before the hunk", ["A", "b", "d", "e"], false],
  ["a line after the hunk", ["a", "b", "d", "E"], false],
  ["one line less after it", ["a", "b", "e"], false],
  ["marks that stay", MARKED, false],
])("[V51] %s: only the hunk changed", (_rule, resolved, is) => {
  expect(resolvesMarks(MARKED, resolved)).toBe(is);
});

it("[V51] two hunks, and a file without any", () => {
  const two = [...MARKED, ...MARKED];
  expect(resolvesMarks(two, ["a", "b", "d", "e", "a", "c", "d", "e"])).toBe(true);
  expect(resolvesMarks(two, ["a", "b", "d", "x", "e", "a", "c", "d", "e"])).toBe(false);
  expect([resolvesMarks(["a"], ["b"]), resolvesMarks(["<<<<<<< x", "a"], ["b"])]).toEqual([false, false]);
});

const config = graph(
  {
    "Socket-1": seat("Plan", always("Socket-2")),
    "Socket-2": seat("Build", always("Socket-3")),
    "Socket-3": seat("Gate", satisfied("Socket-4"), notSatisfied("Socket-2")),
    "Socket-4": seat("Eval", satisfied("Socket-5"), notSatisfied("Socket-2")),
    "Socket-5": { ...seat("Commit", always("Socket-2")), advance: {} },
  },
  {
    materia: {
      Build: { prompt: "Build.", tools: "coding" },
      Gate: { type: "utility", command: ["gate"], gate: true },
      Commit: { prompt: "Commit.", tools: "coding" },
    },
    loops: { each: { ...loop(["Socket-2", "Socket-3", "Socket-4", "Socket-5"]), parallel: 2 } },
  },
);

function windowWith(accepted: boolean): ItemCastInput {
  const place = {
    parent: "cast-1" as CastId,
    loop: "each",
    index: 0,
    attempt: 2,
    door: socket("Socket-2"),
    from: null,
  }; // of an id's form
  const handed = {
    socket: socket("Socket-2"),
    materia: "Build",
    item: "a",
    text: "conflict",
    reason: "conflict",
    workItems: null,
  };
  const reasons = [{ socket: socket("Socket-2"), materia: "Build", item: "a", text: "conflict" }];
  return {
    ...place,
    handed,
    notes: {},
    reasons,
    base: "base",
    tree: "tree",
    merging: { accepted },
  };
}

/** The sockets of the agents that are asked in the cast of an item after a conflict. */
async function askedAfterConflict({ accepted = true, resolves = true, gates = [0] } = {}): Promise<readonly string[]> {
  const window = windowWith(accepted);
  const state = initialState(startOf(config, { window, data: items("a") }));
  let number = 0;
  const codes = [...gates];
  const { asked, appended, ...ports } = world(
    ({ materia }) => said(materia === "Eval" ? '{"satisfied":true}' : "done"),
    {
      runUtility: async () => ({ kind: "judged", code: codes.shift() ?? 0, stdout: "ran", stderr: "" }),
      checkpoints: {
        take: async () => ({ commit: `c${(number += 1)}`, changed: 1, added: 1, removed: 0 }),
        describe: async () => "DIFF",
        isResolution: async () => resolves,
      },
    },
  );
  const signal = new AbortController().signal;
  await runCast(state, ports, { cwd: "/tree", signal, firstEvents: [startedEvent(state, { commit: "c0" })] });
  expect(appended.flat().at(-1)).toMatchObject({ type: "cast_ended", outcome: "completed" });
  return asked.map(({ socket: id }) => id);
}

it("[V51] where only conflicting hunks changed and the gates pass, judge and committer are not asked again", async () => {
  expect(await askedAfterConflict()).toEqual(["Socket-2"]);
});

it("[V51] where more changed, or the work was never accepted, they are asked", async () => {
  const all = ["Socket-2", "Socket-4", "Socket-5"];
  expect(await askedAfterConflict({ resolves: false })).toEqual(all);
  expect(await askedAfterConflict({ accepted: false })).toEqual(all);
});

it("[V51] a gate that refuses sends it back to the builder, which is asked", async () => {
  expect(await askedAfterConflict({ gates: [1, 0] })).toEqual(["Socket-2", "Socket-2"]);
});

it("[V52] a judge that continues its conversation after a conflict receives the merged change and why it is asked", () => {
  const state = initialState(startOf(config, { window: windowWith(true), data: items("a") }));
  const continues = { visit: 1, castId: "cast-1_1_WI-1" as CastId, commit: null, begun: 0 }; // of an id's form
  const visit = { socket: socket("Socket-4"), number: 1, from: null, reworked: false, ...NEW_VISIT, continues };
  const at = { socket: socketOf(state.graph, socket("Socket-4")), visit, ask: { kind: "begin" as const } };
  const { prompt } = writeAgentPrompt(state, { ...at, changes: "DIFF" });
  expect(prompt).toContain("This work was accepted. Then it was merged with the work of other items");
  expect(prompt).toContain("## Changes so far\n\nCompared with the merged work of the other items:\n\nDIFF");
  expect(prompt).not.toContain("refused");
});
