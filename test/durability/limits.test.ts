import { expect, it } from "vitest";
import type { CastEvent, EventBody } from "../../src/core/cast/state/event.ts";
import type { CastState } from "../../src/core/cast/state/state.ts";
import { nextSteps } from "../../src/core/view/report/next-steps.ts";
import { cast } from "../harness/cast.ts";
import { newPlace } from "../harness/cli.ts";
import { typed } from "../harness/doomed.ts";
import { begin, goOn, subject } from "../harness/killed.ts";
import { after, always, graph, notSatisfied, satisfied, seat } from "../harness/seats.ts";
import type { TestConfig } from "../harness/play.ts";

const twoTurns = { "Socket-1": seat("Build", always("Socket-2")), "Socket-2": seat("Build") };
const back = {
  "Socket-1": seat("Build", always("Socket-2")),
  "Socket-2": seat("Eval", notSatisfied("Socket-1", 1), satisfied("end")),
};
const round = {
  "Socket-1": seat("Build", always("Socket-2")),
  "Socket-2": seat("Eval", { when: "not_satisfied", to: "Socket-1" }, satisfied("end")),
};
const no = { satisfied: false, context: "no" };
const yes = { satisfied: true };

interface Row {
  readonly config: TestConfig;
  readonly replies: readonly (string | object)[];
  readonly raise: Omit<Extract<EventBody, { type: "limits_raised" }>, "type">;
  readonly says: string;
  readonly onward: readonly (string | object)[];
}

it.each<[rule: string, row: Row]>([
  [
    "[D17, D32, D33] tokens",
    {
      config: graph(twoTurns, { budget: { maxTokens: 5 } }),
      replies: ["a"],
      raise: { maxTokens: 100 },
      says: "--budget",
      onward: ["b"],
    },
  ],
  [
    "[D17, D32, D33] dollars",
    {
      config: graph(twoTurns, { budget: { maxCostUsd: 1 } }),
      replies: ["a"],
      raise: { maxCostUsd: 9 },
      says: "--cost",
      onward: ["b"],
    },
  ],
  [
    "[D17, D32, D33] traversals",
    { config: graph(back), replies: ["a", no, "b", no], raise: { allow: 1 }, says: "--allow 1", onward: ["c", yes] },
  ],
  [
    "[D17, D32, D33] rounds, each whole",
    {
      config: graph(round, { limits: { maxNoAdvanceCycles: 1 } }),
      replies: ["a", no, "b", no],
      raise: { allow: 1 },
      says: "--allow 1",
      onward: ["c", yes],
    },
  ],
  [
    "[D17, D32, D33] repairs",
    {
      config: graph({ "Socket-1": seat("Eval") }),
      replies: ["x", "y"],
      raise: { allow: 1 },
      says: "--allow 1",
      onward: [yes],
    },
  ],
])("%s: the cast stops before the turn, says how to go on, and goes on with nothing repeated", async (_rule, row) => {
  const stopped = await cast(row.config, row.replies);
  expect(stopped.state.phase).toMatchObject({ kind: "ended", outcome: "failed", limit: { limit: expect.any(String) } });
  expect(answers(stopped.events)).toBe(row.replies.length);
  expect(nextSteps(stopped.state, "failed")[0]?.command).toContain(row.says);
  // Without a raise it stops again, and nobody is asked.
  expect(answers((await cast(resumed(stopped.state), ["never"])).events)).toBe(0);
  const raised = await cast(resumed(stopped.state, { type: "limits_raised", ...row.raise }), row.onward);
  expect(raised.state.phase).toMatchObject({ kind: "ended", outcome: "completed" });
  expect(answers(raised.events)).toBe(row.onward.length);
  const visits = [...stopped.events, ...raised.events].flatMap((event) =>
    event.type === "visit_completed" ? [`${event.socket} ${event.visit}`] : [],
  );
  expect(new Set(visits).size).toBe(visits.length);
});

function resumed(state: CastState, ...bodies: readonly EventBody[]): CastState {
  return after(state, ...bodies, { type: "cast_resumed", by: "recast" });
}

function answers(events: readonly CastEvent[]): number {
  return events.filter(({ type }) => /^(output_accepted|handoff_accepted|handoff_rejected)$/.test(type)).length;
}

function place(limits: object, replies: readonly object[]): ReturnType<typeof subject> {
  const config = {
    activeLoadout: "Main",
    limits,
    materia: { Tell: { prompt: "Tell." } },
    loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Tell" } } } },
  };
  const cwd = newPlace({ "materia.json": config, "replies.json": { replies: { Tell: replies } } });
  return subject(cwd, `${cwd}/replies.json`, `${cwd}/materia.json`);
}

it("[D18] an agent that says nothing for too long is ended, and the cast goes on with the next try", async () => {
  const one = place({ agentSilenceMs: 30 }, [{ text: "late", delayMs: 600_000 }, { text: "there" }]);
  const { end } = await begin(one);
  expect(end?.state.phase).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("nothing was heard of the agent for 0.03 s"),
  });
  // [D18] More patience now is patience enough for a cast that began with less.
  const patient = subject(one.workspace.place.cwd, one.rehearsal);
  expect((await goOn(patient)).end?.state).toMatchObject({
    phase: { outcome: "completed" },
    handed: { text: "there" },
  });
});

it.each<[rule: string, limits: object, retries: number, outcome: string]>([
  ["[D18] three retries unless set", {}, 3, "completed"],
  ["[D18] as many as are set", { maxRetries: 1 }, 1, "failed"],
  ["[D18] none", { maxRetries: 0 }, 0, "failed"],
])("%s", async (_rule, limits, retries, outcome) => {
  const down = { error: "provider" };
  const retried: CastEvent[] = [];
  const { end } = await begin(place(limits, [down, down, down, { text: "up" }]), undefined, (events) =>
    retried.push(...events),
  );
  expect([typed(retried, "turn_retried").length, end?.state.phase]).toEqual([
    retries,
    expect.objectContaining({ outcome }),
  ]);
});
