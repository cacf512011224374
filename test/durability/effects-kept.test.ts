import { expect, it } from "vitest";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import type { Ports } from "../../src/shell/ports.ts";
import { PAUSE_REASON } from "../../src/shell/context/run-context.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { castOnce, failed, one, typesOf } from "../harness/effects.ts";
import { startOf } from "../harness/play.ts";
import { always, exited, graph, said, satisfied, seat, world } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const { signal } = new AbortController();

it("[D29] a pause before the turn begins nothing, and one that cannot be written is reported", async () => {
  const stopping = new AbortController();
  stopping.abort(PAUSE_REASON);
  const before = await castOnce(one, () => said("never"), {}, { signal: stopping.signal });
  expect([before.end.kind, before.asked, typesOf(before.events)]).toEqual([
    "paused",
    [],
    ["cast_started", "visit_started"],
  ]);
  const during = new AbortController();
  let writes = 0;
  const journal: Ports["journal"] = { append: async () => ((writes += 1) > 1 ? "no room" : undefined) };
  const agents: Ports["agents"] = {
    preflight: async () => [],
    runTurn: async ({ onProgress }) => {
      onProgress({ kind: "retrying", attempt: 1, delayMs: 1, error: "down" });
      during.abort(PAUSE_REASON);
      return failed("aborted");
    },
  };
  const told = await castOnce(one, () => said(""), { journal, agents }, { signal: during.signal });
  expect(told.end).toMatchObject({ kind: "broken", problem: "no room" });
});

it.each<[rule: string, elsewhere: typeof NO_USAGE]>([
  ["[V13] tokens in", { input: 3, output: 0, cost: 0 }],
  ["[V13] tokens out", { input: 0, output: 3, cost: 0 }],
  ["[V13] as many in as out", { input: 3, output: 3, cost: 0 }],
  ["[V13] cost alone", { input: 0, output: 0, cost: 1 }],
])("%s that others have used are recorded before the turn, which is requested again", async (_rule, elsewhere) => {
  let [asked, over] = [0, 0];
  const admit: Ports["admit"] = async () => ({
    usedElsewhere: (asked += 1) === 1 ? elsewhere : NO_USAGE,
    isBudgetSpent: () => false,
    reportUsage: () => undefined,
    end: () => (over += 1),
  });
  const { events, asked: turns } = await castOnce(one, () => said("done"), { admit });
  expect(events.find(({ type }) => type === "spent_elsewhere")).toMatchObject({ usage: elsewhere });
  expect([asked, over, turns.length]).toEqual([2, 2, 1]);
});

it.each<[rule: string, name: string, last: string]>([
  ["[J2] the handoff", "handoff.json", "visit_started"],
  ["[J2] what the agent said", "output.md", "visit_started"],
])("%s that cannot be kept stops the cast before the journal speaks of it", async (_rule, name, last) => {
  const write: Ports["artifacts"]["write"] = async (_socket, _visit, file) => (file === name ? "no room" : undefined);
  const { artifacts } = world(() => said(""));
  const config = graph({ "Socket-1": seat("Eval", satisfied("end")) });
  const { end, events } = await castOnce(config, () => said('{"satisfied":true}'), {
    artifacts: { ...artifacts, write },
  });
  expect([end, typesOf(events).at(-1)]).toMatchObject([{ kind: "broken", problem: "no room" }, last]);
});

it.each<[rule: string, name: string]>([
  ["[J20] the input of a utility", "input.json"],
  ["[J20] its output", "stdout.txt"],
  ["[J20] its errors", "stderr.txt"],
])("%s that cannot be kept stops the cast", async (_rule, name) => {
  const write: Ports["artifacts"]["write"] = async (_socket, _visit, file) => (file === name ? "no room" : undefined);
  const { artifacts } = world(() => said(""));
  let ran = 0;
  const runUtility: Ports["runUtility"] = async () => exited(`{"a":${(ran += 1)}}`);
  const { end } = await castOnce(graph({ "Socket-1": seat("Tool") }), () => said(""), {
    runUtility,
    artifacts: { ...artifacts, write },
  });
  expect([end, ran]).toMatchObject([{ kind: "broken", problem: "no room" }, name === "input.json" ? 0 : 1]);
});

it("[J26] a value that cannot be kept stops the cast before its program runs", async () => {
  const { artifacts } = world(() => said(""));
  const keepValue: Ports["artifacts"]["storeValue"] = async () => ({ kind: "failed", problem: "no room" });
  const state = initialState(startOf(graph({ "Socket-1": seat("Tool") }), { data: { key: "value" } }));
  const runUtility: Ports["runUtility"] = async () => Promise.reject(new Error("it ran"));
  const ports = world(() => said(""), { runUtility, artifacts: { ...artifacts, storeValue: keepValue } });
  const end = await runCast(state, ports, { cwd: "/project", signal });
  expect(end).toMatchObject({ kind: "broken", problem: "no room" });
});

it("[D24] a utility is started with the secret of its visit, and one that its cast ended has not failed", async () => {
  const stopping = new AbortController();
  const secrets: unknown[] = [];
  const runUtility: Ports["runUtility"] = async (request) => {
    secrets.push("secret" in request ? request.secret : "none");
    stopping.abort();
    return { kind: "failed", reason: "ended", stdout: "", stderr: "" };
  };
  const config = graph({ "Socket-1": seat("Tool") });
  const secretOf = (id: string, visit: number): string => `${id} ${visit}`;
  const { end, events } = await castOnce(config, () => said(""), { runUtility }, { secretOf, signal: stopping.signal });
  expect([end.state.phase, typesOf(events).includes("turn_failed")]).toMatchObject([{ outcome: "aborted" }, false]);
  await castOnce(config, () => said(""), { runUtility });
  expect(secrets).toEqual(["Socket-1 1", "none"]);
});

it.each<[rule: string, said: ReturnType<NonNullable<Ports["agents"]["answerGate"]>>, told: object]>([
  [
    "[Q13] a yes",
    { kind: "judged", satisfied: true, text: "fine" },
    { type: "person_judged", satisfied: true, text: "fine" },
  ],
  [
    "[Q13] a no",
    { kind: "judged", satisfied: false, text: "bad" },
    { type: "person_judged", satisfied: false, text: "bad" },
  ],
  [
    "[Q13] no answer at all",
    { kind: "failed", message: "what?" },
    { type: "turn_failed", reason: "rehearsal", message: "what?" },
  ],
  ["[Q13] nothing scripted", undefined, { type: "cast_waiting" }],
])("%s stands for the person", async (_rule, judgement, told) => {
  const asked: unknown[] = [];
  const { agents } = world(() => said("built"));
  const judge: Ports["agents"]["answerGate"] = ({ earlierTurns, ...request }) => {
    asked.push({
      ...request,
      turns: earlierTurns().map(({ socket: id, turns, turnsFor }) => [id, turns, turnsFor("WI-1")]),
    });
    return judgement;
  };
  const config = graph(
    { "Socket-1": seat("Build", always("Socket-2")), "Socket-2": seat("Ask", satisfied("end")) },
    { materia: { Ask: { type: "person", question: "Right?" } } },
  );
  const { events, end } = await castOnce(config, () => said("built"), { agents: { ...agents, answerGate: judge } });
  expect(asked[0]).toEqual({ socket: "Socket-2", materia: "Ask", item: null, turns: [["Socket-1", 1, 0]] });
  expect(events).toContainEqual(expect.objectContaining({ socket: "Socket-2", visit: 1, ...told }));
  expect(end.kind).toBe(judgement ? "ended" : "waiting");
});
