import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { createPiHost } from "../../src/shell/agents/pi-host.ts";
import { createRedactor } from "../../src/shell/secrets/redact.ts";
import { BODIES, servePi } from "../harness/agent-bodies.ts";
import { ask, conversation } from "../harness/agents.ts";

describe.each(BODIES)("secrets that agents %s see", (_name, play) => {
  it("[S7] an agent that prints its environment leaves no value in its transcript", async () => {
    const command = 'echo $GITHUB_PAT; printenv GITHUB_PAT | base64; printf \'%s\' "\\"$GITHUB_PAT\\""';
    const { host } = await play([{ tools: [{ name: "bash", arguments: { command } }], text: "it is ghp-12345678" }]);
    vi.stubEnv("GITHUB_PAT", "ghp-12345678");
    const { request } = ask({ tools: ["bash"], redact: createRedactor({ GITHUB_PAT: "ghp-12345678" }) });
    expect(await host.runTurn(request)).toMatchObject({ kind: "said" });
    const text = readFileSync(request.transcript, "utf8");
    expect(text).not.toMatch(/ghp-12345678|Z2hwLTEyMzQ1Njc4/);
    expect(conversation(request.transcript).at(-1)).toBe("assistant: it is [secret GITHUB_PAT]");
  });

  it("[S7] a conversation goes on from what was kept of it", async () => {
    const { host } = await play([{ text: "tok-12345678" }, { text: "two" }]);
    const { request } = ask({ redact: createRedactor({ A_TOKEN: "tok-12345678" }) });
    await host.runTurn(request);
    const earlierTurns = () => [{ ...request, turns: 1, turnsFor: () => 0 }];
    await host.runTurn({ ...request, history: "continued", prompt: "Go on.", earlierTurns });
    expect(conversation(request.transcript)).toEqual([
      "user: Build it.",
      "assistant: [secret A_TOKEN]",
      "user: Go on.",
      "assistant: two",
    ]);
  });
});

it("[S7] a provider that repeats Pi's own key gives it away to no file", async () => {
  const key = "sk-of-pi-1234567890";
  const message = `Incorrect API key provided: ${key}`;
  const server = await servePi([{ status: 401, message }]);
  const host = createPiHost({ defaultModel: "local/small" });
  const { writeFileSync } = await import("node:fs");
  const file = `${server.folder}/models.json`;
  writeFileSync(file, readFileSync(file, "utf8").replace('"apiKey":"none"', `"apiKey":"${key}"`));
  const redact = createRedactor({});
  const { request } = ask({ redact });
  const outcome = await host.runTurn(request);
  expect(outcome).toMatchObject({ kind: "failed", reason: "provider", message: expect.stringContaining(key) });
  expect(readFileSync(request.transcript, "utf8")).not.toContain(key);
  expect(redact(outcome.kind === "failed" ? outcome.message : "")).toContain("[secret key of local]");
});
