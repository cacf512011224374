import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fauxAssistantMessage, fauxProvider } from "@earendil-works/pi-ai";
import { describe, expect, it, onTestFinished } from "vitest";
import { runOptionIssues } from "../../src/core/command/options.ts";
import { scratchFolder } from "../harness/agents.ts";
import { castsIn, journalOf, put } from "../harness/cli.ts";
import { openPiSession, project } from "../harness/pi-session.ts";

describe("[X14] agents of a cast", () => {
  it("use the model that is chosen in the session", async () => {
    const pi = await openPiSession({ replies: ["built"] });
    const second = pi.session.modelRuntime.getModel("scripted", "second");
    if (second) await pi.session.setModel(second);
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    expect(pi.requests).toMatchObject([{ model: "second", messages: ["u: ## Request\n\nmake it"] }]);
  });

  it("use the one that the command names, of a provider that another extension brings", async () => {
    const other = fauxProvider({ provider: "brought", models: [{ id: "own" }] });
    other.setResponses([fauxAssistantMessage("from the other one")]);
    const pi = await openPiSession({ extensions: [(api) => api.registerProvider(other.provider)] });
    await pi.type("/materia link --model brought/own Build -- make it");
    expect(await pi.sees(/^materia-result/)).toContain("from the other one");
  });

  it("report what they cost on the card", async () => {
    const pi = await openPiSession({ replies: ["built"] });
    await pi.type("/materia link Build -- make it");
    expect(await pi.sees(/^materia-result/)).toMatch(/[\d.]+ k tokens/);
  });
});

const SEARCH = `export default function (pi) {
  pi.registerTool({
    name: "search_notes",
    label: "Search",
    description: "Searches notes",
    parameters: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
    execute: async (_id, { words }) => ({ content: [{ type: "text", text: "found " + words }], details: {} }),
  });
}`;

describe("[X47] my Pi inside", () => {
  const searcher = {
    materia: { Search: { prompt: "Search.", tools: { type: "custom", tools: ["read", "search_notes"] } } },
  };

  it("has tools of other extensions by name, and no others of theirs", async () => {
    const file = join(scratchFolder(), "search.ts");
    writeFileSync(file, SEARCH);
    const argv = [...process.argv];
    process.argv.push("-e", file);
    onTestFinished(() => void (process.argv = argv));
    const replies = [{ call: "search_notes", args: { words: "a hut" } }, "done"];
    const pi = await openPiSession({ cwd: project(searcher), confirm: () => true, gates: [file], replies });
    await pi.type("/materia link Search -- look");
    expect(await pi.sees(/^materia-result/)).toContain("completed");
    expect(pi.requests[0]?.tools.toSorted()).toEqual(["read", "search_notes"]);
    expect(pi.requests[1]?.messages.at(-1)).toBe("t: found a hut");
  });

  it("refuses a tool that no extension has", async () => {
    const pi = await openPiSession({ cwd: project(searcher), confirm: () => true });
    await pi.type("/materia link Search -- look");
    expect(await pi.sees(/^error/)).toMatch(/unknown_tool.*"search_notes" is not a tool of Pi/);
  });

  it.each([
    ["Build", "high"],
    ["Quick", "minimal"],
  ])("%s thinks with the level %s: the session's, unless the materia says otherwise", async (materia, level) => {
    const quick = { materia: { Quick: { prompt: "Quick.", thinking: "minimal" } } };
    const pi = await openPiSession({ cwd: project(quick), confirm: () => true, replies: [{ hang: true }] });
    pi.session.setThinkingLevel("high");
    const asked = pi.asked();
    await pi.type(`/materia link ${materia} -- look`);
    await asked;
    expect(await pi.sees(/^widget: [^]*first · /)).toContain(`first · ${level}`);
    await pi.type("/materia abort");
    await pi.sees(/^materia-result/);
  });
});

describe("[A27] --thinking", () => {
  it("says how hard an agent thinks whose materia does not", async () => {
    const pi = await openPiSession({ replies: [{ hang: true }] });
    const asked = pi.asked();
    await pi.type("/materia link --thinking minimal Build -- look");
    await asked;
    expect(await pi.sees(/^widget: [^]*first · /)).toContain("first · minimal");
    await pi.type("/materia abort");
    await pi.sees(/^materia-result/);
  });

  it.each<[options: Parameters<typeof runOptionIssues>[0], code: string | undefined]>([
    [{ thinking: "max" }, undefined],
    [{ thinking: "hard" }, "bad_option"],
    [{ thinking: "high", on: "team" }, "unsupported_on_fleet"],
  ])("%o is answered with %s", (options, code) => {
    expect(runOptionIssues(options)[0]?.code).toBe(code);
  });
});

