import { expect, it } from "vitest";
import { newPlace, run } from "../harness/cli.ts";

const warned = { entry: "Start", sockets: { Start: { materia: "Build" } } };
const conf = { loadouts: { Warned: warned } };

it("[C19] with --strict a warning is an error", async () => {
  const cwd = newPlace({ "conf.json": conf });
  const mild = await run(["check", "conf.json"], { cwd });
  expect([mild.code, mild.stdout]).toEqual([0, expect.stringContaining("No errors, 1 warning.")]);
  const strict = await run(["check", "conf.json", "--strict"], { cwd });
  expect([strict.code, strict.stdout]).toEqual([1, expect.stringContaining("1 error, 0 warnings.")]);
});

it("[C42, C19] --json has the problems and the worst case of each loadout of the file, else of all, the project's own first", async () => {
  const cwd = newPlace({ "conf.json": conf });
  const { code, stdout } = await run(["check", "conf.json", "--json"], { cwd });
  const json = JSON.parse(stdout) as { issues: { code: string }[]; loadouts: { name: string }[] };
  const { issues, loadouts } = json;
  expect([code, issues.map((each) => each.code)]).toEqual([0, ["nonstandard_socket_id"]]);
  expect(loadouts[0]).toEqual({
    name: "Warned",
    file: expect.stringContaining("conf.json"),
    worstCase: "at most 1 turn",
  });
  expect(loadouts).toHaveLength(1);
  const all = await run(["check", "--config", "conf.json", "--json"], { cwd });
  expect((JSON.parse(all.stdout) as typeof json).loadouts.map(({ name }) => name)).toEqual([
    "Warned",
    "Full-Auto",
    "Test-Driven",
    "Parallel-Auto",
    "Planning-Consult",
    "Hojo-Consult",
  ]);
});

it("[C19] a file that does not exist is refused", async () => {
  const { code, stdout } = await run(["check", "missing.json", "--json"], { cwd: newPlace() });
  expect([code, JSON.parse(stdout)]).toMatchObject([2, { issues: [{ code: "missing_file" }] }]);
});

it("[C25, L22] a budget typed with the cast is recorded, in force, and part of its command", async () => {
  const cwd = newPlace({ "conf.json": conf, "replies.json": { replies: { Build: [{ text: "done" }] } } });
  const typed = ["cast", "--config", "conf.json", "--loadout", "Warned", "--rehearse", "replies.json"];
  const done = await run([...typed, "--budget", "2k", "--cost", "0.5", "--json", "do it"], { cwd });
  const { castId } = JSON.parse(done.stdout.split("\n")[0] ?? "") as { castId: string };
  const shown = await run(["show", castId, "--json"], { cwd });
  expect(JSON.parse(shown.stdout)).toMatchObject({
    command: `cast --loadout Warned --budget 2000 --cost 0.5 --config ${cwd}/conf.json --rehearse ${cwd}/replies.json do it`,
  });
  const budget = await run(["budget", castId, "--json"], { cwd });
  expect(JSON.parse(budget.stdout)).toMatchObject({ maxTokens: 2000, maxCostUsd: 0.5 });
});
