import { expect, it } from "vitest";
import type { ItemCastInput } from "../../src/core/cast/state/parallel-run.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";
import { bundledLayer } from "../../src/core/catalog/bundled-layer.ts";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readMateria } from "../../src/core/catalog/read-materia.ts";
import type { CastId } from "../../src/core/model/ids.ts";
import type { TurnRequest } from "../../src/shell/ports.ts";
import { continueTranscript, readConversation, readTranscript } from "../../src/shell/agents/transcript.ts";
import { recordedInputsOf } from "../../src/core/replay/differences.ts";
import { replayCast } from "../../src/core/replay/replay.ts";
import { storyLines } from "../../src/core/view/report/story.ts";
import { lineText } from "../../src/core/view/line.ts";
import { cast } from "../harness/cast.ts";
import { startOf, type TestConfig } from "../harness/play.ts";
import { refusals, said, socket, world } from "../harness/seats.ts";
import { startedEvent } from "../../src/core/cast/next.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";

const NO = JSON.stringify({ satisfied: false, context: "the edge case fails" });
const YES = JSON.stringify({ satisfied: true });
const PLAN = JSON.stringify({ workItems: ["a", "b"].map((title) => ({ title, context: `do ${title}` })) });

function config(limits: object = {}, more: { build?: object; socket?: object } = {}): TestConfig {
  return {
    limits,
    materia: {
      Plan: { prompt: "Plan.", generator: true },
      Build: { prompt: "Build.", conversation: "item", ...more.build },
      Judge: { prompt: "Judge.", parse: "json", conversation: "item" },
    },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": { materia: "Build", ...more.socket, edges: [{ when: "always", to: "Socket-3" }] },
          "Socket-3": {
            materia: "Judge",
            advance: { when: "satisfied" },
            edges: [
              { when: "not_satisfied", to: "Socket-2", maxTraversals: 20 },
              { when: "satisfied", to: "Socket-2" },
            ],
          },
        },
        loops: { each: { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" } } },
      },
    },
  } as TestConfig;
}

const HEADER = { type: "session", version: 3, id: "s", timestamp: "t", cwd: "/" };
const USAGE = { input: 20, output: 4, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };

function transcript(words: string, reply: object = {}, ...parts: readonly object[]): string {
  const message = { role: "assistant", provider: "a", model: "b", stopReason: "stop", usage: USAGE };
  return [
    HEADER,
    {
      type: "message",
      id: "1",
      parentId: null,
      message: { role: "user", content: [{ type: "text", text: words }, ...parts] },
    },
    {
      type: "message",
      id: "2",
      parentId: "1",
      message: { ...message, content: [{ type: "text", text: "done" }], ...reply },
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

const SOUND = transcript("Do it.");

/** A cast whose first item is refused so often, and what its agents were asked. */
async function started(
  text: string | undefined,
  limits: object = {},
  more: Parameters<typeof config>[1] = {},
  times = 1,
) {
  const asked: TurnRequest[] = [];
  const answers = [PLAN, ...Array.from({ length: times }, () => ["built", NO]).flat(), "built", YES, "built", YES];
  const run = await cast(
    config(limits, more),
    answers.map((answer) => (request: TurnRequest) => {
      asked.push(request);
      return said(answer);
    }),
    { readTranscript: async () => text },
  );
  const visits = run.events.flatMap((event) =>
    event.type === "visit_started" ? [`${event.socket}#${event.visit} ${event.continues ?? event.fresh ?? "-"}`] : [],
  );
  return { visits, asked, events: run.events, state: run.state };
}

const ONE_REFUSAL = (again: string) => [
  "Socket-1#1 -",
  "Socket-2#1 -",
  "Socket-3#1 -",
  `Socket-2#2 ${again}`,
  `Socket-3#2 ${again}`,
  "Socket-2#3 -",
  "Socket-3#3 -",
];

it("[I1, I2] builder and judge continue after a refusal, and start anew for the next item", async () => {
  expect((await started(SOUND)).visits).toEqual(ONE_REFUSAL("1"));
});

it("[I1] the socket wins over its materia", async () => {
  const { visits } = await started(SOUND, {}, { socket: { conversation: "fresh" } });
  expect(visits.filter((visit) => visit.startsWith("Socket-2"))).toEqual([
    "Socket-2#1 -",
    "Socket-2#2 -",
    "Socket-2#3 -",
  ]);
});

it("[I1, I2] ten refusals: each visit continues the one before", async () => {
  const { visits } = await started(SOUND, {}, {}, 10);
  const builds = visits.filter((visit) => visit.startsWith("Socket-2"));
  expect(builds.slice(1, 11)).toEqual(Array.from({ length: 10 }, (_, at) => `Socket-2#${at + 2} ${at + 1}`));
  expect(builds[11]).toBe("Socket-2#12 -");
});

it("[I2] a judge continues also when a socket that has not run yet mends what it refused", async () => {
  const way = (to: string, when = "always") => ({ when, to });
  const judged: TestConfig = {
    ...config(),
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Build", edges: [way("Socket-2")] },
          "Socket-2": { materia: "Judge", edges: [way("end", "satisfied"), way("Socket-3", "not_satisfied")] },
          "Socket-3": { materia: "Build", edges: [way("Socket-2")] },
        },
      },
    },
  };
  const { events } = await cast(judged, ["built", NO, "mended", YES], { readTranscript: async () => SOUND });
  const begun = events.flatMap((event) => (event.type === "visit_started" ? [event.continues ?? null] : []));
  expect(begun).toEqual([null, null, null, 1]);
});

