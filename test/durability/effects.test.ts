import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Ports, TurnOutcome, TurnProgress, TurnRequest } from "../../src/shell/ports.ts";
import { VISIT_VARIABLE } from "../../src/shell/process/processes.ts";
import type { RunOptions } from "../../src/shell/context/run-context.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { castOnce, failed, one, typesOf } from "../harness/effects.ts";
import { startOf } from "../harness/play.ts";
import { after, always, graph, items, loop, said, seat, socket, world } from "../harness/seats.ts";
import { gone, runs } from "../harness/utility.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const { signal } = new AbortController();

it("[D28] what came of a turn that another process has taken over is nobody's to write", async () => {
  const { end, events } = await castOnce(one, () => failed("taken_over"));
  expect(end).toMatchObject({ kind: "broken", problem: "it is taken_over" });
  expect(typesOf(events)).toEqual(["cast_started", "visit_started"]);
});

it("[D9] a disk that is full says nothing about the agent", async () => {
  expect((await castOnce(one, () => failed("disk"))).end).toMatchObject({ kind: "broken", problem: "it is disk" });
});

it.each<[rule: string, reason: Parameters<typeof failed>[0], aborts: boolean, outcome: string]>([
  ["[A18] a turn that ended by itself while the cast was aborted", "provider", true, "turn_failed provider"],
  ["[A18] a turn that was ended though nobody aborted the cast", "aborted", false, "turn_failed aborted"],
  ["[A18] a turn that was ended with its cast", "aborted", true, "cast_ended aborted"],
])("%s is written as what it was", async (_rule, reason, aborts, outcome) => {
  const stopping = new AbortController();
  const answer = (): TurnOutcome => {
    if (aborts) stopping.abort();
    return failed(reason);
  };
  const { events } = await castOnce(one, answer, {}, { signal: stopping.signal });
  const told = events.flatMap((event) => {
    if (event.type === "turn_failed") return [`turn_failed ${event.reason}`];
    return event.type === "cast_ended" ? [`cast_ended ${event.outcome}`] : [];
  });
  expect(told[0]).toBe(outcome);
});

