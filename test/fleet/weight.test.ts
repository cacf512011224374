import { expect, it } from "vitest";
import { put } from "../harness/cli.ts";
import { eventsOn, fleetPlace, statusOn, submitted, type FleetPlace } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

/** How a cast failed, what was completed before, and whether anything large was kept of it. */
async function failureOf(place: FleetPlace, castId: string) {
  await until(async () => (await statusOn(place, castId)) === "failed");
  const events = await eventsOn(place, castId);
  const packs = await place.database.query({
    text: "select from materia.packs where cast_id = $1 and length(pack) > 10000",
    values: [castId],
  });
  return {
    completed: events.flatMap((event) => (event.type === "visit_completed" ? [event.socket] : [])),
    reason: events.flatMap((event) => (event.type === "cast_ended" ? [event] : [])).at(-1),
    large: packs.length,
  };
}

it("[B35, B36] the size of changes is checked before they are read, and too much fails the cast with a fix", async () => {
  const place = await fleetPlace();
  const command = "head -c 6000000 /dev/zero > big.bin";
  put(place.cwd, {
    "replies.json": { replies: { Agent: [{ tools: [{ name: "bash", arguments: { command } }], text: "Done." }] } },
  });
  await place.worker({ profile: { maxCheckpointBytes: 1_000_000 } });
  const visit = await submitted(place, "Flooding");
  const weighed = expect.stringMatching(
    /^its files cannot be kept: 7 MB of changed files are more than 4 MB: .*\.gitignore, or raise maxCheckpointBytes$/,
  );
  const ended = (reason: unknown) => expect.objectContaining({ outcome: "failed", reason });
  expect(await failureOf(place, visit)).toEqual({ completed: ["Socket-1"], reason: ended(weighed), large: 0 });
  expect((await place.materia("status", visit)).stdout).toContain("maxCheckpointBytes");
  const ran = await place.materia("cast", "--loadout", "Thinking", "--rehearse", "replies.json", "--detach", "go");
  expect(ran.code).toBe(0);
  expect(await failureOf(place, ran.stdout.trim())).toEqual({
    completed: [],
    reason: ended(expect.stringContaining("7 MB of changed files are more than 4 MB")),
    large: 0,
  });
  // What would be left out here would be lost on the next machine.
  const nested = await submitted(place, "Nesting");
  expect(await failureOf(place, nested)).toEqual({
    completed: ["Socket-1"],
    reason: ended("its files cannot be kept: 1 nested repository cannot be sent to a fleet: add it to .gitignore"),
    large: 0,
  });
});
