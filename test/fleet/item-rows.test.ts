import { join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../git/scratch.ts";
import { put } from "../harness/cli.ts";
import { letGo } from "../harness/fleet/fleet-place.ts";
import { itemsPlace } from "../harness/fleet/items-place.ts";
import { looker } from "../harness/fleet/looker.ts";
import { until } from "../harness/fleet/start-worker.ts";

it("[B54, V15] a follower, also a late one, sees a row for each running item, with its worker or that it waits", async () => {
  const place = await itemsPlace(3);
  const command = `while [ -d ${place.gate} ] && [ ! -e ${join(place.gate, "go")} ]; do sleep 0.02; done`;
  const reply = { tools: [{ name: "bash", arguments: { command } }], text: "Done.", usage: { input: 60, output: 40 } };
  put(place.cwd, { "replies.json": { replies: { Agent: [reply] }, onEmpty: "repeat-last" } });
  git(place.cwd, "add", "-A");
  git(place.cwd, "commit", "-qm", "replies");
  const words = ["--loadout", "Agents", "--rehearse", "replies.json", "--detach", place.gate];
  const castId = (await place.materia("cast", ...words)).stdout.trim();
  const early = await looker(place, castId);
  const { id, kill } = await place.worker({ concurrency: 2 });
  const row = (n: string, tokens: string): RegExp =>
    new RegExp(`^▸ WI-${n} Agent +\\d:\\d\\d · ${tokens} tokens {2}item ${n} {2}on ${id}$`, "m");
  // Half of a turn is said with its call; until one of them shows how large they are the other waits.
  const wanted = [row("1", "\\d+"), row("2", "\\d+"), row("[12]", "50")];
  const sees = ({ rows }: typeof early): boolean => wanted.every((each) => each.test(rows().join("\n")));
  await until(() => sees(early));
  const late = await looker(place, castId);
  await until(() => sees(late));
  expect(late.rows()).toHaveLength(2);
  kill("SIGKILL");
  // It notices that the other is gone, and takes nothing of what that left.
  await place.worker({ queues: ["other"] });
  const left = [1, 2].map(
    (n) => new RegExp(`^▸ WI-${n} Agent +\\d:\\d\\d · \\d+ tokens {2}item ${n} {2}waits for a worker$`),
  );
  const waits = ({ rows }: typeof early): boolean => {
    const seen = rows();
    return left.every((each, at) => each.test(seen[at] ?? ""));
  };
  await until(() => waits(early) && waits(late));
  const later = await looker(place, castId);
  await until(() => waits(later));
  const next = await place.worker({ concurrency: 2 });
  const lookers = [early, late, later];
  await until(() => lookers.every(({ rows }) => rows().some((row) => row.endsWith(`  on ${next.id}`))));
  letGo(place);
  const ends = await Promise.all(lookers.map(({ end }) => end));
  expect(ends.map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(lookers.flatMap(({ rows }) => rows())).toEqual([]);
});
