import { describe, expect, it } from "vitest";
import { replaySteps } from "../../src/core/cast/timeline.ts";
import { durationText } from "../../src/core/view/numbers.ts";
import { storyLines, type StoryOptions, createStoryWriter } from "../../src/core/view/report/story.ts";
import { plainText } from "../../src/core/view/line.ts";
import {
  fullAuto,
  graphOf,
  handed,
  play,
  playOn,
  startOf,
  workItems,
  type LoadoutInput,
  type Play,
  type PlayedReplies,
} from "../harness/build.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

function story({ start, events }: Play, options: StoryOptions = {}): readonly string[] {
  return plainText(storyLines(start, events, options)).split("\n");
}

/** The lines of one visit, by its number, without the blank one behind them. */
function visit(lines: readonly string[], number: number): readonly string[] {
  const from = lines.findIndex((text) => text.startsWith(`${String(number).padStart(2)}  `));
  return lines.slice(from, lines.indexOf("", from));
}

const READY = {
  "Ignore-Artifacts": [handed({ state: { artifactIgnore: {} } })],
  "Detect-VCS": [handed({ state: { vcs: {} } })],
};
const SATISFIED = handed({ satisfied: true });

function onTo(to: string): NonNullable<LoadoutInput["sockets"][string]["edges"]> {
  return [{ when: "always", to }];
}

function one(materia: object, ...replies: readonly PlayedReplies[]): Play {
  const graph = graphOf(
    { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } },
    { Build: { prompt: "x", ...materia } },
  );
  return play(startOf(graph), { Build: replies });
}

describe("[C15] the story of a cast", () => {
  const cast = play(startOf(fullAuto()), {
    ...READY,
    "Auto-Plan": [workItems("Parse the flags", "Greet")],
    Build: ["Added a parser.", "Added a test.", "Greets."],
    "Auto-Eval": [handed({ satisfied: false, context: "no test covers\nthe empty flag" }), SATISFIED, SATISFIED],
    Maintain: ["tidy", "tidy"],
    Narrate: ["All done."],
  });
  const lines = story(cast);

  it("begins with what it was, how it ended and what it took", () => {
    expect(lines.slice(0, 5)).toEqual([
      "Cast cast-1  ✓ completed",
      "0:53 · 12 visits · 2 of 2 items done · 12 k tokens · $0.10",
      "Full-Auto",
      "Request: Add a greeting",
      "",
    ]);
  });

  it("tells a linked cast by its targets and the cast it continues", () => {
    const lineage = { targets: ["Context-Check", "Build"], fromCastId: "cast-0" };
    expect(story(cast, { lineage })[2]).toBe("linked: Context-Check → Build, continued from cast-0");
  });

  it("tells what a program set and what a generator handed over", () => {
    expect(visit(lines, 2)).toEqual([
      " 2  Detect-VCS (Socket-2)  2.0 s",
      "    set state.vcs",
      "    → Socket-3 (Auto-Plan)",
    ]);
    expect(visit(lines, 3)).toEqual([
      " 3  Auto-Plan (Socket-3)  2.0 s  1.2 k tokens",
      "    handed over 2 work items",
      "      1. Parse the flags",
      "      2. Greet",
      "    → Socket-4 (Build)",
    ]);
    expect(lines).toContain("Loop workItemIteration over the work items of Socket-3 (Auto-Plan): 2 items");
  });

  it("tells the edge taken, its count, and why the other was not", () => {
    expect(visit(lines, 5)).toEqual([
      " 5  Auto-Eval (Socket-5)  2.0 s  1.2 k tokens  item 1 of 2: Parse the flags",
      "    said: not satisfied",
      "    “no test covers the empty flag”",
      "    ✗ not satisfied → Socket-4 (Build), 1 of 3",
      "      ✓ satisfied → Socket-6 (Maintain): not taken, satisfied was false",
    ]);
    expect(visit(lines, 6)[0]).toBe(" 6  Build (Socket-4) visit 2  2.0 s  1.2 k tokens  item 1 of 2: Parse the flags");
  });

  it("tells how a loop goes on and how it is left", () => {
    expect(visit(lines, 8).slice(1)).toEqual([
      "    tidy",
      "    on to item 2 of 2: Greet",
      "    → Socket-4 (Build)",
      "      exits not tried: items remain",
    ]);
    expect(visit(lines, 11).slice(1)).toEqual([
      "    tidy",
      "    all 2 items done",
      "    exit · always → Socket-7 (Narrate)",
      "      edges not tried: all items are done",
    ]);
  });

  it("ends with the reason and what can be done now", () => {
    expect(lines.slice(-2)).toEqual([
      "✓ completed: the graph reached its end",
      "  materia link --from cast-1 Chain-Context <target> -- <prompt>  build on it",
    ]);
    expect(story(cast, { program: "/materia" }).at(-1)).toMatch(/^ {2}\/materia link/);
  });

  it("told one event at a time it is the same story", () => {
    const teller = createStoryWriter(initialState(cast.start));
    const told = [...replaySteps(initialState(cast.start), cast.events)].flatMap((step) => teller.write(step));
    expect(lines.join("\n")).toContain(plainText([...told, ...teller.flush()]));
  });
});

