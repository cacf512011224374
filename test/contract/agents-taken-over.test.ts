import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createUserAgentHost } from "../../src/apps/pi/agents/agent-host.ts";
import { createVisibleTurns } from "../../src/apps/pi/agents/visible-turns.ts";
import { noQuestions } from "../harness/turn-control.ts";
import type { UserSession } from "../../src/apps/pi/session/user-session.ts";
import type { TurnProgress } from "../../src/shell/ports.ts";
import { BODIES } from "../harness/agent-bodies.ts";
import { ask, conversation, handTimer } from "../harness/agents.ts";
import { openPiSession } from "../harness/pi-session.ts";

const touch = (name: string) => ({ name: "write", arguments: { path: name, content: name } });
const twoCalls = { tools: [touch("a"), touch("b")], text: "done" };
const TAKEN = { kind: "failed", reason: "taken_over" };

/** A claim that is lost as soon as the turn has come so far. */
function claimUntil(isLost: (progress: readonly TurnProgress[]) => boolean) {
  const seen: TurnProgress[] = [];
  return {
    holdsClaim: async () => !isLost(seen),
    onProgress: (progress: TurnProgress) => void seen.push(progress),
  };
}

const count = (progress: readonly TurnProgress[], kind: TurnProgress["kind"]) =>
  progress.filter((each) => each.kind === kind).length;

describe.each(BODIES)("a cast that was taken from agents %s", (_name, play) => {
  it("[D28] between two calls: the model is not asked again", async () => {
    const { host } = await play([twoCalls]);
    const claim = claimUntil((progress) => count(progress, "tool_ended") === 1);
    const { request } = ask({ tools: ["write"], ...claim });
    expect(await host.runTurn(request)).toMatchObject(TAKEN);
    expect(["a", "b"].map((name) => existsSync(join(request.cwd, name)))).toEqual([true, false]);
    expect(conversation(request.transcript).filter((line) => line === "assistant: write")).toHaveLength(1);
  });

  it("[D28] between a reply and the call that it asks for: the call is not made, and its refusal not written", async () => {
    const { host } = await play([twoCalls]);
    const { request } = ask({ tools: ["write"], ...claimUntil((progress) => count(progress, "used") === 2) });
    expect(await host.runTurn(request)).toMatchObject(TAKEN);
    expect(["a", "b"].map((name) => existsSync(join(request.cwd, name)))).toEqual([true, false]);
    expect(conversation(request.transcript).filter((line) => line.includes("toolResult"))).toHaveLength(1);
  });

  it("[D28] while a reply is on its way: it does not come into the transcript", async () => {
    const { host } = await play([{ text: "too late" }]);
    const told: TurnProgress[] = [];
    const { request } = ask({
      // The claim was there when the request left.
      isSuperseded: () => count(told, "asked") > 0,
      onProgress: (progress) => void told.push(progress),
    });
    await host.runTurn(request);
    expect(conversation(request.transcript).filter((line) => line.startsWith("assistant"))).toEqual([]);
  });

  it("[D28] before a retry: nothing is sent again", async () => {
    const { host } = await play([{ error: "provider" }, { text: "too late" }]);
    const { request } = ask(claimUntil((progress) => count(progress, "retrying") > 0));
    expect(await host.runTurn(request)).toMatchObject(TAKEN);
  });
});

it.each([
  ["between two calls", (progress: readonly TurnProgress[]) => count(progress, "tool_ended") === 1],
  ["between a reply and its call", (progress: readonly TurnProgress[]) => count(progress, "used") === 2],
])("[D28] in the user's session, %s: no further call is made", async (_when, isLost) => {
  let user: UserSession | undefined;
  const pi = await openPiSession({
    replies: ["a", "b"].map((name) => ({ call: "write", args: { path: name, content: name } })),
    extensions: [(api) => void api.on("session_start", (_event, ctx) => void (user = { pi: api, ctx }))],
  });
  if (!user) throw new Error("the session did not start");
  const visible = createVisibleTurns(user);
  const host = await createUserAgentHost(user, {
    choice: {},
    patience: {},
    visible,
    control: noQuestions(),
    after: handTimer().after,
  });
  const { request } = ask({ tools: ["write"], interactive: true, cwd: pi.cwd, ...claimUntil(isLost) });
  expect(await host.runTurn(request)).toMatchObject(TAKEN);
  expect(["a", "b"].map((name) => existsSync(join(pi.cwd, name)))).toEqual([true, false]);
});
