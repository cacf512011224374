import { expect, it } from "vitest";
import { servePi } from "../harness/agent-bodies.ts";
import { eventsOn, fleetPlace, statusOn, type FleetPlace } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

const LIMIT = { status: 429, message: "usage limit reached", headers: { "retry-after": "7200" } };

async function submittedTo(place: FleetPlace, ...options: readonly string[]): Promise<string> {
  const args = ["cast", "--model", "local/small", "--loadout", "Thinking", "--detach", ...options, place.gate];
  const ran = await place.materia(...args);
  if (ran.code !== 0) throw new Error(ran.stderr);
  return ran.stdout.trim();
}

async function typesOn(place: FleetPlace, castId: string): Promise<readonly string[]> {
  return (await eventsOn(place, castId)).map(({ type }) => type);
}

it("[Z16] a worker whose provider refuses begins no cast that would ask the same model, and says why", async () => {
  const server = await servePi([LIMIT, { text: "done" }, { text: "done too" }]);
  const place = await fleetPlace();
  const env = { PI_CODING_AGENT_DIR: server.folder };
  const worker = await place.worker({ env, concurrency: 1 });
  const first = await submittedTo(place, "--wait", "8h");
  await until(async () => (await typesOn(place, first)).at(-1) === "cast_sleeping");
  // The only slot is free again.
  const second = await submittedTo(place);
  await until(() => worker.said.some(({ how, castId }) => how === "not begun" && castId === second));
  expect(server.requests).toHaveLength(1);
  expect(worker.said.find(({ castId }) => castId === second)).toMatchObject({
    why: expect.stringMatching(/^the provider refuses local\/small until 20.*Z; a worker begins it then$/),
  });
  expect((await place.materia("fleet", "workers")).stdout).toContain("leaves a cast: the provider refuses local/small");
  expect((await place.materia("status", second)).stdout).toContain("the provider refuses local/small until");

  // A person wakes the first one; the model answers again, and nobody has to wait any longer.
  expect((await place.materia("recast", first, "--detach")).code).toBe(0);
  await until(async () => (await statusOn(place, first)) === "completed");
  await place.database.query({ text: "update materia.casts set refused_at = now() - interval '2 minutes'" });
  await until(async () => (await statusOn(place, second)) === "completed");
  expect(server.requests).toHaveLength(3);
});

it("[Z16] when the worker of a sleeping cast dies, another one waits for the reset without asking", async () => {
  const server = await servePi([LIMIT]);
  const place = await fleetPlace();
  const env = { PI_CODING_AGENT_DIR: server.folder };
  const first = await place.worker({ env });
  const castId = await submittedTo(place, "--wait", "8h");
  await until(async () => (await typesOn(place, castId)).at(-1) === "cast_sleeping");
  await first.end();
  const second = await place.worker({ env });
  await until(() => second.said.some(({ how, castId: id }) => how === "not begun" && id === castId));
  expect(server.requests).toHaveLength(1);
  expect((await typesOn(place, castId)).at(-1)).toBe("cast_sleeping");
});
