import { mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../git/scratch.ts";
import { envOf, put, run, userFolder } from "../harness/cli.ts";
import { eventsOn, fleetPlace, statusOn, submitted } from "../harness/fleet/fleet-place.ts";
import { until } from "../harness/fleet/start-worker.ts";

it("[B21] a key submits once, also at the same time and after the end, and returns the first cast", async () => {
  const place = await fleetPlace();
  const submit = (...words: readonly string[]) =>
    place.materia("cast", "--detach", "--json", "--key", "nightly 🌙", ...words, place.gate);
  const both = await Promise.all([submit(), submit()]);
  const answers = both.map(({ stdout }) => JSON.parse(stdout) as { castId: string; already?: true });
  const [{ castId } = { castId: "" }] = answers;
  expect(answers.toSorted((a) => (a.already ? 1 : -1))).toEqual([{ castId }, { castId, already: true }]);
  expect(await place.database.query({ text: "select cast_id from materia.casts" })).toEqual([{ cast_id: castId }]);
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
  const events = await eventsOn(place, castId);
  // Followed to its end, which has been; another command under the key is not looked at either.
  const again = await place.materia("link", "--key", "nightly 🌙", "Step", "--", "something else");
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(`submitted before as ${castId}`)]);
  expect(await eventsOn(place, castId)).toEqual(events);
  const other = await place.materia("cast", "--detach", "--json", "--key", "another", place.gate);
  expect(JSON.parse(other.stdout)).toEqual({ castId: expect.not.stringContaining(castId) });
});

it("[B9, B41] a moved project loses nothing, and the refusal names the project of the cast", async () => {
  const place = await fleetPlace();
  put(userFolder(place.cwd), { "materia.json": { fleet: { profiles: { f: { url: "$FLEET_URL" } } } } });
  git(dirname(place.cwd), "init", "-q", "--bare", "origin.git");
  git(place.cwd, "remote", "add", "origin", "../origin.git");
  git(place.cwd, "push", "-q", "origin", "HEAD:main");
  git(place.cwd, "fetch", "-q", "origin");
  const castId = await submitted(place, "Quick");
  const moved = join(dirname(place.cwd), "moved", "elsewhere");
  mkdirSync(dirname(moved));
  renameSync(place.cwd, moved);
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
  const env = { ...envOf(place.cwd), FLEET_URL: place.url };
  const { code, stderr } = await run(["status", castId, "--on", "f"], { cwd: moved, env });
  expect(code).toBe(2);
  expect(stderr).toContain(`there is no cast "${castId}" in fleet f, project elsewhere\n`);
  expect(stderr).toContain(`it is one of project ${basename(place.cwd)}: name that as "project" of this fleet`);
});

it("[B38] the setting model is submitted with a cast whose materia name none", async () => {
  const place = await fleetPlace();
  put(userFolder(place.cwd), {
    "materia.json": { model: "acme/one", fleet: { profiles: { f: { url: "$FLEET_URL", project: "p" } } } },
  });
  await submitted(place, "Thinking");
  expect(await place.database.query({ text: "select providers from materia.casts" })).toEqual([
    { providers: ["acme"] },
  ]);
});

it("[B38] ignored files are not submitted, and a repository inside another is refused", async () => {
  const place = await fleetPlace();
  put(place.cwd, { ".gitignore": "*.log\ninner/\n", "private.log": "mine" });
  git(place.cwd, "init", "-q", "inner");
  const castId = await submitted(place, "Quick");
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
  expect((await place.materia("take", castId)).code).toBe(0);
  const names = git(place.cwd, "ls-tree", "-r", "--name-only", `materia/${castId}`).split("\n");
  expect(names).toContain(".gitignore");
  expect(names).not.toContain("private.log");
  put(place.cwd, { ".gitignore": "*.log\n" });
  const refused = await place.materia("cast", "--detach", place.gate);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("git_failed")]);
  expect(await place.database.query({ text: "select cast_id from materia.casts" })).toHaveLength(1);
});

it("[B39] without a repository a cast begins in an empty folder", async () => {
  const place = await fleetPlace();
  rmSync(join(place.cwd, ".git"), { recursive: true });
  const count = { type: "utility", command: ["sh", "-c", "ls -A | wc -l"], parse: "text" };
  const loadouts = { Count: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Count" } } } };
  put(place.cwd, { "conf.json": { materia: { Count: count }, loadouts } });
  const castId = await submitted(place, "Count");
  await place.worker();
  await until(async () => (await statusOn(place, castId)) === "completed");
  const outputs = (await eventsOn(place, castId)).flatMap((event) =>
    event.type === "output_accepted" ? [event.text.trim()] : [],
  );
  expect(outputs).toEqual(["0"]);
});
