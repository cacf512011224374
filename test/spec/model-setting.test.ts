import { expect, it } from "vitest";
import { mergeLayers } from "../../src/core/catalog/catalog.ts";
import { readLayer } from "../../src/core/catalog/layer.ts";
import { openAgentHost, type OpenAgentHost } from "../../src/shell/workspace/agent-hosts.ts";
import type { Workspace } from "../../src/shell/workspace/workspace.ts";
import type { AgentHost } from "../../src/shell/ports.ts";

it("[A3] the model of the settings is asked for where none was typed", async () => {
  const seen: (string | undefined)[] = [];
  const openReal: OpenAgentHost = (choice) => {
    seen.push(choice.model);
    return Promise.resolve({} as AgentHost); // nobody asks it
  };
  const workspaceOf = (...models: readonly string[]): Workspace => {
    const layers = models.map((model, index) =>
      readLayer(index === 0 ? "user" : "project", { model }, `${index}.json`),
    );
    return { place: { cwd: "/", env: {} }, catalog: mergeLayers(layers) } as unknown as Workspace; // all that is read of it
  };
  await openAgentHost(workspaceOf(), { openReal });
  await openAgentHost(workspaceOf("mine/one"), { openReal });
  await openAgentHost(workspaceOf("mine/one", "ours/two"), { openReal });
  await openAgentHost(workspaceOf("mine/one"), { openReal, model: "typed/three" });
  expect(seen).toEqual([undefined, "mine/one", "ours/two", "typed/three"]);
});
