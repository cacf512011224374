import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createUserAgentHost } from "../../src/apps/pi/agents/agent-host.ts";
import { createVisibleTurns } from "../../src/apps/pi/agents/visible-turns.ts";
import { noQuestions } from "../harness/turn-control.ts";
import type { UserSession } from "../../src/apps/pi/session/user-session.ts";
import { openPiHost, type AgentRetryOptions } from "../../src/shell/workspace/agent-hosts.ts";
import { createPiHost } from "../../src/shell/agents/pi-host.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import { servePi } from "../harness/agent-bodies.ts";
import { ask, handTimer, scratchFolder, type HandTimer } from "../harness/agents.ts";
import type { ModelReply } from "../harness/pi-model.ts";
import { openPiSession, type PiSetting } from "../harness/pi-session.ts";

interface PlayedTurn {
  readonly host: AgentHost;
  readonly timer: HandTimer;
  readonly requests: () => number;
  readonly asked: () => Promise<void>;
}

type Play = (replies: readonly ModelReply[], patience: AgentRetryOptions) => Promise<PlayedTurn>;

/** As the command line opens it, with a clock that passes by hand where time matters. */
const onCommandLine: Play = async (replies, patience) => {
  const server = await servePi(
    replies.map((reply) =>
      typeof reply === "string"
        ? { text: reply }
        : "error" in reply
          ? { status: 503, message: reply.error }
          : { hang: "before" as const },
    ),
  );
  const timer = handTimer();
  const choice = { model: "local/small" };
  const host =
    patience.silenceMs === undefined
      ? await openPiHost(choice, patience)
      : createPiHost({ ...patience, defaultModel: choice.model, after: timer.after });
  return { host, timer, requests: () => server.requests.length, asked: server.asked };
};

const playInPi =
  (isVisible: boolean): Play =>
  async (replies, patience) => {
    const { pi, user } = await sessionOf({ replies });
    const timer = handTimer();
    const visible = isVisible ? createVisibleTurns(user) : undefined;
    const { runTurn, preflight } = await createUserAgentHost(user, {
      choice: {},
      patience,
      visible,
      control: noQuestions(),
      after: timer.after,
    });
    const host: AgentHost = { preflight, runTurn: (request) => runTurn({ ...request, interactive: isVisible }) };
    return { host, timer, requests: () => pi.requests.length, asked: pi.asked };
  };

async function sessionOf(setting: PiSetting) {
  let user: UserSession | undefined;
  const pi = await openPiSession({
    ...setting,
    extensions: [(api) => void api.on("session_start", (_event, ctx) => void (user = { pi: api, ctx }))],
  });
  if (!user) throw new Error("the session did not start");
  return { pi, user };
}

const FACES: readonly (readonly [name: string, play: Play])[] = [
  ["on the command line", onCommandLine],
  ["isolated in Pi", playInPi(false)],
  ["in the user's session", playInPi(true)],
];

describe.each(FACES)("[X32] patience with an agent %s", (_name, play) => {
  it("a failed request is sent again as often as the limits say, and everybody sees it", async () => {
    const down = { error: "503 down" };
    const { host, requests } = await play([down, down, "built"], { maxRetries: 2, baseDelayMs: 0 });
    const { request, progress } = ask();
    expect(await host.runTurn(request)).toMatchObject({ kind: "said", text: "built" });
    expect(requests()).toBe(3);
    expect(progress.filter(({ kind }) => kind === "retrying")).toMatchObject([
      { attempt: 1, delayMs: 0, error: expect.stringContaining("down") },
      { attempt: 2, delayMs: 0 },
    ]);
  });

  it("and not more often", async () => {
    const down = { error: "503 down" };
    const { host, requests } = await play([down, down, "too late"], { maxRetries: 1, baseDelayMs: 0 });
    expect(await host.runTurn(ask().request)).toMatchObject({ kind: "failed", reason: "provider" });
    expect(requests()).toBe(2);
  });

  it("one of which nothing is heard is ended", async () => {
    const { host, timer, asked } = await play([{ hang: true }], { silenceMs: 90_000 });
    const hanging = asked();
    const turn = host.runTurn(ask().request);
    await hanging;
    timer.fire(90_000);
    expect(await turn).toMatchObject({ kind: "failed", reason: "timeout" });
    expect(timer.waiting()).toEqual([]);
  });
});

const GATE = `export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    await ctx.ui.confirm("Allow?", event.toolName);
  });
}`;

it.each([
  ["isolated in Pi", false],
  ["in the user's session", true],
])("[X32] %s: a dialog that waits for the person is no silence of the agent", async (_name, isVisible) => {
  const gate = join(scratchFolder(), "gate.ts");
  writeFileSync(gate, GATE);
  const answered = Promise.withResolvers<boolean>();
  const { pi, user } = await sessionOf({
    agentFiles: { "settings.json": { extensions: [gate] } },
    confirm: () => answered.promise,
    replies: [{ call: "ls", args: { path: "." } }, "built"],
    ...(isVisible ? { gates: [gate] } : {}),
  });
  const timer = handTimer();
  const visible = isVisible ? createVisibleTurns(user) : undefined;
  const host = await createUserAgentHost(user, {
    choice: {},
    patience: { silenceMs: 90_000 },
    visible,
    control: noQuestions(),
    after: timer.after,
  });
  const turn = host.runTurn(ask({ tools: ["ls"], interactive: isVisible, cwd: pi.cwd }).request);
  await pi.sees(/^confirm/);
  expect(timer.waiting()).toEqual([]);
  answered.resolve(true);
  expect(await turn).toMatchObject({ kind: "said", text: "built" });
});
