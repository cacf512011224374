import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitAll } from "../git/scratch.ts";
import { jsonOf, put } from "../harness/cli.ts";
import { eventsOn, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import type { FleetPlace } from "../harness/fleet/fleet-place.ts";
import { ended, itemsPlace } from "../harness/fleet/items-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

/** Says that it runs, for whom, and does not end while it is held, unless the folder of the gates is gone. */
const setupOf = ({ gate }: FleetPlace, name: string): readonly string[] => {
  const held = `while [ -e '${gate}/hang-${name}' ]; do sleep 0.02; done`;
  return ["sh", "-c", `touch '${gate}/runs-${name}'; ${held}; echo no network >&2; [ ! -e '${gate}/fail-${name}' ]`];
};

const gates = ({ gate }: FleetPlace) => ({
  runs: (name: string) => until(() => existsSync(join(gate, `runs-${name}`))),
  set: (name: string) => writeFileSync(join(gate, name), ""),
  unset: (...names: readonly string[]) => names.forEach((name) => rmSync(join(gate, name), { force: true })),
});

async function reasonOf(place: FleetPlace, castId: string): Promise<string> {
  expect(await ended(place, castId)).toBe("failed");
  const last = (await eventsOn(place, castId)).at(-1);
  return last?.type === "cast_ended" && "reason" in last ? last.reason : "";
}

it("[B12, B20] a setup that hangs keeps nobody from aborting or stopping, and one that fails is told with what it said", async () => {
  const place = await itemsPlace(2);
  put(place.cwd, {
    "conf.json": { ...(jsonOf(join(place.cwd, "conf.json")) as object), worktree: { setup: setupOf(place, "item") } },
  });
  commitAll(place.cwd);
  const { runs, set, unset } = gates(place);
  const profile = { setup: setupOf(place, "cast") };
  const worker = await place.worker({ profile });

  set("hang-cast");
  const aborted = await submitted(place, "Two");
  await runs("cast");
  expect((await place.materia("abort", aborted)).code).toBe(0);
  expect(await ended(place, aborted)).toBe("aborted");

  unset("runs-cast");
  const castId = await submitted(place, "Two");
  await runs("cast");
  worker.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  expect(await statusOn(place, castId)).toBe("queued");

  set("fail-cast");
  unset("hang-cast");
  await place.worker({ profile });
  expect(await reasonOf(place, castId)).toMatch(/^setup failed: `sh -c .*` exited with code 1: no network$/);

  unset("fail-cast");
  set("fail-item");
  const items = await submitted(place, "Two");
  expect(await reasonOf(place, items)).toMatch(
    /WI-1 "item 1" failed: worktree\.setup failed: .* exited with code 1: no network$/,
  );
  expect((await place.materia("show", items)).stdout.replaceAll(/\s+/g, " ")).toContain(
    "WI-1 of 2 failed: worktree.setup failed",
  );

  unset("fail-item", "runs-item");
  set("hang-item");
  const hanging = await submitted(place, "Two");
  await runs("item");
  expect((await place.materia("abort", hanging)).code).toBe(0);
  expect(await ended(place, hanging)).toBe("aborted");
});
