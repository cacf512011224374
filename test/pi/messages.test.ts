import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { ModelReply } from "../harness/pi-model.ts";
import { openPiSession, project, type PiSession, type PiSetting } from "../harness/pi-session.ts";

const WAITS = "touch begun; until [ -f go ]; do sleep 0.02; done";

/** A cast whose agent waits in a command, until it is let go. */
async function working(setting: Omit<PiSetting, "replies">, ...replies: readonly ModelReply[]) {
  const pi = await openPiSession({ ...setting, replies: [{ call: "bash", args: { command: WAITS } }, ...replies] });
  await pi.type("/materia link Build -- make it");
  await vi.waitFor(() => expect(existsSync(join(pi.cwd, "begun"))).toBe(true), { timeout: 60_000 });
  return { pi, letGo: () => writeFileSync(join(pi.cwd, "go"), "") };
}

describe("[X36] messages while an agent works", () => {
  it("go to it now", async () => {
    const { pi, letGo } = await working({}, "built with a door");
    await pi.type("with a door");
    expect(await pi.sees(/gets this/)).toMatch(/Build gets this now: “with a door”/);
    expect(await pi.sees(/^widget: [^]*⧗/)).toMatch(/⧗ not read yet: with a door/);
    letGo();
    await pi.sees(/^materia-result/);
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: with a door");
    expect(pi.requests).toHaveLength(2);
  });

  it("come back with Alt+Up while it has not read them", async () => {
    const { pi, letGo } = await working({ mode: "tui" }, "built");
    await pi.type("with a door");
    expect(pi.press("\u001b[1;3A")).toEqual({ consume: true });
    expect(await pi.sees(/^editor/)).toBe("editor: with a door");
    expect(pi.press("\u001b[1;3A")).toBeUndefined();
    letGo();
    await pi.sees(/^materia-result/);
    expect(pi.requests.flatMap(({ messages }) => messages).join()).not.toContain("door");
  });

  it("[X57] go to Pi's own agent with Alt+Enter, at once", async () => {
    const { pi, letGo } = await working({ mode: "tui", editorText: "tell me a joke" }, "the joke", "built");
    expect(pi.press("\u001b\r")).toEqual({ consume: true });
    await pi.sees(/^settled/);
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: tell me a joke");
    letGo();
    await pi.sees(/^materia-result/);
    expect(pi.requests.at(-1)?.messages.join()).not.toContain("joke");
  });
});

/** A program that runs until it is let go, in front of an agent. */
const SLOW = {
  activeLoadout: "Slow",
  materia: { Wait: { type: "utility", command: ["sh", "-c", WAITS] }, Make: { prompt: "Make it." } },
  loadouts: {
    Slow: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Wait", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Make" },
      },
    },
  },
};

async function programRuns(...replies: readonly ModelReply[]) {
  const pi = await openPiSession({ mode: "tui", cwd: project(SLOW), confirm: () => true, editorText: "half", replies });
  await pi.type("/materia cast make it");
  await vi.waitFor(() => expect(existsSync(join(pi.cwd, "begun"))).toBe(true), { timeout: 60_000 });
  await pi.type("tell me a joke");
  expect(await pi.sees(/Kept/)).toMatch(/Kept until the cast has ended.*“tell me a joke”/);
  return { pi, letGo: () => writeFileSync(join(pi.cwd, "go"), "") };
}

describe("[X19, X36] messages while no agent works", () => {
  it("are kept, and sent when the cast has completed", async () => {
    const { pi, letGo } = await programRuns("made", "the joke");
    letGo();
    await pi.sees(/^materia-result/);
    await pi.sees(/^settled/);
    expect(pi.requests.map(({ messages }) => messages.at(-1))).toEqual([
      expect.not.stringContaining("joke"),
      "u: tell me a joke",
    ]);
  });

  it.each<[how: string, end: (pi: PiSession) => Promise<void>, replies: readonly ModelReply[]]>([
    ["is aborted", (pi) => pi.type("/materia abort"), []],
    ["fails", async () => undefined, [{ error: "400 no" }]],
  ])("go back into the editor when it %s", async (_how, end, replies) => {
    const { pi, letGo } = await programRuns(...replies);
    await end(pi);
    letGo();
    await pi.sees(/^materia-result/);
    expect(await pi.sees(/^editor: tell/)).toBe("editor: tell me a joke\n\nhalf");
    expect(pi.requests.flatMap(({ messages }) => messages).join()).not.toContain("joke");
  });
});

describe("[X19] messages to Pi itself", () => {
  it("reach the answer that they steer, also beside a cast", async () => {
    const pi = await openPiSession({
      replies: [{ call: "bash", args: { command: WAITS } }, { hang: true }, "steered"],
    });
    const asked = pi.asked();
    const mine = pi.type("work");
    await asked;
    const second = pi.asked();
    await pi.type("/materia link Build -- make it");
    await second;
    await pi.session.prompt("and this", { source: "interactive", streamingBehavior: "steer" });
    writeFileSync(join(pi.cwd, "go"), "");
    await pi.type("/materia abort");
    await mine;
    expect(pi.requests.at(-1)?.messages.at(-1)).toBe("u: and this");
  });
});

describe("[X19] messages in a session that is left", () => {
  it("go back into the editor", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }], editorText: "half a sen" });
    const asked = pi.asked();
    await pi.type("/materia link Build -- make it");
    await asked;
    await pi.type("tell me a joke");
    await pi.leave("new");
    expect(await pi.sees(/^editor/)).toBe("editor: tell me a joke\n\nhalf a sen");
    expect(pi.requests).toHaveLength(1);
  });
});