const IMAGE = { type: "image", data: "A".repeat(400_000), mimeType: "image/png" };

it.each<[what: string, text: string | undefined, again: string]>([
  ["[I4] there is none", undefined, "missing"],
  ["[I4] it is empty", "", "missing"],
  ["[I4] its last line is cut", SOUND.slice(0, -20), "missing"],
  ["[I4] its end is missing", `${SOUND.split("\n").slice(0, 2).join("\n")}\n`, "missing"],
  ["[I4] a line was removed", SOUND.replace(/\n[^\n]*"id":"1"[^\n]*/, ""), "missing"],
  [
    "[I4] a line was edited into no message",
    SOUND.replace('"role":"user","content":[', '"role":"user","content":7,"x":['),
    "missing",
  ],
  ["[I4] the last reply was a tool call", transcript("x", { stopReason: "toolUse" }), "missing"],
  ["[I4] it is of 3 MB", transcript("x".repeat(3_000_000)), "length"],
  ["[I4] the provider counted more", transcript("x", { usage: { ...USAGE, cacheRead: 60_000 } }), "length"],
  ["[I4] a picture is no long text", transcript("x", {}, IMAGE), "1"],
])("%s", async (_what, text, again) => {
  expect((await started(text)).visits).toEqual(ONE_REFUSAL(again));
});

it("[I4] the limit decides what is too long", async () => {
  const words = transcript("x".repeat(4_000));
  expect((await started(words, { maxConversationTokens: 1_001 })).visits).toEqual(ONE_REFUSAL("1"));
  expect((await started(words, { maxConversationTokens: 1_000 })).visits).toEqual(ONE_REFUSAL("length"));
});

it.each([
  ["a/b", ["-", "-", "1", "1"]],
  ["a/other", ["-", "-", "model", "model"]],
])("[I4] where %s will answer, a transcript of a/b is continued or not: %j", async (model, expected) => {
  const answers = [PLAN, "built", NO, "built", YES];
  const agents = {
    preflight: async () => [],
    runTurn: async () => said(answers.shift() ?? "built"),
    resolveModel: async () => model,
  };
  const { events } = await cast(config(), [], { agents, readTranscript: async () => SOUND });
  const visits = events.flatMap((event) =>
    event.type === "visit_started" ? [String(event.continues ?? event.fresh ?? "-")] : [],
  );
  expect(visits.slice(1, 5)).toEqual(expected);
});