describe("[X15] tools that Pi was started without", () => {
  it("refuse the cast before it exists", async () => {
    const pi = await openPiSession({ tools: ["read", "ls"] });
    await pi.type("/materia link Build -- make it");
    expect(await pi.sees(/^error/)).toMatch(/forbidden_tool.*without bash, edit, write; wanted by Build/);
    expect(existsSync(join(pi.cwd, ".pi"))).toBe(false);
  });

  it("do not refuse what needs none of them", async () => {
    const pi = await openPiSession({
      tools: ["read", "ls", "grep", "find"],
      replies: [JSON.stringify({ satisfied: true, context: "" })],
    });
    await pi.type("/materia link Context-Check -- look");
    expect(await pi.sees(/^(materia-result|error)/)).toContain("completed");
  });
});

const GATE = `export default function (pi) {
  pi.on("session_start", (_event, ctx) => ctx.ui.setStatus("gate", "noise"));
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName === "bash" && !(await ctx.ui.confirm("Allow?", event.input.command)))
      return { block: true, reason: "denied by the gate" };
  });
  pi.on("before_agent_start", () => ({ systemPrompt: "LEAKED" }));
}`;

describe("[X16, YP20] the user's gates", () => {
  it.each<[title: string, allow: boolean, shown: string]>([
    ["ask through the user's screen, and block", false, "denied by the gate"],
    ["let pass what the user allows", true, "ran"],
  ])("%s", async (_title, allow, shown) => {
    const gate = join(scratchFolder(), "gate.ts");
    writeFileSync(gate, GATE);
    const pi = await openPiSession({
      agentFiles: { "settings.json": { extensions: [gate] } },
      confirm: () => allow,
      replies: [{ call: "bash", args: { command: "echo ran" } }, "built"],
    });
    await pi.type("/materia link Build -- make it");
    await pi.sees(/^materia-result/);
    expect(await pi.sees(/^confirm/)).toContain("echo ran");
    expect(pi.requests[1]?.messages.at(-1)).toContain(shown);
    const asked = journalOf(pi.cwd, castsIn(pi.cwd)[0] ?? "").filter(({ type }) => type === "extension_asked");
    expect(asked).toMatchObject([{ extension: "gate", outcome: allow ? "yes" : "no" }]);
    expect(pi.shown().join()).not.toContain("noise");
    expect(pi.requests[0]?.system).not.toContain("LEAKED");
  });

  it("[YP19] ask in a rehearsal too, by the name and place of who asks", async () => {
    const cwd = scratchFolder();
    const tools = [{ name: "bash", arguments: { command: "echo ran" } }];
    put(cwd, {
      ".pi/pi-materia.json": { materia: { Agent: { prompt: "Do.", tools: "coding", extensions: ["gate"] } } },
      ".pi/extensions/gate.ts": GATE,
      "r.json": { replies: { Agent: [{ tools, text: "built" }] } },
    });
    const pi = await openPiSession({ cwd, confirm: () => true, trusted: true });
    await pi.type("/materia link Agent --trust --rehearse r.json -- make it");
    await pi.sees(/^materia-result/);
    expect(await pi.sees(/^confirm/)).toMatch(/The extension gate asks, in Agent \(Socket-1\):.*Allow\?\necho ran/s);
    const asked = journalOf(cwd, castsIn(cwd)[0] ?? "").filter(({ type }) => type === "extension_asked");
    expect(asked).toMatchObject([{ extension: "gate", outcome: "yes" }]);
  });

  it("this extension itself is not among them", async () => {
    const self = join(import.meta.dirname, "../../src/apps/pi/extension.ts");
    const pi = await openPiSession({ agentFiles: { "settings.json": { extensions: [self] } }, replies: ["built"] });
    await pi.type("/materia link Build -- make it");
    expect(await pi.sees(/^materia-result/)).toContain("built");
    expect(pi.errors).toEqual([]);
  });
});
