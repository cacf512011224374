import { describe, expect, it } from "vitest";
import type { CastEvent } from "../../src/core/cast/state/event.ts";
import type { JsonObject } from "../../src/core/model/json.ts";
import type { UtilityOutcome } from "../../src/shell/ports.ts";
import { catalogOf, compiled, play, playFrom, type PlayedCast, type Script, type TestConfig } from "../harness/play.ts";
import { apply } from "../../src/core/cast/apply.ts";
import { compileTargets } from "../../src/core/compile/targets/compile.ts";
import { worstCase } from "../../src/core/compile/worst-case.ts";

const GATE = { type: "utility", command: ["check"], gate: true };
const PERSON = { type: "person", question: "Is {{state.note}} right?" };

/** Build → gate, which sends it back at most twice, → Tell. */
function gated(gate: JsonObject, more: JsonObject = {}): TestConfig {
  return {
    materia: { Build: { prompt: "build" }, Tell: { prompt: "tell" }, Gate: gate },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
          "Socket-2": {
            materia: "Gate",
            edges: [
              { when: "satisfied", to: "Socket-3" },
              { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
            ],
            ...more,
          },
          "Socket-3": { materia: "Tell" },
        },
      },
    },
  };
}

function judged(code: number, stdout = ""): UtilityOutcome {
  return { kind: "judged", code, stdout, stderr: "" };
}

function answers(...outcomes: readonly UtilityOutcome[]): Script {
  const left = [...outcomes];
  return { says: { Build: ["built it"], Tell: ["told"] }, utility: () => left.shift() ?? judged(0) };
}

function handoffOf({ events }: PlayedCast): JsonObject | undefined {
  return events.flatMap((event) => (event.type === "handoff_accepted" ? [event.handoff] : []))[0];
}

function codesOf(config: TestConfig): readonly string[] {
  const result = compileTargets([{ kind: "loadout", name: "Main" }], catalogOf(config));
  return result.ok ? [] : result.issues.map(({ code }) => code);
}

describe("a command as a gate", () => {
  it("[Q1] goes on with 0 and back with anything else", async () => {
    const { trace } = await play(gated(GATE), answers(judged(7, "1 failed"), judged(0)));
    expect(trace).toEqual([
      "Socket-1 #1",
      "-> Socket-2",
      "Socket-2 #1",
      "-> Socket-1",
      "Socket-1 #2",
      "-> Socket-2",
      "Socket-2 #2",
      "-> Socket-3",
      "Socket-3 #1",
      "-> end (none)",
      "completed",
    ]);
  });

  it("[Q1] fails the cast where it has not answered", async () => {
    const failed = { kind: "failed", reason: "`check` was ended by SIGKILL", stdout: "", stderr: "" } as const;
    const { state } = await play(gated(GATE), answers(failed));
    expect(state.phase).toMatchObject({ outcome: "failed", reason: "Socket-2: `check` was ended by SIGKILL" });
  });

  it("[Q2] says the end of what was printed, and marks the cut", async () => {
    const printed = `first\n${"x".repeat(9_000)}\u001b[31m\nlast\u0007 line\r\n`;
    const { context, satisfied } = handoffOf(await play(gated(GATE), answers(judged(1, printed)))) ?? {};
    expect(satisfied).toBe(false);
    expect(context).toMatch(/^\[cut: \d+ characters before this\] …x+\nlast line$/);
    expect(typeof context === "string" ? context.length : 0).toBeLessThanOrEqual(4_000);
  });

  it("[Q2] gives the exit code of one that printed nothing", async () => {
    const handoff = handoffOf(await play(gated(GATE), answers(judged(3, " \n"))));
    expect(handoff).toEqual({ satisfied: false, context: "Gate exited with code 3 and printed nothing" });
  });

  it("[Q3] needs no parse for its guards, and keeps its answer in state", async () => {
    const { state } = await play(gated(GATE, { assign: { checks: "$" } }), answers(judged(0, "42 passed")));
    expect(state.data["checks"]).toEqual({ satisfied: true, context: "42 passed" });
  });

  it.each<[rule: string, config: TestConfig, code: string]>([
    ["[Q3] no generator", gated({ ...GATE, generator: true }), "invalid_materia"],
    ["[Q3] no text", gated({ ...GATE, parse: "text" }), "invalid_materia"],
    ["[Q3] no text at its socket", gated(GATE, { parse: "text" }), "gate_needs_json"],
    ["[Q3] no list", gated(GATE, { assign: { list: "$.workItems" } }), "bad_assign"],
    ["[Q3] no list of a person", gated(PERSON, { assign: { list: "$.workItems" } }), "bad_assign"],
    ["[Q3] an agent cannot be one", gated({ prompt: "judge", gate: true }), "invalid_materia"],
    ["[Q5] a question needs a person", gated({ prompt: "judge", question: "Well?" }), "invalid_materia"],
  ])("%s", (_rule, config, code) => {
    expect(codesOf(config)).toContain(code);
  });

  it("[Q4] hands nothing on with a yes, and its reason with a no", async () => {
    const { asked } = await play(gated(GATE), answers(judged(1, "1 failed: adds"), judged(0, "42 passed")));
    const [, again, tell] = asked.map(({ prompt }) => prompt);
    expect(again).toContain("Gate (Socket-2)");
    expect(again).toContain("1 failed: adds");
    expect(tell).toContain("built it");
    expect(tell).not.toContain("42 passed");
  });

  it("[Q4] records the output of a yes", async () => {
    const { events } = await play(gated(GATE), answers(judged(0, "42 passed")));
    const recorded = events.flatMap((event) => (event.type === "handoff_accepted" ? [event.handoff] : []));
    expect(recorded).toEqual([{ satisfied: true, context: "42 passed" }]);
  });
});

