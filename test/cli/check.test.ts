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

it("[C42] the worst case is in --json", async () => {
  const cwd = newPlace({ "conf.json": conf });
  const { code, stdout } = await run(["check", "conf.json", "--json"], { cwd });
  const found = JSON.parse(stdout) as { severity: string; code: string; path: string; message: string }[];
  expect([code, found.find(({ path }) => path === "loadouts.Warned")]).toEqual([
    0,
    {
      severity: "info",
      code: "worst_case",
      file: expect.stringContaining("conf.json"),
      path: "loadouts.Warned",
      message: "at most 1 turn",
      hint: null,
    },
  ]);
  expect(found.filter(({ severity }) => severity === "info").map(({ path }) => path)).toEqual([
    "loadouts.Full-Auto",
    "loadouts.Test-Driven",
    "loadouts.Parallel-Auto",
    "loadouts.Planning-Consult",
    "loadouts.Hojo-Consult",
    "loadouts.Warned",
  ]);
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
