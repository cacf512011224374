import { expect, it, onTestFinished } from "vitest";
import { serveHealth } from "../../src/shell/fleet/worker/health-server.ts";

it("[B67, TM7] a worker answers /health and /metrics, and nothing else", async () => {
  const figures = {
    workerId: "w-1",
    state: "running" as const,
    running: ["c-1"],
    legs: { completed: 3, "handed back": 1 },
    usage: [{ project: 'we"b\n', loadout: "Full-Auto", model: "a/x", turns: 2, tokens: 300, cost: 0.25 }],
    refused: [{ model: "a/x", until: "2026-11-18T03:00:00.000Z" }],
  };
  const health = await serveHealth(0, () => figures);
  if (!health.ok) throw new Error(JSON.stringify(health.issues));
  onTestFinished(() => health.value.close());
  const ask = (path: string) => fetch(`http://127.0.0.1:${health.value.port}${path}`);
  expect(await (await ask("/health")).json()).toEqual(figures);
  const metrics = await (await ask("/metrics")).text();
  expect(metrics.split("\n").filter((line) => !line.startsWith("#"))).toEqual([
    "materia_casts_running 1",
    'materia_dispatches_total{end="completed"} 3',
    'materia_dispatches_total{end="handed_back"} 1',
    String.raw`materia_turns_total{project="we\"b\n",loadout="Full-Auto",model="a/x"} 2`,
    String.raw`materia_tokens_total{project="we\"b\n",loadout="Full-Auto",model="a/x"} 300`,
    String.raw`materia_cost_usd_total{project="we\"b\n",loadout="Full-Auto",model="a/x"} 0.25`,
    "",
  ]);
  expect((await ask("/casts")).status).toBe(404);
  expect(await serveHealth(health.value.port, () => figures)).toMatchObject({
    ok: false,
    issues: [{ code: "listen_failed", hint: expect.stringContaining("its own port") }],
  });
});
