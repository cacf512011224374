import { expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import { lineText } from "../../src/core/view/line.ts";
import { storyLines } from "../../src/core/view/report/story.ts";
import { castStartOf } from "../../src/shell/store/cast-file.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import { planCast, startCast } from "../../src/shell/casting/start-cast.ts";
import { runShow } from "../../src/shell/commands/show.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import type { Workspace } from "../../src/shell/workspace/workspace.ts";
import { memoryStore } from "../harness/store/memory-store.ts";
import { compiled } from "../harness/play.ts";
import { graph, notSatisfied, satisfied, seat, socket } from "../harness/seats.ts";

it("[C15, C52] of a visit with 130,000 events the beginning and the end are written", () => {
  const { file } = planCast(compiled(graph({ "Socket-1": seat("Build") })).graph, { request: "do it", cwd: "/p" });
  const at = "2026-01-01T00:00:00.000Z";
  const place = { socket: socket("Socket-1"), visit: 1 };
  const retries = Array.from({ length: 130_000 }, (_, index): CastEvent => ({
    seq: index + 3,
    at,
    type: "turn_retried",
    ...place,
    attempt: 1,
    error: "again",
    delayMs: 0,
  }));
  const started: CastEvent = {
    seq: 1,
    at,
    type: "cast_started",
    castId: file.castId,
    request: "do it",
    loadout: "Main",
  };
  const visit: CastEvent = { seq: 2, at, type: "visit_started", ...place, materia: "Build", item: null };
  const text = storyLines(castStartOf(file), [started, visit, ...retries]).map(lineText);
  expect([text.length < 2_100, text.some((each) => each.includes("lines left out"))]).toEqual([true, true]);
});

it("[C52] a long cast is shown in pages", async () => {
  const { store } = memoryStore();
  const config = graph({ "Socket-1": seat("Eval", notSatisfied("Socket-1", 2_000), satisfied("end")) });
  const limits = { maxNoAdvanceCycles: 2_000, maxRepairs: 1 };
  const { file } = planCast(compiled(config).graph, { request: "do it", cwd: "/p", limits });
  let turns = 0;
  const host: AgentHost = {
    preflight: async () => [],
    runTurn: async () => {
      turns += 1;
      return {
        kind: "said",
        text: JSON.stringify({ satisfied: turns >= 1_100, context: "again" }),
        usage: NO_USAGE,
        model: "",
      };
    },
  };
  const ran = await startCast({ file }, { store, host, signal: new AbortController().signal });
  expect(ran.ok && ran.value.state.phase.kind === "ended" && ran.value.state.phase.outcome).toBe("completed");
  const place = { cwd: "/p", env: {} };
  const workspace = { place, store, root: "/p", configFiles: [], trust: { kind: "given" } } as unknown as Workspace; // the rest is not read
  const show = async (page?: number) => {
    const shown = await runShow(workspace, {
      kind: "show",
      castId: file.castId,
      ...(page === undefined ? {} : { page }),
    });
    if (!shown.ok) throw new Error(JSON.stringify(shown.issues));
    const text = shown.value.lines(100).map(lineText).join("\n");
    return [
      text.includes("Page"),
      /Page (\d of \d)/.exec(text)?.[1],
      text.match(/visit \d+/g)?.[0],
      text.split("\n").length < 4_000,
    ];
  };
  expect([await show(1), await show(2), await show()]).toEqual([
    [true, "1 of 3", "visit 2", true],
    [true, "2 of 3", "visit 501", true],
    [true, "3 of 3", "visit 1001", true],
  ]);
});
