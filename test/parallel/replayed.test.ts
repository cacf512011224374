import { expect, it } from "vitest";
import { put, run } from "../harness/cli.ts";
import { repositoryWith } from "./harness/repository.ts";

/** Plan → per item, two at once: Do → Judge → Tell. Kept in a folder that git ignores. */
function configWith(prompt: string) {
  const always = (to: string) => [{ when: "always", to }];
  const exits = [{ id: "x", from: "Socket-3", condition: "always", targetSocketId: "Socket-4" }];
  const loop = { sockets: ["Socket-2", "Socket-3"], consumes: { from: "Socket-1", output: "workItems" }, exits };
  return {
    materia: {
      Plan: { prompt: "Plan.", generator: true },
      Do: { prompt },
      Judge: { prompt: "Judge.", parse: "json" },
      Tell: { prompt: "Tell." },
    },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: {
          "Socket-1": { materia: "Plan", edges: always("Socket-2") },
          "Socket-2": { materia: "Do", edges: always("Socket-3") },
          "Socket-3": { materia: "Judge", advance: {}, edges: always("Socket-2") },
          "Socket-4": { materia: "Tell" },
        },
        loops: { each: { ...loop, parallel: 2 } },
      },
    },
  };
}

it("[T51, T36, V22] an edit of what items do is a difference of each item, and a fork begins before them", async () => {
  const cwd = repositoryWith({});
  const items = ["a", "b"].map((title) => ({ title, context: "" }));
  const yes = { json: { satisfied: true } };
  const replies = {
    Plan: [{ json: { workItems: items } }],
    Do: [{ text: "done" }],
    Judge: [yes],
    Tell: [{ text: "so" }],
  };
  put(cwd, { ".pi/c.json": configWith("Do."), ".pi/r.json": { replies, onEmpty: "repeat-last" } });
  const json = async (...words: readonly string[]) => {
    const { code, stdout } = await run([...words, "--config", ".pi/c.json", "--json"], { cwd });
    return [code, JSON.parse(stdout) as unknown] as const;
  };
  await run(["cast", "--config", ".pi/c.json", "--loadout", "Main", "--rehearse", ".pi/r.json", "x"], { cwd });
  expect(await json("replay", "last")).toMatchObject([0, { same: true }]);
  const [, kept] = await json("fork", "last@Socket-4", "--plan");
  put(cwd, { ".pi/c.json": configWith("Do it well.") });
  const [code, replayed] = await json("replay", "last");
  expect([code, replayed]).toMatchObject([
    3,
    { differences: [{ visit: "WI-1 Socket-2#1" }, { visit: "WI-2 Socket-2#1" }] },
  ]);
  const [, planned] = await json("fork", "last", "--plan");
  expect(planned).toMatchObject({ reused: ["Socket-1#1"], anew: [{ visit: "the items of each" }, {}] });
  // What the items used is saved where the fork begins behind them.
  const saved = (plan: unknown): number => (plan as { readonly saved: { readonly tokens: number } }).saved.tokens;
  expect(saved(kept)).toBeGreaterThan(saved(planned));
  // Behind an item its last edge decides whether the cast goes on.
  const ending = configWith("Do.");
  ending.loadouts.Main.sockets["Socket-3"].edges = [{ when: "always", to: "end" }];
  put(cwd, { ".pi/c.json": ending });
  expect(await json("replay", "last")).toMatchObject([
    3,
    { differences: [{ visit: "WI-1 Socket-3#1", kind: "edge" }] },
  ]);
  expect((await json("fork", "last", "--plan"))[1]).toMatchObject({
    reused: ["Socket-1#1"],
    anew: [{ visit: "the items of each", why: "edge: the cast ends behind this item" }, {}],
  });
  // The member that left each item is gone.
  put(cwd, {
    ".pi/c.json": JSON.parse(JSON.stringify(configWith("Do.")).replaceAll("Socket-3", "Socket-7")) as object,
  });
  expect((await json("replay", "last"))[0]).toBe(3);
});
