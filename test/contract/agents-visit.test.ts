import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { idempotencyKeyOf, visitEnvironment } from "../../src/shell/process/processes.ts";
import type { TurnRequest, UtilityRequest } from "../../src/shell/ports.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { BODIES } from "../harness/agent-bodies.ts";
import { ask, conversation } from "../harness/agents.ts";
import { startOf } from "../harness/play.ts";
import { always, graph, said, seat, world } from "../harness/seats.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

describe.each(BODIES)("commands of agents %s", (_name, play) => {
  it("[U42] find the visit's idempotency key in their environment", async () => {
    const tools = [{ name: "bash", arguments: { command: "echo $MATERIA_IDEMPOTENCY_KEY" } }];
    const { host } = await play([{ tools, text: "done" }]);
    const env = visitEnvironment({ idempotencyKey: idempotencyKeyOf("cast-1", "Socket-1", 2) });
    const { request } = ask({ tools: ["bash"], env });
    await host.runTurn(request);
    expect(conversation(request.transcript)).toContain("toolResult: cast-1/Socket-1/2\n");
  });
});

const options = { cwd: "/project", runDir: "/run", signal: new AbortController().signal };

it("[U42] a visit that is tried again has the same key, the next one another, in programs and agents alike", async () => {
  const keys: unknown[] = [];
  const config = graph(
    { "Socket-1": seat("Run", always("Socket-2")), "Socket-2": seat("Build") },
    { materia: { Run: { type: "utility", command: ["x"], parse: "json", retries: 1 } } },
  );
  const answer = (request: TurnRequest) => {
    keys.push(request.env["MATERIA_IDEMPOTENCY_KEY"]);
    return said("done");
  };
  const runUtility = async ({ input, idempotencyKey }: UtilityRequest) => {
    keys.push(idempotencyKey, input["idempotencyKey"]);
    return keys.length === 2
      ? ({ kind: "failed", reason: "no", stdout: "", stderr: "" } as const)
      : ({ kind: "exited", stdout: "{}", stdoutCut: false, stderr: "" } as const);
  };
  const state = initialState(startOf(config));
  await runCast(state, world(answer, { runUtility }), options);
  const [first, next] = [`${state.castId}/Socket-1/1`, `${state.castId}/Socket-2/1`];
  expect(keys).toEqual([first, first, first, first, next]);
});

it.each(["aborted", "timeout"] as const)(
  "[D37] a command that left its group does not survive a turn that ended as %s",
  async (reason) => {
    const ended: Promise<unknown>[] = [];
    const answer = (request: TurnRequest) => {
      const env = { ...process.env, ...request.env };
      // Only Linux shows what a process was started with; elsewhere there is none to be found.
      const child = spawn(process.platform === "linux" ? "sleep" : "false", ["1000"], { detached: true, env });
      ended.push(once(child, "exit"));
      return { kind: "failed", reason, message: "ended", usage: { input: 0, output: 0, cost: 0 } } as const;
    };
    const config = graph({ "Socket-1": seat("Build") });
    await runCast(initialState(startOf(config)), world(answer), { ...options, secretOf: () => `visit-of-${reason}` });
    expect(await Promise.all(ended)).toHaveLength(1);
  },
);
