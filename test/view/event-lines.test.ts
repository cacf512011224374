import { describe, expect, it } from "vitest";
import { replaySteps } from "../../src/core/cast/timeline.ts";
import { apply } from "../../src/core/cast/apply.ts";
import { eventLine, eventText, journalText } from "../../src/core/view/report/event-lines.ts";
import { lineText } from "../../src/core/view/line.ts";
import { eventsOf, fullAuto, graphOf, handed, play, playOn, startOf, workItems, type Play } from "../harness/build.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

function progress({ start, events }: Play, width?: number): readonly string[] {
  let state = initialState(start);
  return events.flatMap((event) => {
    const line = eventLine(state, event, width);
    state = apply(state, event);
    return line ? [lineText(line)] : [];
  });
}

describe("[C11] progress as plain lines", () => {
  it("visits, what they said, what came back; nothing of the bookkeeping", () => {
    const cast = play(startOf(fullAuto()), {
      "Ignore-Artifacts": [handed({})],
      "Detect-VCS": [handed({ state: { vcs: {} } })],
      "Auto-Plan": [workItems("Parse")],
      Build: ["Added\na parser.", "Added a test."],
      "Auto-Eval": [handed({ satisfied: false, context: "no test" }), "hm", handed({ satisfied: true })],
      Maintain: ["tidy"],
      Narrate: [""],
    });
    expect(progress(cast).map((line) => line.slice(9))).toEqual([
      "cast cast-1, Full-Auto: Add a greeting",
      "Ignore-Artifacts (Socket-1)",
      "Ignore-Artifacts (Socket-1) handed over its result",
      "Detect-VCS (Socket-2)",
      "Detect-VCS (Socket-2) handed over state.vcs",
      "Auto-Plan (Socket-3)",
      "Auto-Plan (Socket-3) handed over 1 work item",
      "loop workItemIteration: 1 item",
      "Build (Socket-4) item 1 of 1: Parse",
      "Build (Socket-4) said: Added a parser.",
      "Auto-Eval (Socket-5) item 1 of 1: Parse",
      "Auto-Eval (Socket-5) handed over not satisfied: no test",
      "✗ not satisfied → Socket-4 (Build), 1 of 3",
      "Build (Socket-4) visit 2, item 1 of 1: Parse",
      "Build (Socket-4) said: Added a test.",
      "Auto-Eval (Socket-5) visit 2, item 1 of 1: Parse",
      'Auto-Eval (Socket-5) reply 1 rejected: the reply holds no JSON object; it begins with "hm"',
      "Auto-Eval (Socket-5) handed over satisfied",
      "Maintain (Socket-6) item 1 of 1: Parse",
      "Maintain (Socket-6) said: tidy",
      "item 1 of 1 done",
      "Narrate (Socket-7)",
      "Narrate (Socket-7) said: nothing",
      "✓ completed: the graph reached its end",
    ]);
  });

  it("failures, retries, limits, persons and resumes", () => {
    const graph = graphOf(
      { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
      { Ask: { prompt: "x", interactive: true } },
    );
    const place = { socket: graph.entry, visit: 1 };
    const failed = {
      kind: "failed",
      reason: "timeout",
      message: "too slow",
      usage: { input: 0, output: 0, cost: 0 },
    } as const;
    const waiting = play(startOf(graph), { Ask: ["Shall I?"] });
    const stopped = playOn(
      waiting,
      [
        { type: "person_answered", ...place, text: "Yes" },
        { type: "turn_retried", ...place, attempt: 1, error: "503", delayMs: 2000 },
      ],
      { Ask: [failed] },
    );
    const resumed = playOn(
      stopped,
      [
        { type: "limits_raised", maxTokens: 5000, maxCostUsd: 2, allow: 1 },
        { type: "cast_resumed", by: "recast" },
        { type: "cast_warned", limit: "maxCostUsd", used: 0.5, of: 2 },
      ],
      { Ask: ["Done?"] },
    );
    const finished = playOn(resumed, [{ type: "person_finished", ...place }]);
    expect(
      progress(finished)
        .map((line) => line.slice(9))
        .slice(2),
    ).toEqual([
      "Ask (Socket-1) answered: Shall I?",
      "Ask (Socket-1) waits for a person",
      "the person answered: Yes",
      "Ask (Socket-1) request 1 failed, retry after 2 s: 503",
      "Ask (Socket-1) failed (timeout): too slow",
      "✕ failed: Socket-1: too slow",
      "limits raised: budget 5 k tokens, budget $2.00, 1 more allowed",
      "resumed by recast",
      "warning: $0.50 of $2.00 are used",
      "Ask (Socket-1) answered: Done?",
      "Ask (Socket-1) waits for a person",
      "Ask (Socket-1) approved by the person",
      "Ask (Socket-1) said: Done?",
      "✓ completed: the graph reached its end",
    ]);
  });

  it("the time of the journal; cut at the width", () => {
    const cast = play(startOf(fullAuto()), {});
    expect(progress(cast)[1]).toBe("12:00:01 Ignore-Artifacts (Socket-1)");
    expect(progress(cast, 20)[1]).toBe("12:00:01 Ignore-Art…");
    const [started] = eventsOf([{ type: "cast_started", castId: cast.start.castId, request: "Go", loadout: "X" }]);
    const odd = started ? [{ ...started, at: "\u001b[2Jnow" }] : [];
    expect(progress({ ...cast, events: odd })).toEqual(["--:--:-- cast cast-1, X: Go"]);
  });
});

it("[W36] every event has words in the journal view, and a progress line says the same", () => {
  const start = startOf(fullAuto());
  const cast = play(start, {
    "Ignore-Artifacts": [handed({})],
    "Detect-VCS": [handed({ state: { vcs: {} } })],
    "Auto-Plan": [workItems("Parse")],
    Build: ["Added a parser."],
    "Auto-Eval": [handed({ satisfied: true })],
    Maintain: ["tidy"],
    Narrate: ["Done."],
  });
  for (const { before, event } of replaySteps(initialState(start), cast.events)) {
    const journal = journalText(before, event);
    expect(journal.text).not.toBe("");
    expect(eventText(before, event) ?? journal).toEqual(journal);
  }
  const bookkeeping = [...replaySteps(initialState(start), cast.events)]
    .filter(({ before, event }) => eventText(before, event) === undefined)
    .map(({ before, event }) => journalText(before, event).text);
  expect(bookkeeping).toEqual(
    expect.arrayContaining([
      "Detect-VCS (Socket-2) completed",
      "Build (Socket-4) completed: 1.2 k tokens, $0.01",
      "✓ satisfied → Socket-6 (Maintain)",
      "always → end",
      "all 1 item done",
    ]),
  );
});
