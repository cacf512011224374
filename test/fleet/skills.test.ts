import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { servePi } from "../harness/agent-bodies.ts";
import { put } from "../harness/cli.ts";
import { eventsOn, fleetPlace, statusOn } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

const SKILL = "---\nname: release\ndescription: How to release\n---\nTag it.\n";

it("[YP18] a worker without the submitter's skill runs the cast, and its agent reads the skill", async () => {
  const place = await fleetPlace();
  const home = join(dirname(place.cwd), "home");
  put(home, { ".pi/agent/skills/release/SKILL.md": SKILL });
  const materia = { Agent: { prompt: "Do it.", tools: "readOnly", skills: ["release"] } };
  const loadouts = { Skilled: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Agent" } } } };
  put(place.cwd, { "conf.json": { materia, loadouts } });
  const ran = await place.materia("cast", "--model", "local/small", "--loadout", "Skilled", "--detach", place.gate);
  expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining("error")]);
  const castId = ran.stdout.trim();
  const server = await servePi([{ status: 400, message: "no" }, { text: "done" }]);
  const worker = await place.worker({ env: { PI_CODING_AGENT_DIR: server.folder } });
  await until(async () => (await statusOn(place, castId)) === "failed");
  expect(JSON.stringify(server.requests[0]?.messages)).toMatch(
    /<name>release<\/name>.*\/trees\/[\w-]+\.skills\/release\/release\/SKILL\.md/,
  );
  await worker.end();
  // Another worker has it, too.
  await place.worker({ env: { PI_CODING_AGENT_DIR: server.folder } });
  expect((await place.materia("recast", castId, "--detach")).code).toBe(0);
  await until(async () => (await statusOn(place, castId)) === "completed");
  expect(JSON.stringify(server.requests[1]?.messages)).toContain("<name>release</name>");
  expect((await eventsOn(place, castId)).at(-1)).toMatchObject({ type: "cast_ended", outcome: "completed" });
});