describe.skipIf(process.platform !== "linux")("commands of a turn that is over", () => {
  it.each<[rule: string, outcome: TurnOutcome, ends: boolean]>([
    ["[D37] of a turn that was answered", said("done"), false],
    ["[D37] of a turn that failed by itself", failed("provider"), false],
    ["[D37] of a turn that timed out", failed("timeout"), true],
    ["[D37] of a turn that was aborted", failed("aborted"), true],
  ])("%s: whether a command that left its group is ended", async (_rule, outcome, ends) => {
    const secret = `secret of ${process.pid} ${outcome.kind} ${Math.random()}`;
    const child = spawn("sleep", ["60"], { env: { [VISIT_VARIABLE]: secret }, detached: true, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const secretOf = (id: string, visit: number): string => (id === "Socket-1" && visit === 1 ? secret : "");
    await castOnce(one, () => outcome, {}, { secretOf });
    if (ends) await gone(String(child.pid));
    expect(runs(child.pid ?? 0)).toBe(!ends);
  });
});

it("[A29] a turn request has model, thinking and instructions, and --model overrides the model", async () => {
  const config = graph(
    { "Socket-1": seat("Build", always("Socket-2")), "Socket-2": seat("Plain") },
    {
      materia: {
        Build: { prompt: "B.", tools: "coding", model: "a/b", thinking: "high" },
        Plain: { prompt: "P.", tools: "none" },
      },
    },
  );
  const asked = (all: readonly TurnRequest[]) =>
    all.map(({ model, thinking, instructions }) => [model, thinking, instructions]);
  expect(asked((await castOnce(config, () => said("ok"))).asked)).toEqual([
    ["a/b", "high", "project"],
    [undefined, undefined, "none"],
  ]);
  const { asked: others } = await castOnce(config, () => said("ok"), {}, { model: "c/d" });
  expect(others.map(({ model }) => model)).toEqual(["c/d", "c/d"]);
});

it("[A8] a person reads what an agent says at first and in answer, and not what it only writes down", async () => {
  const config = graph({ "Socket-1": seat("Talk") });
  const ports = world(() => said("Shall I?"));
  const options = { cwd: "/project", signal };
  const first = await runCast(initialState(startOf(config)), ports, options);
  const place = { socket: socket("Socket-1"), visit: 1 };
  const answered = after(first.state, { type: "person_answered", ...place, text: "Yes." });
  const second = await runCast(answered, ports, options);
  await runCast(after(second.state, { type: "person_finished", ...place }), ports, options);
  expect(ports.asked.map(({ interactive }) => interactive).slice(0, 3)).toEqual([true, true, false]);
});

/** Files that change with every look, and what was asked of them. */
function changing(): { files: NonNullable<Ports["checkpoints"]>; taken: string[]; described: unknown[] } {
  const taken: string[] = [];
  const described: unknown[] = [];
  const files: NonNullable<Ports["checkpoints"]> = {
    take: async ({ title }) => ({ commit: `c${taken.push(title)}`, changed: 1, added: 1, removed: 0 }),
    describe: async (from, to) => `${described.push([from, to])} changes`,
  };
  return { files, taken, described };
}

it("[Y10] only a prompt that asks for the changes gets them: of the cast, or of the item", async () => {
  const { files, described } = changing();
  const config = graph(
    {
      "Socket-1": seat("Plan", always("Socket-2")),
      "Socket-2": { ...seat("Look", always("Socket-2")), advance: { when: "always" } },
      "Socket-3": seat("Look"),
    },
    {
      materia: { Look: { prompt: "Look at {{changes}}.", tools: "coding" } },
      loops: {
        each: loop(["Socket-2"], { id: "x", from: "Socket-2", condition: "always", targetSocketId: "Socket-3" }),
      },
    },
  );
  const answer = ({ socket: id }: TurnRequest): TurnOutcome =>
    said(id === "Socket-1" ? JSON.stringify(items("a", "b")) : "seen");
  const { end, asked } = await castOnce(config, answer, { checkpoints: files });
  expect(end.state.phase).toMatchObject({ outcome: "completed" });
  expect(described).toEqual([
    ["c0", "c0"],
    ["c1", "c1"],
    ["c0", "c2"],
  ]);
  expect(asked.map(({ system, prompt }) => /\d changes/.exec(`${system} ${prompt}`)?.[0])).toEqual([
    undefined,
    "1 changes",
    "2 changes",
    "3 changes",
  ]);
  const { asked: unkept } = await castOnce(config, answer);
  expect(`${unkept[1]?.system} ${unkept[1]?.prompt}`).toContain("Not known: the files of this cast are not kept");
});

const ended = (name: string): TurnProgress => ({ kind: "tool_ended", id: "1", name, failed: false, said: "" });

it("[Y5] a turn's files are looked at when a tool may have written, one look at a time, and told only where they changed", async () => {
  const looks = Promise.withResolvers<void>();
  const commits = ["c1", "c1", "c2"];
  let taken = 0;
  const files: Ports["checkpoints"] = {
    take: async ({ title }) => {
      if (!title.endsWith(", unfinished")) return undefined;
      taken += 1;
      if (taken === 1) await looks.promise;
      return { commit: commits[taken - 1] ?? "more", changed: 1, added: 1, removed: 0 };
    },
    describe: async () => "",
  };
  const agents: Ports["agents"] = {
    preflight: async () => [],
    runTurn: async ({ onProgress }) => {
      for (const progress of [{ kind: "tools_over" }, ended("read"), { kind: "text", delta: "" }] as const)
        onProgress(progress);
      expect(taken).toBe(0);
      // While the first look goes on, several writes make one more.
      for (const name of ["write", "bash", "edit"]) onProgress(ended(name));
      looks.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      onProgress(ended("write"));
      return said("done");
    },
  };
  const { events } = await castOnce(one, () => said(""), { checkpoints: files, agents });
  expect(taken).toBe(3);
  const told = events.flatMap((event) => (event.type === "checkpoint_taken" ? [event.files] : []));
  expect(told.map((each) => "commit" in each && each.commit)).toEqual(["c1", "c2"]);
});

it("[Y2] only the owner looks at the files, and only where they are kept from the start", async () => {
  const { files, taken } = changing();
  const agents: Ports["agents"] = {
    preflight: async () => [],
    runTurn: async ({ onProgress }) => {
      onProgress(ended("write"));
      return said("done");
    },
  };
  let asked = 0;
  // Still its own when the turn begins, and never again.
  await castOnce(one, () => said(""), { checkpoints: files, agents, holdsClaim: async () => (asked += 1) === 1 });
  const state = initialState(startOf(one));
  await runCast(
    state,
    world(() => said("done"), { checkpoints: files, agents }),
    { cwd: "/project", signal },
  );
  expect(taken).toEqual([]);
  await castOnce(one, () => said(""), { checkpoints: files, agents });
  expect(taken).toEqual(["Build (Socket-1) visit 1, unfinished", "Build (Socket-1) visit 1"]);
});

it("[B8] on a fleet the handoff is written with the files, elsewhere before them", async () => {
  const written = async (travels: Partial<RunOptions>): Promise<readonly (readonly string[])[]> =>
    (await castOnce(one, () => said("done"), { checkpoints: changing().files }, travels)).appended.map(typesOf);
  const own = await written({});
  const travelling = await written({ isOnFleet: true });
  const completes = (append: readonly string[]): boolean => append.includes("visit_completed");
  expect(own.flat()).toEqual(travelling.flat());
  expect([own.length - travelling.length, own.findIndex(completes) - travelling.findIndex(completes)]).toEqual([1, 1]);
});
