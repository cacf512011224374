import { expect, it } from "vitest";
import { castFile, castsIn, jsonOf, newPlace, run } from "../harness/cli.ts";
import { judgedItems } from "../harness/judged-items.ts";

const conf = judgedItems({
  materia: { Say: { type: "utility", command: ["echo", "hi"] } },
  loadouts: { Alone: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Say" } } } },
});
const item = (title: string) => ({ title, context: "" });
const no = { json: { satisfied: false, context: "no" } };
/** The first item is done, the second one comes back more often than it may. */
const replies = {
  Plan: [{ json: { workItems: [item("one"), item("two"), item("three")] }, usage: { input: 100, output: 20 } }],
  Build: [{ text: "built" }],
  Judge: [{ json: { satisfied: true } }, no, no, no],
};

it("[C36] casts, status and show agree on a cast that stopped at a limit, before and after an allowance", async () => {
  const cwd = newPlace({ "c.json": conf, "r.json": { replies, onEmpty: "repeat-last" } });
  const first = ["cast", "--config", "c.json", "--loadout", "Main", "--rehearse", "r.json", "x"];
  for (const [command, times] of [
    [first, "1 of 1 times"],
    [["recast", "--allow", "1"], "2 of 1 + 1 allowed times"],
  ] as const) {
    expect((await run(command, { cwd })).code).toBe(1);
    const [listed] = (await json(cwd, "casts")) as readonly Record<string, unknown>[];
    const { status, visits, items, tokens, cost, rehearsed } = listed ?? {};
    expect({ status, items, rehearsed }).toEqual({ status: "failed", items: { done: 1, total: 3 }, rehearsed: true });
    const same = { status, visits, items, tokens, cost, rehearsed };
    expect(await json(cwd, "status")).toMatchObject(same);
    expect(await json(cwd, "show")).toMatchObject(same);
    const [told, story] = [await text(cwd, "status"), await text(cwd, "show")];
    expect(told).toContain(times);
    expect(story.match(new RegExp(times.replaceAll("+", "\\+"), "g"))).toHaveLength(2);
    expect([await text(cwd, "casts"), told, story]).toEqual([
      expect.stringMatching(/1 of 3 .*\[rehearsed\] x/),
      expect.stringMatching(/✕ failed .* · rehearsed .*1 of 3/),
      expect.stringMatching(/✕ failed .*1 of 3 items done .* · rehearsed /),
    ]);
  }
});

it("[C36] a fork is rehearsed as far as its own agents are, and a cast without a file is not", async () => {
  const cwd = newPlace({ "c.json": conf, "r.json": { replies, onEmpty: "repeat-last" } });
  const rehearsed = ["--config", "c.json", "--rehearse", "r.json"];
  await run(["cast", "--loadout", "Main", ...rehearsed, "x"], { cwd });
  const [castId = ""] = castsIn(cwd);
  await run(["fork", `${castId}@Socket-2#1`, ...rehearsed], { cwd });
  await run(["cast", "--config", "c.json", "--loadout", "Alone", "x"], { cwd });
  const casts = (await json(cwd, "casts")) as readonly { readonly castId: string; readonly rehearsed?: true }[];
  expect(casts.map((cast) => cast.rehearsed ?? false)).toEqual([false, true, true]);
  expect(jsonOf(castFile(cwd, casts[1]?.castId ?? "", "cast.json"))).toMatchObject({ rehearsal: `${cwd}/r.json` });
});

async function json(cwd: string, command: string): Promise<unknown> {
  return JSON.parse((await run([command, "--json"], { cwd })).stdout);
}

/** Wherever its lines were broken. */
async function text(cwd: string, command: string): Promise<string> {
  return (await run([command], { cwd })).stdout.replaceAll(/\s+/g, " ");
}