it.each<[printed: JsonObject, isSilent: boolean]>([
  [{}, true],
  [{ state: { seen: 1 } }, true],
  [{ satisfied: true }, true],
  [{ context: " \n" }, true],
  [{ context: "sorted" }, false],
  [{ satisfied: false }, false],
])("[H23] a utility that prints %j leaves the previous handoff: %s", async (printed, isSilent) => {
  const config = gated(
    { type: "utility", command: ["x"], parse: "json" },
    { edges: [{ when: "always", to: "Socket-3" }] },
  );
  const utility = (): UtilityOutcome => ({
    kind: "exited",
    stdout: JSON.stringify(printed),
    stdoutCut: false,
    stderr: "",
  });
  const { asked } = await play(config, { says: { Build: ["built it"] }, utility });
  expect(asked.at(-1)?.prompt.includes("built it")).toBe(isSilent);
});

describe("a person as a gate", () => {
  const config = gated(PERSON);
  const begun = (more: Script = {}): Promise<PlayedCast> =>
    play(config, { says: { Build: ["built it"] }, data: { note: "this plan" }, ...more });

  /** The cast after the person has answered. */
  async function answered(satisfied: boolean, text: string): Promise<PlayedCast> {
    const { state } = await begun();
    const at = "2026-01-01T00:00:00.000Z";
    const place = { socket: "Socket-2", visit: 1 } as const;
    const said: readonly object[] = [
      { type: "cast_resumed", by: "a test" },
      { type: "person_judged", ...place, satisfied, text },
    ];
    const resumed = said.reduce<typeof state>(
      (before, body) => apply(before, { ...body, at, seq: before.seq + 1 } as CastEvent), // events, written out
      state,
    );
    return playFrom(resumed, { says: { Build: ["built it again"], Tell: ["told"] } });
  }

  it("[Q5] is asked in words filled from state, with what was handed on", async () => {
    const { end, events } = await begun();
    expect(end.kind).toBe("waiting");
    expect(events.at(-1)).toMatchObject({
      type: "cast_waiting",
      socket: "Socket-2",
      question: "Is this plan right?\n\nBuild (Socket-1) said:\nbuilt it",
    });
  });

  it("[Q5] is shown the plan that was handed on, with and without words beside it", async () => {
    const plan = gated(PERSON);
    const materia = { ...plan.materia, Build: { prompt: "plan", generator: true } };
    const list = {
      workItems: [
        { title: "ทำ", context: "first" },
        { title: "b", context: "" },
      ],
    };
    const ask = async (reply: JsonObject) =>
      (await play({ ...plan, materia }, { says: { Build: [reply] }, data: { note: "it" } })).events.at(-1);
    expect(await ask(list)).toMatchObject({
      question: "Is it right?\n\nBuild (Socket-1) said:\nWork items:\n1. ทำ\n   first\n2. b",
    });
    expect(await ask({ ...list, context: "in this order" })).toMatchObject({
      question: "Is it right?\n\nBuild (Socket-1) said:\nin this order\n\nWork items:\n1. ทำ\n   first\n2. b",
    });
  });

  it("[Q5] is no turn", () => {
    const { graph, flow } = compiled(config);
    const { limits } = catalogOf(config).settings;
    expect(worstCase(graph, flow, limits).turns).toEqual({ "": 4 });
  });

  it("[Q5] stops at no budget", async () => {
    const { end } = await play({ ...config, budget: { maxTokens: 1 } }, { says: { Build: ["built it"] } });
    expect(end.kind).toBe("waiting");
  });

  it("[Q6] goes on with a yes, and hands nothing on without a word", async () => {
    const { trace, asked } = await answered(true, "");
    expect(trace).toEqual(["-> Socket-3", "Socket-3 #1", "-> end (none)", "completed"]);
    expect(asked[0]?.prompt).toContain("built it");
  });

  it("[Q6] hands on what was said beside a yes", async () => {
    const played = await answered(true, "but mind the tests");
    expect(handoffOf(played)).toEqual({ satisfied: true, context: "but mind the tests" });
    expect(played.asked[0]?.prompt).toContain("Gate (Socket-2)");
    expect(played.asked[0]?.prompt).toContain("but mind the tests");
  });

  it("[Q6] goes back with a no and its reason", async () => {
    const { trace, asked, end } = await answered(false, "too loud");
    expect(trace).toEqual(["-> Socket-1", "Socket-1 #2", "-> Socket-2", "Socket-2 #2", "waiting"]);
    expect(asked[0]?.prompt).toContain("too loud");
    expect(end.kind).toBe("waiting");
  });
});
