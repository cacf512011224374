import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { totalTokens } from "../../src/core/cast/state/usage.ts";
import { BODIES } from "../harness/agent-bodies.ts";
import { ask, conversation } from "../harness/agents.ts";

const touch = (name: string) => ({ name: "write", arguments: { path: name, content: name } });
const threeRequests = { tools: [touch("a"), touch("b")], text: "done", usage: { input: 90, output: 30 } };

describe.each(BODIES)("money within a turn of agents %s", (_name, play) => {
  it("[A25] the usage so far is reported at every reply", async () => {
    const { host } = await play([threeRequests]);
    const { request, progress } = ask({ tools: ["write"] });
    await host.runTurn(request);
    expect(progress.flatMap((each) => (each.kind === "used" ? [totalTokens(each.usage)] : []))).toEqual([40, 80, 120]);
  });

  it("[A25] a turn that has used up what it may ends with that reply and its tools, and nobody is asked again", async () => {
    const { host } = await play([threeRequests]);
    const { request } = ask({ tools: ["write"], isBudgetSpent: (usage) => totalTokens(usage) >= 50 });
    expect(await host.runTurn(request)).toMatchObject({
      kind: "failed",
      reason: "limit",
      usage: { input: 60, output: 20 },
    });
    expect(existsSync(join(request.cwd, "b"))).toBe(true);
    expect(conversation(request.transcript).filter((line) => /: write|toolResult/.test(line))).toHaveLength(4);
  });

  it("[A25] it goes on from its transcript, and pays only for the rest", async () => {
    const { host } = await play([threeRequests]);
    const { request } = ask({ tools: ["write"], isBudgetSpent: (usage) => totalTokens(usage) >= 30 });
    await host.runTurn(request);
    const again = { ...request, history: "continued" as const, prompt: "Go on.", isBudgetSpent: () => false };
    expect(await host.runTurn(again)).toMatchObject({ kind: "said", text: "done", usage: { input: 60, output: 20 } });
    expect(conversation(request.transcript).filter((line) => line === "assistant: write")).toHaveLength(2);
  });

  it("[A25] a finished answer is taken, even if it used more", async () => {
    const { host } = await play([{ text: "built", usage: { input: 500, output: 5 } }]);
    expect(await host.runTurn(ask({ isBudgetSpent: () => true }).request)).toMatchObject({
      kind: "said",
      text: "built",
    });
  });
});