it("[I6] a judge that continues and contradicts itself: the builder receives only the newest reason", async () => {
  const asked: TurnRequest[] = [];
  const refusal = (context: string) => JSON.stringify({ satisfied: false, context });
  const answers = [
    PLAN,
    "built",
    refusal("make it short"),
    "built",
    refusal("make it long"),
    "built",
    YES,
    "built",
    YES,
  ];
  const run = await cast(
    config(),
    answers.map((answer) => (request: TurnRequest) => {
      asked.push(request);
      return said(answer);
    }),
    { readTranscript: async () => SOUND },
  );
  expect(run.events.at(-1)).toMatchObject({ type: "cast_ended", outcome: "completed" });
  const [, , , second, judged, third] = asked;
  expect(second?.prompt).toContain("make it short");
  expect(judged?.prompt).toContain("Check first what you refused then.");
  expect([third?.history, third?.prompt.includes("make it long"), third?.prompt.includes("make it short")]).toEqual([
    "continued",
    true,
    false,
  ]);
});

it("[I6] a continuing visit receives the newest reason, or what was handed on, and nothing twice", async () => {
  const { asked } = await started(SOUND, {}, {}, 2);
  const [, , , again, judged, third] = asked;
  expect([again?.history, again?.prompt]).toEqual(["continued", expect.stringContaining("the edge case fails")]);
  expect(again?.prompt).not.toMatch(/Request|Current item|Earlier reason/);
  expect(judged?.prompt).toContain("built");
  expect(third?.prompt).not.toContain("Earlier reason");
  expect(again?.system).toBe(asked[1]?.system);
});

it("[I6] a judge that continues receives what others have changed since, or that nothing has", async () => {
  const state = initialState(startOf(config({}, { build: { tools: "coding" } })));
  const left = [PLAN, "built", NO, "nothing to do", NO, "built again", YES, "built", YES];
  const commits = ["c1", undefined, "c2"];
  const { asked, ...ports } = world(() => said(left.shift() ?? YES), {
    readTranscript: async () => SOUND,
    checkpoints: {
      take: async () => {
        const commit = commits.shift();
        return commit === undefined ? undefined : { commit, changed: 1, added: 1, removed: 0 };
      },
      describe: async (from, to) => `from ${from} to ${to}`,
    },
  });
  const firstEvents = [startedEvent(state, { commit: "c0" })];
  await runCast(state, ports, { cwd: "/project", signal: new AbortController().signal, firstEvents });
  const since = asked.map(({ prompt }) => prompt.split("## Changed by others since your last answer\n\n")[1]);
  expect(since.slice(3, 7)).toEqual([undefined, "(no file has been changed)", undefined, "from c1 to c2"]);
});

it("[P14, I6] an agent that continues is reminded to name what is still open, if it named something", async () => {
  const prompts = async (report: string) => {
    const asked: TurnRequest[] = [];
    await cast(
      config(),
      [PLAN, report, NO, "built", YES, "built", YES].map((answer) => (request: TurnRequest) => {
        asked.push(request);
        return said(answer);
      }),
      { readTranscript: async () => SOUND },
    );
    return asked[3]?.prompt ?? "";
  };
  expect(await prompts("built\nOpen: not compiled")).toContain("Name again in your answer what is still open.");
  expect(await prompts("built")).not.toContain("still open");
});

it("[I4, I6] a visit with a new conversation receives everything", async () => {
  const { asked } = await started(undefined);
  expect([asked[3]?.history, asked[3]?.prompt]).toEqual(["fresh", expect.stringMatching(/Request[^]*Current item/)]);
});

it("[I5] what was copied is not counted again", () => {
  const own = transcript("again")
    .split("\n")
    .slice(1)
    .join("\n")
    .replaceAll('"id":"', '"id":"x')
    .replaceAll('"parentId":"', '"parentId":"x');
  const copied = continueTranscript(SOUND, 1);
  expect(readTranscript(copied)).toMatchObject({ requests: 0, replies: [] });
  const whole = `${copied}${own.replace('"parentId":null', '"parentId":"2"')}`;
  expect(readTranscript(whole)).toMatchObject({
    requests: 1,
    replies: [{ text: "done" }],
    usage: { input: 20, output: 4 },
  });
  expect(readConversation(whole)).toEqual({ model: "a/b", tokens: 24 });
});

