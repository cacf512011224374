import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openProgress } from "../../src/apps/cli/terminal/progress.ts";
import { commitAll } from "../git/scratch.ts";
import { jsonOf, put } from "../harness/cli.ts";
import { eventsOn, submitted, type FleetPlace } from "../harness/fleet/fleet-place.ts";
import { ended, itemsPlace } from "../harness/fleet/items-place.ts";
import { looker, printing } from "../harness/fleet/looker.ts";
import { until } from "../harness/fleet/start-worker.ts";
import type { CastSummary } from "../../src/core/cast/summary.ts";

/** Reports its start and its cast. It ends when its gate opens, or when the folder of the gates is gone. */
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

async function statusOf(place: FleetPlace, castId: string): Promise<CastSummary> {
  return JSON.parse((await place.materia("status", castId, "--json")).stdout) as CastSummary;
}

it("[B52, B53, B73] a hanging setup is reported and can be aborted or drained, and a failing one is reported with its output", async () => {
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
  const { settingUp, fleet } = await statusOf(place, aborted);
  expect(settingUp).toEqual({ worker: fleet?.worker, since: expect.any(String) });
  expect((await place.materia("status", aborted)).stdout).toMatch(/^Worker \S+ sets up its tree, for \d+ s so far\.$/m);
  expect((await place.materia("abort", aborted)).code).toBe(0);
  expect(await ended(place, aborted)).toBe("aborted");

  unset("runs-cast");
  const castId = await submitted(place, "Two");
  await runs("cast");
  const [printed, io] = printing();
  const follower = await looker(
    place,
    castId,
    openProgress(io, {}, () => expect.fail("nothing is drawn")),
  );
  await until(() => printed.includes(`Worker ${worker.id} sets up its tree\n`));
  worker.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  const handedBack = await statusOf(place, castId);
  expect([handedBack.status, handedBack.settingUp]).toEqual(["queued", undefined]);

  set("fail-cast");
  unset("hang-cast");
  await place.worker({ profile });
  expect(await reasonOf(place, castId)).toMatch(/^setup failed: `sh -c .*` exited with code 1: no network$/);

  // From the worker that handed it back to the one that failed.
  expect(await follower.end).toMatchObject({ ok: true, value: { kind: "ended" } });

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
