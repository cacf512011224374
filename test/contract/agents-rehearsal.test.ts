import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { Usage } from "../../src/core/cast/state/usage.ts";
import { Rehearsal, type ScriptedReply } from "../../src/core/model/rehearsal.ts";
import { KNOWN_TOOLS, toolsInScope } from "../../src/core/model/materia.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import type { SocketTurnCount, TurnOutcome } from "../../src/shell/ports.ts";
import { ask, handTimer, need, piFolder, rehearsal, socket } from "../harness/agents.ts";

const turns = (
  id: string,
  materia: string,
  count: number,
  byItem: Readonly<Record<string, number>> = {},
): SocketTurnCount => ({
  socket: socket(id),
  materia,
  turns: count,
  turnsFor: (item) => byItem[item] ?? 0,
});

function promptOf(outcome: TurnOutcome): string {
  return outcome.kind === "said" ? outcome.text : `${outcome.reason}: ${outcome.message}`;
}

async function replyTo(
  script: Rehearsal,
  at: string,
  materia: string,
  earlier: readonly SocketTurnCount[] = [],
): Promise<string> {
  return promptOf(
    await createRehearsalHost(script).runTurn(
      ask({ socket: socket(at), materia, earlierTurns: () => earlier }).request,
    ),
  );
}

async function usageOf(reply: v.InferInput<typeof ScriptedReply>): Promise<Usage> {
  const { request } = ask({ system: "x".repeat(300), prompt: "x".repeat(100) });
  return (await createRehearsalHost(rehearsal({ Build: [reply] })).runTurn(request)).usage;
}

function noMemory(): never {
  throw new Error("no memory");
}

