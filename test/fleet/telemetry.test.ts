import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { envOf, PROGRAM, put, userFolder } from "../harness/cli.ts";
import { standInCollector } from "../harness/collector.ts";
import { fleetPlace } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { isFull, SWEEP } from "../harness/sweep.ts";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens
  server.close();
  await once(server, "close");
  return port;
}

it.runIf(isFull)("[TM7] the worker of a running fleet sends spans and counts what casts use", SWEEP, async () => {
  const collector = await standInCollector();
  const place = await fleetPlace();
  const fleet = { profiles: { f: { url: "$FLEET_URL", project: "p" } } };
  put(userFolder(place.cwd), { "materia.json": { fleet, telemetry: { otlp: collector.url } } });
  put(place.cwd, { "replies.json": { replies: { Agent: [{ text: "well done", usage: { input: 70, output: 7 } }] } } });
  const port = await freePort();
  const worker = spawn(process.execPath, [PROGRAM, "worker", "--on", "f", "--port", String(port)], {
    cwd: place.cwd,
    env: { ...envOf(place.cwd), FLEET_URL: place.url },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  worker.stderr.on("data", (part) => (said += String(part)));
  const ended = once(worker, "exit");
  onTestFinished(async () => {
    worker.kill("SIGKILL");
    await ended;
  });
  const health = () => fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
  await until(async () => (await health())?.ok === true || worker.exitCode !== null);
  if (worker.exitCode !== null) throw new Error(said);
  const { code } = await place.materia("cast", "--loadout", "Thinking", "--rehearse", "replies.json", "do it");
  expect(code).toBe(0);
  const names = () => collector.batches.flat().map(({ name }) => name);
  await until(() => names().includes("invoke_workflow Thinking"));
  expect(names().toSorted()).toEqual(["chat script", "invoke_agent Agent", "invoke_workflow Thinking"]);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(metrics).toContain('materia_tokens_total{project="p",loadout="Thinking",model="rehearsal/script"} 77');
  expect(metrics).toContain('materia_turns_total{project="p",loadout="Thinking",model="rehearsal/script"} 1');
});
