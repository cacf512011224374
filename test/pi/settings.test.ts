import { SessionManager } from "@earendil-works/pi-coding-agent";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../harness/agents.ts";
import { openPiSession, project, type PiSession } from "../harness/pi-session.ts";

/** A materia that wants everything different from the user's. */
const PICKY = {
  materia: {
    Plan: { prompt: "You plan.", tools: "readOnly", model: "scripted/second", thinking: "low", interactive: true },
  },
};

describe("[X20] the user's settings", () => {
  it("are the same after a turn that wanted others", async () => {
    const pi = await openPiSession({ cwd: project(PICKY), confirm: () => true, replies: ["Plan A"] });
    const before = settings(pi);
    await pi.type("/materia link Plan -- plan it");
    await pi.sees(/waits for you/);
    expect(pi.requests).toMatchObject([{ model: "second", tools: ["read", "grep", "find", "ls"] }]);
    expect(settings(pi)).toEqual(before);
  });

  it.each<[title: string, end: (pi: PiSession) => unknown, sees?: RegExp]>([
    ["after an abort", (pi) => pi.type("/materia abort")],
    ["after Pi's own abort", (pi) => pi.session.abort()],
    ["after the session is left", (pi) => pi.leave("new"), /^info: The cast is paused/],
  ])("%s", async (_title, end, sees = /^materia-result/) => {
    const pi = await openPiSession({ cwd: project(PICKY), confirm: () => true, replies: [{ hang: true }] });
    const before = settings(pi);
    const asked = pi.asked();
    await pi.type("/materia link Plan -- plan it");
    await asked;
    expect(settings(pi)).not.toEqual(before);
    await end(pi);
    await pi.sees(sees);
    expect(settings(pi)).toEqual(before);
  });

  it("after a failure", async () => {
    const pi = await openPiSession({ cwd: project(PICKY), confirm: () => true, replies: [{ error: "400 no" }] });
    const before = settings(pi);
    await pi.type("/materia link Plan -- plan it");
    expect(await pi.sees(/^materia-result/)).toContain("400 no");
    expect(settings(pi)).toEqual(before);
  });

  it("a model that the user chooses during the turn stays", async () => {
    const pi = await openPiSession({ cwd: project(PICKY), confirm: () => true, replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link Plan -- plan it");
    await asked;
    const model = pi.session.modelRuntime.getModel("scripted", "third");
    if (model) await pi.session.setModel(model);
    await pi.type("/materia abort");
    expect(pi.session.model?.id).toBe("third");
  });

  it("[X21] are put back when a killed session is opened again", async () => {
    const cwd = project(PICKY);
    const folder = scratchFolder();
    const sessions = SessionManager.create(cwd, folder);
    const pi = await openPiSession({ cwd, sessions, confirm: () => true, replies: ["hello", { hang: true }] });
    const before = settings(pi);
    await pi.type("hi");
    const asked = pi.asked();
    await pi.type("/materia link Plan -- plan it");
    await asked;
    const file = pi.session.sessionFile ?? "";
    const again = await openPiSession({ cwd, sessions: SessionManager.open(file, folder, cwd) });
    expect(settings(again)).toEqual(before);
    await pi.type("/materia abort");
  });
});

describe("[X22] the user's later requests", () => {
  it("get nothing of the turns of a cast, aborted ones included", async () => {
    const pi = await openPiSession({ replies: ["mine", "Plan A", { hang: true }, "yours"] });
    await pi.type("before");
    await pi.type("/materia link Interactive-Plan -- plan it");
    await pi.sees(/waits for you/);
    const asked = pi.asked();
    await pi.type("make it B");
    await asked;
    await pi.type("/materia abort");
    await pi.type("after");
    expect(pi.requests.at(-1)?.messages).toEqual([
      "u: before",
      "a: mine",
      expect.stringContaining("aborted"),
      "u: after",
    ]);
  });
});

describe("[X23] compaction", () => {
  it("a turn that does not fit fails, and the history stays", async () => {
    const pi = await openPiSession({
      replies: ["mine", { error: "prompt is too long: 900000 tokens > 200000 maximum" }],
    });
    await pi.type("before");
    await pi.type("/materia link Interactive-Plan -- plan it");
    expect(await pi.sees(/^materia-result/)).toContain("failed");
    expect(pi.session.sessionManager.getBranch().some(({ type }) => type === "compaction")).toBe(false);
  });
});

function settings({ session }: PiSession) {
  return {
    model: session.model?.id,
    thinking: session.thinkingLevel,
    tools: session.getActiveToolNames().toSorted(),
  };
}
