import { expect, it } from "vitest";
import { openPointsIn } from "../../src/core/cast/state/reports.ts";
import { writeAgentPrompt } from "../../src/core/prompt/agent-prompt.ts";
import { socketOf } from "../../src/core/compile/graph.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import { NEW_VISIT, type CastState } from "../../src/core/cast/state/state.ts";
import type { ItemCastInput } from "../../src/core/cast/state/parallel-run.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import { play, startOf, type PlayedCast, type Script, type TestConfig } from "../harness/play.ts";
import { always, graph, items, notSatisfied, satisfied, seat, socket, workshop } from "../harness/seats.ts";

const yes = { satisfied: true, context: "fine" };
const no = { satisfied: false, context: "no test" };

function messages({ asked }: PlayedCast, id: string): readonly string[] {
  return asked.filter((request) => request.socket === id).map(({ prompt }) => prompt);
}

function part(prompt: string | undefined, heading: string): string | undefined {
  return prompt
    ?.split(/^## /m)
    .find((each) => each.startsWith(`${heading}\n`))
    ?.slice(heading.length)
    .trim();
}

const judged = (prompt: string): TestConfig =>
  workshop({
    materia: {
      Plan: { prompt: "Plan.", generator: true },
      Build: { prompt: "Build.", tools: "coding" },
      Eval: { prompt, parse: "json" },
      Tell: { prompt: "Tell." },
    },
  });

it("[P11] the change is a part of the message, and the system text of all visits is the same", async () => {
  const says = { Plan: [items("a", "b")], Eval: [no, yes] };
  const { asked } = await play(judged("Judge {{changes}} in {{versionControl}}."), { says });
  const evals = asked.filter(({ socket: id }) => id === "Socket-3");
  expect(new Set(evals.map(({ system }) => system)).size).toBe(1);
  expect(evals[0]?.system).toMatch(
    /^Judge \(see "Changes so far" in the message\) in \(see "Version control" in the message\)\./,
  );
  expect(part(evals[0]?.prompt, "Changes so far")).toBe(
    "Not known: the files of this cast are not kept. Look at them yourself.",
  );
  expect(part(evals[0]?.prompt, "Version control")).toBe("Not looked up. Look for .jj and .git yourself.");
});

it("[P11] the diff comes with what it is compared with", async () => {
  const { state } = await play(judged("Judge {{changes}}."), {
    says: { Plan: [items("a")], Eval: [{ fails: "stop" }] },
  });
  const at = (socketId: string, pass: CastState["pass"]) => {
    const input = { socket: socketOf(state.graph, socket(socketId)), ask: { kind: "begin" as const }, changes: "DIFF" };
    const { phase } = state;
    const visit = phase.kind === "ended" && phase.before.kind === "visiting" ? phase.before.visit : undefined;
    if (!visit) throw new Error("no visit");
    return part(writeAgentPrompt({ ...state, pass }, { ...input, visit }).prompt, "Changes so far");
  };
  expect([at("Socket-3", state.pass), at("Socket-3", null)]).toEqual([
    "Since the item began:\n\nDIFF",
    "Since the cast began:\n\nDIFF",
  ]);
});

it("[P12] a builder that was sent back sees its last report, once and cut", async () => {
  const says = { Plan: [items("a")], Build: [`first ${"x".repeat(3_000)}`, "second"], Eval: [no, no, yes] };
  const [first, again, third] = messages(await play(workshop(), { says }), "Socket-2");
  expect(part(first, "Your last report")).toBeUndefined();
  expect(part(again, "Your last report")).toMatch(/^first x{1944}… \[cut: \d+ more characters\]$/);
  expect(part(third, "Your last report")).toBe("second");
});

it("[P12] a judge that judges again receives what it refused; one that judges another item does not", async () => {
  const says = { Plan: [items("a", "b")], Eval: [no, yes] };
  const [first, again, other] = messages(await play(workshop(), { says }), "Socket-3");
  expect([first, other].map((prompt) => part(prompt, "You refused this before"))).toEqual([undefined, undefined]);
  expect(part(again, "You refused this before")).toBe("Check these points first:\n\nno test");
});

it("[P12] a planner that was sent back sees its last list", async () => {
  const config = graph({
    "Socket-1": seat("Plan", always("Socket-2")),
    "Socket-2": seat("Eval", notSatisfied("Socket-1"), satisfied("end")),
  });
  const says = { Plan: [{ ...items("a"), context: "notes" }, items("b")], Eval: [no, yes] };
  const [, again] = messages(await play(config, { says }), "Socket-1");
  expect([part(again, "Your last report"), part(again, "Your last list")]).toEqual([
    "notes",
    "Work items:\n1. a\n   about a",
  ]);
});

const GIVES_UP = JSON.parse(
  JSON.stringify(judged("Judge.")).replace('"maxTraversals":10', '"maxTraversals":1,"then":"next"'),
) as TestConfig; // a copy of it

it("[P13] an agent after the loop receives the notes, the items and what was given up", async () => {
  const says = { Plan: [{ ...items("a", "b"), context: "keep the API" }], Eval: [no, no, yes] };
  const [told] = messages(await play(GIVES_UP, { says }), "Socket-4");
  expect(part(told, "Notes of Plan (Socket-1) on all items")).toBe("keep the API");
  expect(part(told, "Items of this cast")).toBe(
    [
      "The loop over these items is over. Its steps were Build, Eval. Given up: 1 of 2.",
      "1. a (given up: no test)\n   about a\n2. b\n   about b",
    ].join("\n\n"),
  );
});

it("[P13] all given-up items are marked, of a long list as well", async () => {
  const titles = Array.from({ length: 25 }, (_, at) => `t${at}`);
  const says = { Plan: [items(...titles)], Eval: [no] };
  const [told] = messages(await play(GIVES_UP, { says }), "Socket-4");
  expect(part(told, "Items of this cast")?.match(/given up: no test/g)).toHaveLength(25);
});

const OPEN: Script = {
  says: {
    Plan: [items("a", "b")],
    Build: ["built\nOpen: types not compiled", "built again\n\nOpen:\n- docs\n- none\n\nThe end.", "b\nOpen: nothing"],
    Eval: [no, { satisfied: true, context: "fine\nOpen: not run on Windows" }],
  },
};

it("[P14] open points reach the end without being repeated, as the last answers have them", async () => {
  const played = await play(workshop(), OPEN);
  expect(part(messages(played, "Socket-4")[0], "Left open by earlier visits")).toBe(
    '- Build, "a": docs\n- Eval, "a": not run on Windows',
  );
  // Nobody inside the loop receives them.
  expect(messages(played, "Socket-2").some((prompt) => prompt.includes("Left open"))).toBe(false);
});

it("[P14] at most 20 points are kept, and of each 300 characters", async () => {
  const many = Array.from({ length: 30 }, (_, at) => `Open: point ${at}`).join("\n");
  const says = { Build: [`Open: ${"x".repeat(400)}\n${many}`] };
  const { state } = await play(graph({ "Socket-1": seat("Build") }), { says });
  expect([state.reports.open.length, Math.max(...state.reports.open.map(({ text }) => text.length))]).toEqual([
    20, 328,
  ]);
});

it.each<[text: string, points: readonly string[]]>([
  ["**Open:** one thing", ["one thing"]],
  ["- open points: a", ["a"]],
  ["Open: nothing.", []],
  ["Open: none", []],
  ["Opened: a file", []],
  ["It is open: maybe", []],
  ["Open:\n1. a\n2) b\nrest\n- c", ["a", "b"]],
])("[P14] %j has the open points %j", (text, points) => {
  expect(openPointsIn(text)).toEqual(points);
});

it("[P15] only an agent that may write learns that calls run at the same time", async () => {
  const { asked } = await play(judged("Judge."), { says: { Plan: [items("a")], Eval: [yes] } });
  const told = asked.filter(({ system }) => system.includes("Tool calls of one reply may run at the same time"));
  expect(told.map(({ socket: id }) => id)).toEqual(["Socket-2"]);
});

const REPOSITORY = {
  branch: "main",
  made: ["abc1234 Add a"],
  subjects: ["Fix b", "Start"],
  uncommitted: ["README.md", "src/"],
};

/** The message of a first visit, with facts that the shell has read. */
function firstMessage(state: CastState, id: string): string {
  const visit = { socket: socket(id), number: 1, from: null, reworked: false, ...NEW_VISIT };
  const at = { socket: socketOf(state.graph, socket(id)), visit };
  return writeAgentPrompt(state, { ...at, ask: { kind: "begin" }, repository: REPOSITORY }).prompt;
}

it("[P13, P16] agents after the loop receive branch, commits and what is not committed, planners with tools the last subjects", async () => {
  const { state } = await play(judged("Judge."), { says: { Plan: [items("a")], Eval: [yes] } });
  expect(part(firstMessage(state, "Socket-4"), "Commits of this cast")).toBe(
    "Branch: main\n- abc1234 Add a\nNot committed: README.md, src/",
  );
  expect(firstMessage(state, "Socket-1")).not.toContain("Last commits");
  const reading = workshop({
    materia: {
      Plan: { prompt: "Plan.", generator: true, tools: "readOnly" },
      Build: { prompt: "Build." },
      Eval: { prompt: "Judge.", parse: "json" },
      Tell: { prompt: "Tell." },
    },
  });
  const start = initialState(startOf(reading));
  expect(part(firstMessage(start, "Socket-1"), "Last commits of the project")).toBe("- Fix b\n- Start");
});

it.each<[data: JsonObject, text: string]>([
  [{ vcs: { kind: "git", root: "/r" } }, "git, root /r"],
  [{ vcs: { kind: "jj", root: "/r" } }, "jj (use jj, not git), root /r"],
  [{ vcs: { kind: "none", root: "/r" } }, "None. Leave the files uncommitted and create no repository."],
  [{}, "Not looked up. Look for .jj and .git yourself."],
  [{ vcs: "git" }, "Not looked up. Look for .jj and .git yourself."],
])("[P11] version control of %j is %s", async (data, text) => {
  const { asked } = await play(judged("Judge {{versionControl}}."), {
    data,
    says: { Plan: [items("a")], Eval: [yes] },
  });
  expect(part(asked.find(({ socket: id }) => id === "Socket-3")?.prompt, "Version control")).toBe(text);
});

it("[V46] in the tree of an item, version control is that of the tree", () => {
  const config = judged("Judge {{versionControl}}.");
  const place = {
    parent: "cast-1" as CastId,
    loop: "each",
    index: 0,
    attempt: 1,
    door: socket("Socket-2"),
    from: null,
  }; // of an id's form
  const window: ItemCastInput = { ...place, handed: null, notes: {}, reasons: [], base: "base", tree: null };
  const data = { ...items("a"), vcs: { kind: "git", root: "/project" } };
  const state = initialState(startOf(config, { window, data }));
  expect(part(firstMessage(state, "Socket-3"), "Version control")).toMatch(
    /^git, in a working tree for this item alone, in which you are\. Its HEAD is detached on purpose\. Commit here, on this HEAD, [^/]*$/,
  );
});
