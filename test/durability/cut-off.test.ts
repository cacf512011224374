import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import type { TurnOutcome, TurnRequest } from "../../src/shell/ports.ts";
import { typed } from "../harness/doomed.ts";
import {
  journalIn,
  resumeHosted,
  saying,
  startHosted,
  workspaceWith,
  type Agent,
  type HostedCast,
} from "../harness/hosted.ts";

const workspace = (more: object = {}) =>
  workspaceWith({ materia: { Eval: { prompt: "Judge.", parse: "json" } }, ...more });
const NONE = { input: 0, output: 0, cost: 0 };

/** Lines as Pi writes them, one conversation after another. */
function transcript(...messages: readonly object[]): string {
  const header = { type: "session", version: 3, id: "s", timestamp: "", cwd: "/" };
  const entries = messages.map((message, index) => ({
    type: "message",
    id: `m${index}`,
    parentId: index === 0 ? null : `m${index - 1}`,
    message,
  }));
  return [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join("");
}

const asked = { role: "user", content: [{ type: "text", text: "Do it." }] };

function replied(text: string, stopReason = "stop", input = 100): object {
  const usage = { input, output: 10, cacheRead: 7, cacheWrite: 0, cost: { total: 0.5 } };
  return { role: "assistant", stopReason, usage, content: [{ type: "text", text }] };
}

/** An agent that gets as far as this before the cast is aborted. */
function cutOff(content: string): Agent {
  return ({ transcript: path }, abort) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    abort();
    return { kind: "failed", reason: "aborted", message: "aborted", usage: NONE };
  };
}

async function aborted(content: string, more: object = {}): Promise<HostedCast> {
  return startHosted(workspace(more), "Eval", cutOff(content));
}

/** The one request that the resumed cast made. */
async function resumedWith(cast: HostedCast): Promise<TurnRequest | undefined> {
  let seen: TurnRequest | undefined;
  await resumeHosted(cast, (request) => {
    seen = request;
    return saying("{}");
  });
  return seen;
}

it("[D2] a whole answer in the transcript is taken as it is", async () => {
  const cast = await aborted(transcript(asked, replied('{"context":"fine"}')));
  expect(await resumedWith(cast)).toBeUndefined();
  const [accepted] = typed(journalIn(cast), "handoff_accepted");
  expect(accepted).toMatchObject({ handoff: { context: "fine" }, usage: NONE });
  expect(readFileSync(join(cast.runDir, "sockets", "Socket-1", "1", "output.md"), "utf8")).toBe('{"context":"fine"}');
});

it("[D2] an answer that the journal knows is not taken twice", async () => {
  const cast = await startHosted(workspace({ limits: { maxRepairs: 3 } }), "Eval", (request, abort) =>
    request.prompt.includes("Do it.")
      ? saying("no object")
      : cutOff(transcript(asked, replied("no object")))(request, abort),
  );
  expect(await resumedWith(cast)).toMatchObject({ history: "continued" });
  expect(typed(journalIn(cast), "handoff_rejected").length).toBe(1);
});

it.each<[rule: string, content: string]>([
  ["[D3] in the middle of its answer", transcript(asked)],
  ["[D3] between two tools", transcript(asked, replied("", "toolUse"))],
  ["[D3] in the middle of a line", `${transcript(asked)}{"type":"mess`],
])("%s: an agent that was cut off goes on from its transcript", async (_rule, content) => {
  const cast = await aborted(content);
  writeFileSync(join(cast.workspace.place.cwd, "new.txt"), "");
  const request = await resumedWith(cast);
  expect(request).toMatchObject({ history: "continued", prompt: expect.stringMatching(/^You were interrupted/) });
  expect(request?.prompt).toContain("- new.txt");
  expect(request?.prompt).not.toContain("Do it.");
});

it.each<[rule: string, content: string]>([
  ["[D3] no transcript", ""],
  ["[D3] nothing but its head", transcript()],
  ["[D3] a question that was torn", transcript(asked).slice(0, -20)],
])("%s: an agent that was asked nothing begins anew", async (_rule, content) => {
  const request = await resumedWith(await aborted(content));
  expect(request).toMatchObject({ history: "fresh", prompt: expect.stringContaining("Do it.") });
});

it("[D4, J39] what a turn used that was cut off counts towards the budget", async () => {
  const cast = await aborted(transcript(asked, replied("", "toolUse")), { budget: { maxTokens: 117 } });
  const end = await resumeHosted(cast, () => saying("{}"));
  expect(end).toMatchObject({ kind: "ended", state: { phase: { outcome: "failed", limit: { limit: "maxTokens" } } } });
  expect(typed(journalIn(cast), "cast_resumed")).toMatchObject([{ usage: { input: 107, output: 10, cost: 0.5 } }]);
  const raised = await resumeHosted(cast, () => saying("{}"), { kind: "recast", maxTokens: 1_000 });
  expect(raised).toMatchObject({
    state: { phase: { outcome: "completed" }, usage: { input: 117, output: 15, cost: 0.75 } },
  });
  expect(typed(journalIn(cast), "cast_resumed").map(({ usage }) => usage !== undefined)).toEqual([true, false]);
  expect(typed(journalIn(cast), "visit_completed")).toMatchObject([{ usage: { input: 117, output: 15, cost: 0.75 } }]);
});

it("[D8] a retry is in the journal while the turn goes on", async () => {
  let seen: readonly string[] = [];
  const cast = await startHosted(workspace(), "Eval", async (request): Promise<TurnOutcome> => {
    request.onProgress({ kind: "retrying", attempt: 1, delayMs: 2_000, error: "overloaded" });
    await setImmediate();
    seen = journalIn({ runDir: join(dirname(request.transcript), "..", "..", "..") }).map(({ type }) => type);
    return saying("{}");
  });
  expect(seen).toEqual(["cast_started", "visit_started", "turn_retried"]);
  expect(cast.end.kind).toBe("ended");
});

it("[D9] a disk that cannot keep the conversation stops the cast, and the agent has lost nothing", async () => {
  const cast = await startHosted(workspace(), "Eval", () => ({
    kind: "failed",
    reason: "disk",
    message: "the disk is full",
    usage: NONE,
  }));
  expect(cast.end).toMatchObject({
    kind: "broken",
    problem: "the disk is full",
    state: { phase: { kind: "visiting" } },
  });
  expect(journalIn(cast).map(({ type }) => type)).toEqual(["cast_started", "visit_started"]);
  const request = await resumedWith(cast);
  expect([request?.earlierTurns(), request?.prompt]).toEqual([[], expect.stringContaining("Do it.")]);
});
