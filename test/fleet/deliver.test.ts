import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createSecretFinder, tokenKindsIn } from "../../src/shell/secrets/redact.ts";
import { git } from "../git/scratch.ts";
import { eventsOn, fileOf, fleetPlace, statusOn, submitted, type FleetPlace } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";
import type { DeliveryOutcome } from "../../src/core/cast/summary.ts";

function remoteOf({ cwd }: FleetPlace): string {
  const remote = join(dirname(cwd), "remote.git");
  git(cwd, "init", "-q", "--bare", remote);
  git(cwd, "remote", "add", "origin", remote);
  git(cwd, "push", "-q", "origin", "main");
  return remote;
}

function delivered(place: FleetPlace, castId: string): Promise<DeliveryOutcome> {
  const { database } = place;
  return until(async () => {
    const text = "select status, summary -> 'delivered' as delivered from materia.casts where cast_id = $1";
    const [row] = await database.query<{ status: string; delivered: DeliveryOutcome | null }>({
      text,
      values: [castId],
    });
    if (row?.status === "failed") throw new Error(JSON.stringify((await eventsOn(place, castId)).at(-1)));
    return row?.delivered ?? undefined;
  });
}

const branchesOf = (remote: string): readonly string[] =>
  git(remote, "for-each-ref", "--format=%(refname:short)").split("\n");

// Put together, so that nobody takes this file for a leak.
const TOKEN = ["ghp", "abcdefghijklmnopqrstuvwxyz0123456789"].join("_");

it("[B24, B63] a completed cast is pushed as a new branch, and an existing branch is never moved", async () => {
  const place = await fleetPlace();
  const remote = remoteOf(place);
  const [first, second] = [await submitted(place, "Quick"), await submitted(place, "Quick")];
  git(place.cwd, "push", "-q", "origin", `main:refs/heads/materia/${second}`);
  const worker = await place.worker({ profile: { deliver: "push" } });
  const branch = `materia/${first}`;
  expect(await delivered(place, first)).toEqual({ branch, commit: git(remote, "rev-parse", branch) });
  expect(fileOf(remote, branch, "work.log")).toBe("Socket-1\nSocket-2");
  expect((await place.materia("status", first)).stdout).toContain(`pushed as ${branch}`);
  expect((await place.materia("show", first)).stdout).toContain(`pushed as ${branch}`);
  expect(await delivered(place, second)).toEqual({ problem: expect.any(String) });
  expect(git(remote, "rev-parse", `materia/${second}`)).toBe(git(place.cwd, "rev-parse", "main"));
  await until(() => worker.said.some(({ castId }) => castId === second));
  expect(worker.said.find(({ castId }) => castId === first)).toMatchObject({ how: "completed", delivered: { branch } });
});

it("[B62, B63] text like a secret stops the push and is named without its value; take still works", async () => {
  const place = await fleetPlace();
  const remote = remoteOf(place);
  writeFileSync(join(place.cwd, "notes.txt"), `my token is ${TOKEN}\n`);
  const castId = await submitted(place, "Quick");
  await place.worker({ profile: { deliver: "push" } });
  expect(await delivered(place, castId)).toEqual({ found: [{ file: "notes.txt", kind: "a token of GitHub" }] });
  expect([await statusOn(place, castId), branchesOf(remote)]).toEqual(["completed", ["main"]]);
  const shown = (await place.materia("status", castId)).stdout;
  expect(shown).toContain("not pushed: notes.txt holds a token of GitHub");
  expect(shown).not.toContain(TOKEN);
  expect((await place.materia("take", castId)).code).toBe(0);
});

it("[B62] a file that is too large to scan stops the push", async () => {
  const place = await fleetPlace();
  const remote = remoteOf(place);
  writeFileSync(join(place.cwd, "large.bin"), Buffer.alloc(20 * 1024 * 1024 + 1));
  git(place.cwd, "add", "large.bin");
  git(place.cwd, "commit", "-q", "-m", "something large");
  const castId = await submitted(place, "Quick");
  await place.worker({ profile: { deliver: "push" } });
  expect(await delivered(place, castId)).toEqual({ found: [{ file: "large.bin", kind: "too much to look through" }] });
  expect(branchesOf(remote)).toEqual(["main"]);
});

it("[B63] after a worker died before the push the next one pushes, and a finished push counts", async () => {
  const place = await fleetPlace();
  const remote = remoteOf(place);
  const castId = await submitted(place, "Quick");
  const first = await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
  first.kill("SIGKILL");
  await first.ended;
  await place.worker({ profile: { deliver: "push" } });
  const again = () =>
    place.database.query({ text: "update materia.casts set leg = leg + 1, summary = summary - 'delivered'" });
  await again();
  const pushed = await delivered(place, castId);
  expect(pushed).toMatchObject({ commit: git(remote, "rev-parse", `materia/${castId}`) });
  await again();
  expect(await delivered(place, castId)).toEqual(pushed);
});

it("[B62] secrets are found by value or shape, and code that mentions them is not", () => {
  const finder = createSecretFinder({ ACME_API_KEY: "k-4711-0815-abcdef" });
  expect(finder.namesIn("x = 'k-4711-0815-abcdef'; y = k-4711-0815-abcdef")).toEqual(["ACME_API_KEY"]);
  expect(tokenKindsIn(`${TOKEN} and ${["AKIA", "IOSFODNN7EXAMPLE"].join("")}`)).toEqual([
    "an access key of AWS",
    "a token of GitHub",
  ]);
  expect(tokenKindsIn("const key = process.env.OPENAI_API_KEY; // sk-… or ghp_…, AKIA, BEGIN PUBLIC KEY")).toEqual([]);
});