describe("replies of a rehearsal", () => {
  it("[A10] a socket's own replies come before those of its materia", async () => {
    const script = rehearsal({ Build: [{ text: "any" }], "Socket-2": [{ text: "second" }] });
    expect(await replyTo(script, "Socket-1", "Build")).toBe("any");
    expect(await replyTo(script, "Socket-2", "Build")).toBe("second");
  });

  it("[A10] the more particular key wins: socket and item, materia and item, socket, materia", async () => {
    const all = { "Socket-2@WI-2": "a", "Build@WI-2": "b", "Socket-2": "c", Build: "d" };
    const left = Object.entries(all);
    const said: string[] = [];
    while (left.length > 0) {
      const script = rehearsal(Object.fromEntries(left.map(([key, text]) => [key, [{ text }]])));
      const { request } = ask({ socket: socket("Socket-2"), materia: "Build", item: "WI-2" });
      said.push(promptOf(await createRehearsalHost(script).runTurn(request)));
      left.shift();
    }
    expect(said).toEqual(["a", "b", "c", "d"]);
  });

  it("[A10] a key of an item serves no other item, and none outside loops", async () => {
    const script = rehearsal({ "Build@WI-2": [{ text: "second item" }], Build: [{ text: "any" }] });
    for (const item of [null, "WI-1", "WI-22"])
      expect(promptOf(await createRehearsalHost(script).runTurn(ask({ materia: "Build", item }).request))).toBe("any");
  });

  it("[A11] the position under a key counts the turns that this key has served", async () => {
    const texts = (name: string) => ["1", "2", "3", "4", "5"].map((text) => ({ text: `${name} ${text}` }));
    const script = rehearsal({
      "Socket-2@WI-2": texts("own second"),
      "Build@WI-2": texts("second"),
      Build: texts("any"),
    });
    const earlierTurns = () => [
      turns("Socket-1", "Build", 4, { "WI-1": 1, "WI-2": 3 }),
      turns("Socket-2", "Build", 3, { "WI-1": 1, "WI-2": 2 }),
    ];
    const reply = async (at: string, item: string): Promise<string> => {
      const { request } = ask({ socket: socket(at), materia: "Build", item, earlierTurns });
      return promptOf(await createRehearsalHost(script).runTurn(request));
    };
    expect(await reply("Socket-1", "WI-2")).toBe("second 4");
    expect(await reply("Socket-2", "WI-2")).toBe("own second 3");
    expect(await reply("Socket-1", "WI-1")).toBe("any 3");
  });

  it("[A11] the position is the number of turns that the key has had", async () => {
    const script = rehearsal({
      Build: [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }],
      "Socket-2": [{ text: "own" }],
    });
    const earlier = [
      turns("Socket-1", "Build", 1),
      turns("Socket-2", "Build", 5),
      turns("Socket-3", "Build", 2),
      turns("Socket-4", "Plan", 9),
    ];
    expect(await replyTo(script, "Socket-1", "Build", earlier)).toBe("4");
    expect(await replyTo(script, "Socket-2", "Build", [turns("Socket-1", "Build", 3)])).toBe("own");
  });

  it("[A12] without a reply left the turn fails, and says which and what to do", async () => {
    const script = rehearsal({ Build: [{ text: "1" }], Plan: [] });
    expect(await replyTo(script, "Socket-1", "Build", [turns("Socket-1", "Build", 1)])).toBe(
      'rehearsal: the rehearsal has no reply left for "Build" (Socket-1): its 1 reply is used up; add another under "Build", or set "onEmpty": "repeat-last"',
    );
    expect(await replyTo(script, "Socket-3", "Buld")).toBe(
      'rehearsal: the rehearsal has no reply for Buld (Socket-3); add one under "Buld" or "Socket-3"; the file has "Build": is it misspelt?',
    );
    expect(await replyTo(script, "Socket-3", "constructor")).toMatch(/^rehearsal: .* no reply for constructor/);
  });

  it("[A12] repeat-last gives the last reply again, where there is one", async () => {
    const script = rehearsal({ Build: [{ text: "1" }, { text: "2" }], Plan: [] }, "repeat-last");
    expect(await replyTo(script, "Socket-1", "Build", [turns("Socket-1", "Build", 7)])).toBe("2");
    expect(await replyTo(script, "Socket-1", "Plan")).toMatch(/^rehearsal: /);
  });

  it("[A23] an error uses up one reply, and the retry takes the next", async () => {
    const script = rehearsal({ Build: [{ error: "provider" }, { text: "2" }, { text: "3" }] });
    const { request, progress } = ask();
    expect(promptOf(await createRehearsalHost(script).runTurn(request))).toBe("2");
    // Two turns by the listener's count: the next position is the third reply.
    expect(progress.filter(({ kind }) => kind === "retrying")).toHaveLength(1);
    expect(await replyTo(script, "Socket-1", "Build", [turns("Socket-1", "Build", 2)])).toBe("3");
  });

  it("[A23] a retry that finds no reply is the end of the rehearsal, not of the provider", async () => {
    expect(await replyTo(rehearsal({ Build: [{ error: "timeout" }] }), "Socket-1", "Build")).toMatch(
      /^rehearsal: .*"Build"/,
    );
  });

  it("[A13] JSON is written out, and malformed text stays as it is", async () => {
    expect(
      await replyTo(rehearsal({ Build: [{ json: { satisfied: true, context: "é\n" } }] }), "Socket-1", "Build"),
    ).toBe('{"satisfied":true,"context":"é\\n"}');
    const odd = '```json\n{"satisfied": tru\n\ud800 \u001b[31m  ';
    expect(await replyTo(rehearsal({ Build: [{ text: odd }] }), "Socket-1", "Build")).toBe(odd);
    expect(await replyTo(rehearsal({ Build: [{ json: null }] }), "Socket-1", "Build")).toBe("null");
    // [A31] As from a model.
    expect(await replyTo(rehearsal({ Build: [{ text: "" }] }), "Socket-1", "Build")).toContain("an empty reply");
    expect(await replyTo(rehearsal({ Build: [{ text: "x".repeat(5_000_000) }] }), "Socket-1", "Build")).toHaveLength(
      5_000_000,
    );
  });

  it("[A13] usage as written, else from the lengths of prompt and reply; it costs nothing", async () => {
    expect(await usageOf({ text: "x", usage: { input: 5, output: 6 } })).toEqual({ input: 5, output: 6, cost: 0 });
    expect(await usageOf({ text: "x".repeat(40) })).toEqual({ input: 100, output: 10, cost: 0 });
    expect(await usageOf({ error: "overflow", usage: { input: 9, output: 0 } })).toEqual({
      input: 9,
      output: 0,
      cost: 0,
    });
  });

  it("[A13] a delay passes by the clock that the host was given", async () => {
    const timer = handTimer();
    const host = createRehearsalHost(rehearsal({ Build: [{ text: "late", delayMs: 4000 }] }), { after: timer.after });
    const turn = host.runTurn(ask().request);
    await timer.set(4000);
    timer.fire(4000);
    expect(promptOf(await turn)).toBe("late");
  });

  it.each<[title: string, reply: object]>([
    ["[A13] a reply that says nothing is refused", { tools: [] }],
    ["[A13] a reply that says two things is refused", { text: "a", json: 1 }],
    ["[A13] an unknown error is refused", { error: "boredom" }],
    ["[A13] an unknown key is refused", { text: "a", tool: [] }],
    ["[A13] a negative delay is refused", { text: "a", delayMs: -1 }],
    ["[A13] a tool call without a name is refused", { text: "a", tools: [{ arguments: {} }] }],
  ])("%s", (_title, reply) => {
    expect(v.safeParse(Rehearsal, { replies: { Build: [reply] } }).success).toBe(false);
  });
});

