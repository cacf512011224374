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