it("[I3] the second attempt at an item continues the first", async () => {
  const previous = { castId: socket("cast_1_WI-1") as unknown as CastId, visits: { "Socket-2": 2, "Socket-3": 1 } };
  const reason = { socket: socket("Socket-2"), materia: "Build", item: "a", text: "a.txt conflicts" };
  const window: ItemCastInput = {
    parent: startOf(config()).castId,
    loop: "each",
    index: 0,
    attempt: 2,
    door: socket("Socket-2"),
    from: socket("Socket-1"),
    handed: { ...reason, reason: reason.text, workItems: null },
    notes: {},
    reasons: [reason],
    previous,
    base: "c0ffee",
    tree: null,
  };
  const data = { workItems: [{ title: "a", context: "do a" }] };
  const places: unknown[] = [];
  const run = await cast(initialState(startOf(config(), { window, data })), ["built", YES], {
    readTranscript: async (place) => {
      places.push(place);
      return SOUND;
    },
  });
  const visits = run.events.flatMap((event) => (event.type === "visit_started" ? [event] : []));
  expect(visits.map(({ continues, continuesFrom }) => [continues, continuesFrom])).toEqual([
    [2, previous.castId],
    [1, previous.castId],
  ]);
  expect(places[0]).toEqual({ castId: previous.castId, socket: "Socket-2", visit: 2 });
});

it.each([
  ["[I7] a utility", { type: "utility", command: ["x"], conversation: "item" }],
  ["[I7] a person", { type: "person", question: "Well?", conversation: "item" }],
])("%s has no conversation", (_what, materia) => {
  const place = { materia: "It", edges: [] };
  const loadouts = { Main: { entry: "Socket-1", sockets: { "Socket-1": place } } };
  expect(refusals({ materia: { It: materia }, loadouts })).toContainEqual(
    expect.stringMatching(/bad_value|invalid_materia/),
  );
  expect(readMateria("It", materia).issues.map(({ code }) => code)).toEqual(["bad_value"]);
  const { conversation: _none, ...plain } = materia;
  const onSocket = { Main: { entry: "Socket-1", sockets: { "Socket-1": { ...place, conversation: "item" } } } };
  expect(refusals({ materia: { It: plain }, loadouts: onSocket })).toContainEqual(
    expect.stringMatching(/bad_value|invalid_materia/),
  );
});

it("[I8] the story says so, and a replay takes what was recorded", async () => {
  const { events } = await started(undefined);
  const start = startOf(config());
  const { after } = replayCast({ start, events }, start);
  expect(after.events.flatMap((event) => (event.type === "visit_started" ? [event.fresh ?? "-"] : []))).toContain(
    "missing",
  );
  expect([...after.prompts]).toEqual([...recordedInputsOf({ start, events }).prompts]);
  const story = storyLines(start, events, { alive: false, now: 0, width: 200 }).map(lineText).join("\n");
  expect(story).toContain("new conversation: the last one is missing");
});

it("[I9] bundled builders and judges continue for the same item; who judges or commits reads the change", () => {
  const agents = [...mergeLayers([bundledLayer()]).materia].flatMap(([name, { value }]) =>
    value?.type === "agent" ? [{ name, ...value }] : [],
  );
  const named = (matches: (agent: (typeof agents)[number]) => boolean): readonly string[] =>
    agents.filter(matches).map(({ name }) => name);
  expect(named(({ conversation }) => conversation === "item")).toEqual(["Build", "Auto-Eval", "Integration-Review"]);
  const readers = named(({ prompt }) => prompt.includes("{{changes}}"));
  expect(readers).toEqual(expect.arrayContaining(["Auto-Eval", "Integration-Review", "Maintain", "GitMaintain"]));
});
