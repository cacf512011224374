import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fauxAssistantMessage, fauxProvider } from "@earendil-works/pi-ai";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../harness/agents.ts";
import { openPiSession } from "../harness/pi-session.ts";

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

describe("[X15] tools that Pi was started without", () => {
  it("refuse the cast before it exists", async () => {
    const pi = await openPiSession({ tools: ["read", "ls"] });
    await pi.type("/materia link Build -- make it");
    expect(await pi.sees(/^error/)).toMatch(/forbidden_tool.*without bash, edit, write, grep, find; wanted by Build/);
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

describe("[X16] the user's gates", () => {
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
    expect(pi.shown().join()).not.toContain("noise");
    expect(pi.requests[0]?.system).not.toContain("LEAKED");
  });

  it("this extension itself is not among them", async () => {
    const self = join(import.meta.dirname, "../../src/apps/pi/extension.ts");
    const pi = await openPiSession({ agentFiles: { "settings.json": { extensions: [self] } }, replies: ["built"] });
    await pi.type("/materia link Build -- make it");
    expect(await pi.sees(/^materia-result/)).toContain("built");
    expect(pi.errors).toEqual([]);
  });
});
