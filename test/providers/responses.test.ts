import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { createPiHost } from "../../src/shell/agents/pi-host.ts";
import { servePi } from "../harness/agent-bodies.ts";
import { ask, modelsFile, piFolder } from "../harness/agents.ts";

it("[Z1, Z2] the headers of a refusal are read, and Pi does not repeat a request that names its end", async () => {
  const refusal = { status: 429, message: "slow down", headers: { "retry-after": "7200" } };
  const server = await servePi([refusal, { text: "too early" }]);
  const host = createPiHost({ defaultModel: "local/small", baseDelayMs: 0 });
  expect(await host.runTurn(ask().request)).toMatchObject({
    kind: "failed",
    reason: "provider",
    model: "local/small",
    response: { status: 429, headers: { "retry-after": "7200" } },
  });
  expect(server.requests).toHaveLength(1);
});

it("[Z8] a call that was pending when the model was refused never runs, and the next model does not see it", async () => {
  const call = { name: "write", arguments: { path: "pending.txt", content: "no" } };
  const server = await servePi([
    { call: { name: "write", arguments: { path: "done.txt", content: "yes" } } },
    { call, refused: "Rate limit reached. Please try again in 2 hours." },
    { text: "Done." },
  ]);
  const host = createPiHost({ defaultModel: "local/small", baseDelayMs: 0 });
  const { request } = ask({ tools: ["write"] });
  expect(await host.runTurn(request)).toMatchObject({ kind: "failed", reason: "provider" });
  const next = { ...request, history: "continued" as const, model: "local/org/deep", prompt: "Go on." };
  expect(await host.runTurn(next)).toMatchObject({ kind: "said", text: "Done." });
  expect(readdirSync(request.cwd)).toContain("done.txt");
  expect(readdirSync(request.cwd)).not.toContain("pending.txt");
  const seen = JSON.stringify(server.requests.at(-1)?.messages);
  expect([seen.includes("done.txt"), seen.includes("pending.txt")]).toEqual([true, false]);
});

it("[Z8] keys and names of all models of a list are checked before the cast", async () => {
  const server = await servePi([]);
  const { providers } = modelsFile(server.url) as { providers: { local: object } };
  const locked = { ...providers.local, apiKey: "$NO_SUCH_KEY" };
  piFolder({ "models.json": { providers: { ...providers, locked } } });
  const host = createPiHost({ defaultModel: "local/small,local/smal,nobody/x,locked/small" });
  const issues = await host.preflight([{ socket: ask().request.socket, materia: "Build", tools: [] }]);
  expect(issues.map(({ message }) => message)).toEqual([
    expect.stringContaining('"local/smal"'),
    expect.stringContaining('"nobody/x"'),
    expect.stringContaining("there is no key for locked"),
  ]);
});