describe("[C15] what was handed over", () => {
  it("five titles, then how many more", () => {
    const titles = Array.from({ length: 17 }, (_, index) => `t${index + 1}`);
    const lines = story(one({ generator: true }, workItems(...titles)));
    expect(visit(lines, 1).slice(1, 8)).toEqual([
      "    handed over 17 work items",
      ...titles.slice(0, 5).map((title, index) => `      ${index + 1}. ${title}`),
      "      … and 12 more",
    ]);
  });

  it("the first lines of a text, and how long it is", () => {
    const text = "one\n\n  two\t2\nthree\nfour\n";
    expect(visit(story(one({}, text)), 1).slice(1, -1)).toEqual([
      "    one",
      "      two 2",
      "    three",
      "    … 24 characters in all",
    ]);
    expect(visit(story(one({}, " ")), 1)[1]).toBe("    no text");
  });

  it("rejected replies, how the object was found, dropped fields and their hints", () => {
    const reply = 'Well:\n```json\n{ "satisfied": true, "passed": true, "mood": 1 }\n```';
    const cast = one({ parse: "json" }, "no", reply);
    expect(visit(story(cast), 1)).toEqual([
      " 1  Build (Socket-1)  3.0 s  2.4 k tokens",
      '    reply 1 rejected: the reply holds no JSON object; it begins with "no"',
      "    said: satisfied",
      "    the object stood in a code fence",
      "    dropped passed, mood",
      '      "passed" is no longer read; use "satisfied"',
      "    → end: it has no edges",
    ]);
    expect(visit(story(one({ parse: "json" }, 'It is {"context":"fine"}.')), 1)).toContain(
      "    the object stood inside other text",
    );
  });

  it("an empty list, and a list without titles", () => {
    expect(visit(story(one({ generator: true }, workItems())), 1)[1]).toBe("    handed over no work items");
    expect(visit(story(one({ generator: true }, workItems("\u001b[31m\n"))), 1)[2]).toBe("      1. (untitled)");
  });
});

