import { expect, it } from "vitest";
import { apply } from "../../src/core/cast/apply.ts";
import type { EventBody } from "../../src/core/cast/state/event.ts";
import type { Ports, TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { NONE, at, cast, one, total } from "../harness/cast.ts";
import {
  TIME,
  USAGE,
  after,
  always,
  fold,
  graph,
  notSatisfied,
  said,
  satisfied,
  seat,
  socket,
  world,
} from "../harness/seats.ts";
import { startOf } from "../harness/play.ts";

const overloaded = (request: TurnRequest): TurnOutcome => {
  request.onProgress({ kind: "retrying", attempt: 1, delayMs: 2_000, error: "overloaded" });
  return { kind: "failed", reason: "provider", message: "529 overloaded", usage: USAGE };
};

const breaking: Ports["runUtility"] = async () => ({
  kind: "failed",
  reason: "`tool` exited with code 3",
  stdout: "",
  stderr: "",
});

it("[J14, J33, J17] a request that was tried again, and a turn that gave no reply", async () => {
  const { bodies } = await cast(graph({ "Socket-1": seat("Build") }), [overloaded]);
  expect(bodies.slice(2)).toEqual([
    { type: "turn_retried", ...at("Socket-1"), attempt: 1, error: "overloaded", delayMs: 2_000 },
    { type: "turn_failed", ...at("Socket-1"), reason: "provider", message: "529 overloaded", usage: USAGE },
    { type: "cast_ended", outcome: "failed", reason: "Socket-1: 529 overloaded", totals: total(0, 1) },
  ]);
});

it("[J33] a utility that fails", async () => {
  const { bodies } = await cast(graph({ "Socket-1": seat("Tool") }), [], { runUtility: breaking });
  expect(bodies[2]).toEqual({
    type: "turn_failed",
    ...at("Socket-1"),
    reason: "utility",
    message: "`tool` exited with code 3",
    usage: NONE,
  });
});

it("[J15, J37] a budget: a warning that stops nothing, then the limit before the turn that would exceed it", async () => {
  const chain = graph(
    {
      "Socket-1": seat("Build", always("Socket-2")),
      "Socket-2": seat("Build", always("Socket-3")),
      "Socket-3": seat("Build"),
    },
    { budget: { maxTokens: 10, warnAtPercent: 50 } },
  );
  const { bodies } = await cast(chain, ["built"]);
  expect(bodies.filter((body) => /warned|limit|ended|visit_started/.test(JSON.stringify(body)))).toEqual([
    { type: "visit_started", ...at("Socket-1"), materia: "Build", item: null },
    { type: "cast_warned", limit: "maxTokens", used: 5, of: 10 },
    { type: "visit_started", ...at("Socket-2"), materia: "Build", item: null },
    { type: "limit_reached", limit: "maxTokens", value: 10, where: { socket: "Socket-3" } },
    { type: "cast_ended", outcome: "failed", reason: expect.stringContaining("10 tokens"), totals: total(2, 2) },
  ]);
});

it("[J16, J31, J38] an interactive socket answers, waits, and is finished without a further turn", async () => {
  const first = await cast(graph({ "Socket-1": seat("Talk") }), ['{"context":"draft"}']);
  const answered = after(
    first.state,
    { type: "cast_resumed", by: "continue" },
    { type: "person_answered", ...at("Socket-1"), text: "Shorter." },
  );
  const second = await cast(answered, ['{"context":"short"}']);
  const third = await cast(after(second.state, { type: "person_finished", ...at("Socket-1") }), []);
  const waiting = { type: "cast_waiting", ...at("Socket-1") };
  expect([first.bodies.slice(2), second.bodies, third.bodies.slice(0, 2)]).toEqual([
    [{ type: "turn_answered", ...at("Socket-1"), text: '{"context":"draft"}', model: "test", usage: USAGE }, waiting],
    [{ type: "turn_answered", ...at("Socket-1"), text: '{"context":"short"}', model: "test", usage: USAGE }, waiting],
    [
      {
        type: "handoff_accepted",
        ...at("Socket-1"),
        handoff: { context: "short" },
        found: "exact",
        dropped: [],
        approved: true,
        usage: NONE,
      },
      {
        type: "visit_completed",
        ...at("Socket-1"),
        model: "test",
        usage: { input: 6, output: 4, cost: 2 },
        totals: total(1, 2),
      },
    ],
  ]);
});

it.each<[rule: string, materia: string, replies: readonly string[], bodies: readonly EventBody[], told: string]>([
  ["[H11] the problems of a rejected answer", "Eval", ['{"satisfied":1}'], [], '"satisfied" must be true or false'],
  [
    "[J38] the message of a person",
    "Talk",
    ["draft"],
    [{ type: "person_answered", ...at("Socket-1"), text: "Shorter, please." }],
    "Shorter, please.",
  ],
])("%s: told, even where the turn was cut off and is taken up again", async (_rule, materia, replies, bodies, told) => {
  const { events } = await cast(graph({ "Socket-1": seat(materia) }), replies);
  const upTo = events.findIndex(({ type }) => /rejected|waiting/.test(type)) + 1;
  const stopped = after(fold(startOf(graph({ "Socket-1": seat(materia) })), events.slice(0, upTo)), ...bodies);
  const { asked, ...ports } = world(() => said("{}"));
  const options = { cwd: "/project", signal: new AbortController().signal };
  await runCast(stopped, ports, { ...options, interruption: { note: "You were interrupted." } });
  expect(asked[0]?.prompt).toContain("You were interrupted.");
  expect(asked[0]?.prompt).toContain(told);
});

it("[J36, J39] a raised limit and a resume continue a failed cast where it stopped", async () => {
  const config = graph({ "Socket-1": seat("Eval", notSatisfied("Socket-1", 1), satisfied("end")) });
  const { state } = await cast(config, [{ satisfied: false, context: "no" }]);
  const raised = after(state, { type: "limits_raised", allow: 1 }, { type: "cast_resumed", by: "recast" });
  const { bodies } = await cast(raised, [{ satisfied: true }]);
  expect(bodies.slice(0, 2)).toEqual([
    {
      type: "edge_taken",
      from: "Socket-1",
      to: "Socket-1",
      when: "not_satisfied",
      via: "edge",
      index: 0,
      traversal: 2,
    },
    { type: "visit_started", ...at("Socket-1", 3), materia: "Eval", item: null },
  ]);
});

it("[J17] a cast that ends not satisfied says why", async () => {
  const { bodies } = await cast(one, [{ satisfied: false, context: "two tests fail" }]);
  expect(bodies.at(-1)).toEqual({
    type: "cast_ended",
    outcome: "not_satisfied",
    reason: "two tests fail",
    totals: total(1, 1),
  });
});

it("[J17] an aborted cast", async () => {
  const controller = new AbortController();
  const aborting = (): TurnOutcome => {
    controller.abort();
    return { kind: "failed", reason: "aborted", message: "aborted", usage: USAGE };
  };
  const { bodies } = await cast(one, [aborting], {}, controller.signal);
  expect(bodies.slice(2)).toEqual([
    { type: "cast_ended", outcome: "aborted", reason: expect.any(String), totals: expect.any(Object) },
  ]);
});

it.each<[rule: string, body: EventBody]>([
  ["[J17] a visit", { type: "visit_started", ...at("Socket-1", 2), materia: "Eval", item: null }],
  ["[J17] a second end", { type: "cast_ended", outcome: "failed", reason: "", totals: total(0, 0) }],
  ["[J17] a limit", { type: "limit_reached", limit: "maxTokens", value: 1, where: { socket: socket("Socket-1") } }],
  ["[J17] a warning", { type: "cast_warned", limit: "maxTokens", used: 5, of: 10 }],
  ["[J17] a resume", { type: "cast_resumed", by: "recast" }],
])("%s cannot follow the end of a completed cast", async (_rule, body) => {
  const { state } = await cast(one, [{}]);
  expect(() => apply(state, { seq: state.seq + 1, at: TIME, ...body })).toThrow(/cannot|once/);
});
