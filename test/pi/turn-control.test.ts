import type { AgentSession } from "@earendil-works/pi-coding-agent";
import { expect, it } from "vitest";
import { agentsText, createTurnControl, type InterruptDecision } from "../../src/apps/pi/agents/turn-control.ts";
import { failedTurn, turnOutcome } from "../../src/shell/agents/pi-turn.ts";
import type { TurnRecord } from "../../src/shell/agents/turn-record.ts";
import { NO_USAGE } from "../../src/core/cast/state/usage.ts";
import type { TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";

/** Runs until it is interrupted. */
function untilStopped({ signal }: TurnRequest): Promise<TurnOutcome> {
  const { promise, resolve } = Promise.withResolvers<TurnOutcome>();
  signal.addEventListener("abort", () => resolve(failedTurn("aborted", "", NO_USAGE)));
  return promise;
}

it("[X57] agents of parallel items are counted: for a message, and in the question about an interruption", async () => {
  const asked: string[] = [];
  const control = createTurnControl({
    ask: async ({ materia }, count) => {
      asked.push(agentsText(materia, count));
      // [X40] Its model and thinking level are still those of the agent.
      expect(control.session()?.thinkingLevel).toBe("high");
      return { kind: "stop" };
    },
    onUnread: () => undefined,
  });
  const read: string[] = [];
  const session = {
    isStreaming: true,
    thinkingLevel: "high",
    steer: async (text: string) => void read.push(text),
    clearQueue: () => ({ steering: [], followUp: [] }),
  } as unknown as AgentSession; // only these are used
  const runs = [1, 2, 3].map(() => {
    const request = { materia: "Build", signal: new AbortController().signal } as unknown as TurnRequest;
    return control.run(request, (turn) => {
      control.registerSession(session, turn);
      return untilStopped(turn);
    });
  });
  expect(control.listening()).toBe(3);
  control.steer({ text: "in oak" });
  expect(read).toEqual(["in oak", "in oak", "in oak"]);
  control.interrupt();
  await Promise.all(runs);
  expect(asked).toEqual(["all 3 agents"]);
  expect(agentsText("Build", 1)).toBe("Build");
});

it.each<[decision: InterruptDecision, prompt: RegExp, returned: readonly string[]]>([
  [{ kind: "go_on" }, /has interrupted you[^]*\n\nin oak$/, []],
  [{ kind: "say", text: "with a door" }, /^with a door\n\nin oak$/, []],
  [{ kind: "stop" }, /^build it$/, ["in oak"]],
])("[X35, X36] a message that the interrupted agent had not read: %o", async (decision, prompt, returned) => {
  const kept: string[] = [];
  const prompts: string[] = [];
  const control = createTurnControl({ ask: async () => decision, onUnread: (texts) => void kept.push(...texts) });
  const session = { clearQueue: () => ({ steering: ["in oak"], followUp: [] }) } as unknown as AgentSession; // only this is used
  const request = { prompt: "build it", signal: new AbortController().signal } as unknown as TurnRequest;
  const done = control.run(request, (turn) => {
    prompts.push(turn.prompt);
    if (prompts.length > 1) return Promise.resolve(failedTurn("provider", "", NO_USAGE));
    control.registerSession(session, turn);
    return untilStopped(turn);
  });
  control.interrupt();
  await done;
  expect(prompts.at(-1)).toMatch(prompt);
  expect(kept).toEqual(returned);
});

it("[A31] texts of a reply with something between them are paragraphs", () => {
  const content = [
    { type: "text", text: "It is changed." },
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "I have" },
    { type: "text", text: " tested it." },
  ];
  const last = { stopReason: "stop", content, provider: "a", model: "b" };
  const seen = { last: () => last, handedOver: () => undefined, usage: () => NO_USAGE } as unknown as TurnRecord; // only these are read
  const outcome = turnOutcome(seen, undefined, { provider: "a", id: "b" });
  expect(outcome).toMatchObject({ text: "It is changed.\n\nI have tested it." });
});