describe("[C15] what stops a cast", () => {
  const loadout: LoadoutInput = {
    entry: "Socket-1",
    sockets: {
      "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-2": {
        materia: "Judge",
        parse: "json",
        edges: [
          { when: "not_satisfied", to: "Socket-1", maxTraversals: 1 },
          { when: "always", to: "end" },
        ],
      },
    },
  };
  const NO = handed({ satisfied: false, context: "still red" });
  const stopped = play(startOf(graphOf(loadout)), { Build: ["a", "b"], Judge: [NO, NO] });

  it("a limit, the edges it left, the reason and the way out", () => {
    expect(story(stopped).slice(-11, -2)).toEqual([
      " 4  Judge (Socket-2) visit 2  2.0 s  1.2 k tokens",
      "    said: not satisfied",
      "    “still red”",
      "    ✗ not satisfied → Socket-1 (Build): not taken, limit reached: 1 of 1 times",
      "      → end: not taken, an earlier edge matched",
      "",
      "✕ failed: the edge Socket-2 → Socket-1 was taken 1 of 1 times; last reason:",
      "  still red",
      "  materia recast cast-1 --allow 1  allow this edge once more and go on",
    ]);
  });

  it("goes on after a raised limit, and idle time does not count", () => {
    const resumed = playOn(
      stopped,
      [
        { type: "limits_raised", allow: 1 },
        { type: "cast_resumed", by: "recast" },
      ],
      { Build: ["c"], Judge: [SATISFIED] },
    );
    const lines = story(resumed);
    const at = lines.indexOf("limits raised: 1 more allowed");
    expect(lines.slice(at - 1, at + 6)).toEqual([
      "",
      "limits raised: 1 more allowed",
      "resumed by recast after 2 s",
      "    ✗ not satisfied → Socket-1 (Build), 2 of 1 + 1 allowed",
      "      → end: not taken, an earlier edge matched",
      "",
      " 5  Build (Socket-1) visit 3  2.0 s  1.2 k tokens",
    ]);
    expect(lines[1]).toBe(`${durationText((resumed.events.length - 1 - 2) * 1000)} · 6 visits · 7.2 k tokens · $0.06`);
  });

  it("a failed turn, told with its visit though that is not over", () => {
    const failed = {
      kind: "failed",
      reason: "timeout",
      message: "the model\ndid not answer",
      usage: { input: 0, output: 0, cost: 0 },
    } as const;
    const cast = one({}, failed);
    expect(story(cast).slice(5)).toEqual([
      " 1  Build (Socket-1)  2.0 s  not completed",
      "    failed (timeout):",
      "    │ the model",
      "    │ did not answer",
      "",
      "✕ failed: Socket-1: the model did not answer",
      "  materia recast cast-1  try again where it stopped",
    ]);
    const again = playOn(cast, [{ type: "cast_resumed", by: "recast" }], { Build: ["done"] });
    expect(story(again)).toContain("    visit 1 of Socket-1 completed  1.2 k tokens");
  });

  it("a budget: warned before, raised to more than was used", () => {
    const sockets = {
      "Socket-1": { materia: "A", edges: onTo("Socket-2") },
      "Socket-2": { materia: "B", edges: onTo("Socket-3") },
      "Socket-3": { materia: "C" },
    };
    const start = startOf(graphOf({ entry: "Socket-1", sockets }), { budget: { maxTokens: 2000, warnAtPercent: 50 } });
    const lines = story(play(start, { A: ["x"], B: ["y"] }));
    expect(visit(lines, 1).at(-1)).toBe("    warning: 1.2 k of 2 k tokens are used");
    expect(lines.slice(-4)).toEqual([
      "    limit reached: the budget of 2 k tokens is used",
      "",
      "✕ failed: the budget of 2000 tokens is used up before Socket-3 (C)",
      "  materia recast cast-1 --budget 100000",
    ]);
  });

  it("a person: the answer so far, what was said to it, and what is waited for", () => {
    const waiting = one({ interactive: true }, "Shall I?");
    expect(story(waiting).slice(5)).toEqual([
      " 1  Build (Socket-1)  2.0 s  not completed",
      "    Shall I?",
      "    ‖ waiting for a person",
      "",
      "‖ waiting",
      "  materia continue cast-1 <message>  answer",
      "  materia continue cast-1  take the result and go on",
    ]);
    const place = { socket: waiting.state.graph.entry, visit: 1 };
    const answered = playOn(waiting, [{ type: "person_answered", ...place, text: "Yes,\nbut small" }], {
      Build: ["Like this?"],
    });
    const finished = playOn(answered, [{ type: "person_finished", ...place }]);
    expect(visit(story(finished), 1)).toEqual([
      " 1  Build (Socket-1)  6.0 s  2.4 k tokens",
      "    Shall I?",
      "    ‖ waiting for a person",
      "    the person answered",
      "    “Yes, but small”",
      "    Like this?",
      "    ‖ waiting for a person",
      "    approved by the person",
      "    handed on unchanged",
      "    → end: it has no edges",
    ]);
  });

  it("a process that is gone, a process that lives, an abort", () => {
    const cut = one({});
    expect(story(cut).slice(-2)).toEqual(["╌ interrupted", "  materia recast cast-1  go on where it stopped"]);
    expect(story(cut, { alive: true }).slice(-2)).toEqual(["◔ running", "  materia abort cast-1  stop it"]);
    expect(story(one({}, { kind: "aborted" })).slice(-2)).toEqual([
      "■ aborted: stopped by a person",
      "  materia recast cast-1  go on where it stopped",
    ]);
  });
});
