import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { put } from "../harness/cli.ts";
import type { ServerReply } from "../harness/model-server.ts";
import { newPiPlace, userConfig, type PiPlace } from "../harness/pi-place.ts";
import { startPi } from "../harness/pi-rpc.ts";
import { notice, result } from "../harness/pi-seen.ts";

const CLOCK = `export default (pi) => pi.on("session_start", () => pi.registerTool({
  name: "clock", label: "Clock", description: "the time", parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [{ type: "text", text: "noon" }], details: {} }) }));`;
const SKILL = "---\nname: release\ndescription: How to release\n---\nTag it.\n";

/** A server with one tool, which says whether it was started in the sandbox. */
const SERVER = `import { createInterface } from "node:readline";
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "db", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "query", description: "asks", inputSchema: { type: "object", properties: {} } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "rows in " + process.env.BOX }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} }));
});`;

async function placeWith(materia: object, ...replies: readonly ServerReply[]): Promise<PiPlace> {
  const sandboxes = { strict: { command: ["env", "BOX=strict"] } };
  const Build = { prompt: "You build.", sandbox: "strict", ...materia };
  const place = await newPiPlace(userConfig({ materia: { Build }, sandboxes }), ...replies);
  const server = join(place.agentDir, "db.mjs");
  put(place.agentDir, {
    "skills/release/SKILL.md": SKILL,
    "extensions/clock.ts": CLOCK,
    "mcp.json": { mcpServers: { db: { command: process.execPath, args: [server] } } },
  });
  writeFileSync(server, SERVER);
  return place;
}

it("[YP2, YP6, YP8] an agent in Pi has a skill, the tool of an extension and a sandbox", async () => {
  const place = await placeWith(
    { tools: { type: "custom", tools: ["bash", "clock"] }, skills: ["release"], extensions: ["clock"] },
    { call: { name: "clock", arguments: {} } },
    { call: { name: "bash", arguments: { command: "echo in $BOX" } } },
    { text: "built" },
  );
  const pi = startPi(place);
  await pi.type("/materia link Build -- a hut");
  expect(await pi.until("the result", result)).toContain("built");
  const [first, , last] = place.model.requests.map((request) => JSON.stringify(request.messages));
  expect(first).toContain("skills/release/SKILL.md");
  expect(last).toMatch(/noon.*in strict/);
});

it("[YP11, YP12] an agent in Pi has a server in its sandbox, where Pi has servers", async () => {
  const place = await placeWith(
    { mcp: ["db"] },
    { call: { name: "mcp__db__query", arguments: {} } },
    { text: "built" },
  );
  const pi = startPi(place);
  await pi.type("/materia link Build -- a hut");
  const refused = notice(/servers need Pi 0\.99\.0 or newer, and this is Pi 0\./);
  const seen = await pi.until("the result or the refusal", (record) => result(record) ?? refused(record));
  const { requests } = place.model;
  const hasServers = seen.includes("built");
  // An older Pi asks no model.
  expect(requests).toHaveLength(hasServers ? 2 : 0);
  expect(JSON.stringify(requests.at(-1)?.messages ?? "").includes("rows in strict")).toBe(hasServers);
});
