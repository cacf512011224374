import { existsSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { createPiHost } from "../../src/shell/agents/pi-host.ts";
import { setPiLoader } from "../../src/shell/agents/pi-sdk.ts";
import { createRehearsalHost } from "../../src/shell/agents/rehearsal-host.ts";
import type { AgentHost } from "../../src/shell/ports.ts";
import { servePi } from "../harness/agent-bodies.ts";
import { ask, need, piFolder, socket } from "../harness/agents.ts";

describe("before a cast", () => {
  const ways = expect.stringMatching(/^(?=.*\/login)(?=.*--model provider\/id).*--rehearse FILE/);

  it("[A4] no model at all names the ways out, and leaves Pi's folder as it was", async () => {
    const folder = piFolder({});
    expect(await createPiHost().preflight([need(), need({ socket: socket("Socket-2") })])).toEqual([
      {
        severity: "error",
        code: "missing_model",
        path: ["--model"],
        message: "Pi has no model with a key; wanted by Build (Socket-1), Build (Socket-2)",
        hint: ways,
      },
    ]);
    expect(existsSync(folder)).toBe(false);
  });

  it("[A4] a model whose provider has no key", async () => {
    const server = await servePi([]);
    const host = createPiHost({ defaultModel: "anthropic/claude-sonnet-4-5" });
    expect(await host.preflight([need()])).toEqual([
      expect.objectContaining({
        code: "missing_api_key",
        path: ["--model"],
        hint: ways,
        message: expect.stringContaining("anthropic"),
      }),
    ]);
    expect(await host.runTurn(ask().request)).toMatchObject({ kind: "failed", reason: "provider" });
    expect(server.requests).toEqual([]);
  });

  it("[A4] a key of the environment is enough", async () => {
    await servePi([]);
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-test");
    expect(await createPiHost({ defaultModel: "anthropic/claude-sonnet-4-5" }).preflight([need()])).toEqual([]);
  });

  it("[A4] a model that nobody knows, with the nearest one", async () => {
    await servePi([]);
    const issues = await createPiHost({ defaultModel: "local/small" }).preflight([
      need({ model: "local/smal" }),
      need({ model: "local/smal", materia: "Auto-Eval", socket: socket("Socket-2") }),
      need({ model: "org/deep" }),
      need(),
    ]);
    expect(issues).toMatchObject([
      {
        code: "unknown_model",
        path: ["materia", "Build", "model"],
        message: 'Pi knows no model "local/smal"; wanted by Build (Socket-1), Auto-Eval (Socket-2)',
        hint: expect.stringContaining('did you mean "local/small"'),
      },
      { code: "unknown_model", hint: expect.stringContaining('did you mean "local/org/deep"') },
    ]);
  });

  it("[A4] up to three models that hold what was typed", async () => {
    await servePi([]);
    const [issue] = await createPiHost({ defaultModel: "sonnet" }).preflight([need()]);
    expect(issue).toMatchObject({ code: "unknown_model", path: ["--model"] });
    expect(issue?.hint?.match(/"[\w-]+\/[^"]*sonnet[^"]*"/g)).toHaveLength(3);
  });

  it.each<[string, () => AgentHost]>([
    ["with a model", () => createPiHost()],
    ["rehearsed", () => createRehearsalHost({ replies: {}, onEmpty: "fail" })],
  ])("[A26] without Pi nothing begins, %s", async (_how, open) => {
    const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    setPiLoader(() => Promise.reject(missing));
    const host = open();
    const issues = await host.preflight([need()]);
    const without = await host.preflight([]);
    setPiLoader(() => import("@earendil-works/pi-coding-agent"));
    expect(without).toEqual([]);
    expect(issues).toMatchObject([
      { code: "missing_pi", hint: expect.stringContaining("npm install @earendil-works/pi-coding-agent") },
    ]);
  });

  it("[A4] a models.json that Pi cannot read is said with the model that is missed", async () => {
    piFolder({ "models.json": "{ broken" });
    const issues = await createPiHost({ defaultModel: "local/small" }).preflight([need()]);
    expect(issues.map(({ code }) => code)).toEqual(["unknown_model", "pi_configuration"]);
  });

  it("[A6] a tool that does not exist, once, with all other problems", async () => {
    piFolder({});
    const issues = await createPiHost().preflight([
      need({ tools: ["read", "greb"] }),
      need({ tools: ["greb", "fly"], materia: "Auto-Eval", socket: socket("Socket-2") }),
    ]);
    expect(issues).toMatchObject([
      {
        code: "unknown_tool",
        path: ["materia", "Build", "tools"],
        hint: 'did you mean "grep"?',
        message: expect.stringContaining("Auto-Eval (Socket-2)"),
      },
      { code: "unknown_tool", path: ["materia", "Auto-Eval", "tools"], hint: expect.stringContaining("powershell") },
      { code: "missing_model" },
    ]);
  });

  it("[A4] all is well, or nothing is wanted", async () => {
    await servePi([], { settings: { defaultProvider: "local", defaultModel: "small" } });
    expect(await createPiHost().preflight([need({ tools: ["read"] }), need({ model: "local/org/deep" })])).toEqual([]);
    piFolder({});
    expect(await createPiHost().preflight([])).toEqual([]);
  });
});