describe("the stage of a rehearsal", () => {
  it("[A9] it needs no model and no key, and touches nothing of Pi's", async () => {
    piFolder({});
    const host = createRehearsalHost(rehearsal({ Build: [{ text: "ok" }] }));
    expect(await host.preflight([need({ model: "nobody/knows", tools: ["read"] })])).toEqual([]);
    expect(promptOf(await host.runTurn(ask({ model: "nobody/knows", thinking: "high" }).request))).toBe("ok");
  });

  it("[A6] a tool that does not exist is refused all the same", async () => {
    const issues = await createRehearsalHost(rehearsal({})).preflight([need({ tools: ["reed"] })]);
    expect(issues).toMatchObject([{ code: "unknown_tool", hint: 'did you mean "read"?' }]);
  });

  it("[A1] a caller that cannot tell the turns so far gets a failed turn", async () => {
    const outcome = await createRehearsalHost(rehearsal({ Build: [{ text: "ok" }] })).runTurn(
      ask({ earlierTurns: noMemory }).request,
    );
    expect(promptOf(outcome)).toBe("provider: no memory");
  });

  it("[A2] turns that run at the same time do not mix", async () => {
    const names = ["Build", "Plan", "Eval", "Narrate"];
    const host = createRehearsalHost(
      rehearsal(
        Object.fromEntries(
          names.map((name) => [
            name,
            [{ text: name, tools: [{ name: "write", arguments: { path: "me", content: name } }] }],
          ]),
        ),
      ),
    );
    const asked = names.map((materia) => ask({ materia, tools: ["write"] }));
    const outcomes = await Promise.all(asked.map(({ request }) => host.runTurn(request)));
    expect(outcomes.map(promptOf)).toEqual(names);
    expect(asked.map(({ request }) => readFileSync(join(request.cwd, "me"), "utf8"))).toEqual(names);
  });

  it("[A5] every scope holds only tools of Pi, and coding begins with readOnly", async () => {
    const pi = await import("@earendil-works/pi-coding-agent");
    const { session } = await pi.createAgentSession({
      sessionManager: pi.SessionManager.inMemory(),
      settingsManager: pi.SettingsManager.inMemory(),
      modelRuntime: await pi.ModelRuntime.create({
        modelsPath: null,
        refreshOnCreate: false,
        authPath: join(ask().request.cwd, "auth.json"),
      }),
    });
    expect(
      session
        .getAllTools()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(KNOWN_TOOLS.toSorted());
    session.dispose();
    expect(toolsInScope("none")).toEqual([]);
    expect(toolsInScope("readOnly")).toEqual(["read", "grep", "find", "ls"]);
    expect(toolsInScope("coding").slice(0, 4)).toEqual(toolsInScope("readOnly"));
    expect(toolsInScope("coding")).toEqual(
      expect.arrayContaining([...toolsInScope("readOnly"), "bash", "edit", "write"]),
    );
    expect(toolsInScope({ type: "custom", tools: ["ls", "bash", "ls"] })).toEqual(["ls", "bash"]);
  });
});
