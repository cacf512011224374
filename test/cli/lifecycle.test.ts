import { execFileSync } from "node:child_process";
import { appendFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { castFile, castsIn, envOf, journalOf, jsonOf, newPlace, put, readText, run } from "../harness/cli.ts";

const conf = {
  activeLoadout: "Talk",
  materia: {
    Ask: { prompt: "Ask.", interactive: true, generator: true },
    Turns: { prompt: "Ask.", multiTurn: true },
    Do: { type: "utility", command: ["echo", "done"] },
    Flaky: { type: "utility", command: ["sh", "-c", "cat allowed"] },
    Judge: { type: "utility", command: ["cat", "verdict.json"], parse: "json" },
  },
  loadouts: {
    Talk: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Ask", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Do" },
      },
    },
    Turns: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Turns" } } },
    Twice: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Do", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": { materia: "Flaky" },
      },
    },
    Round: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Do", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Judge",
          edges: [
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 1 },
            { when: "satisfied", to: "end" },
          ],
        },
      },
    },
  },
};

const replies = {
  Ask: [{ text: "Red or blue?" }, { json: { workItems: [{ title: "blue", context: "" }] } }],
  Turns: [{ text: "Well?" }],
};

const config = ["--config", "conf.json"];
const place = (files: Readonly<Record<string, unknown>> = {}) =>
  newPlace({ "conf.json": conf, "replies.json": { replies }, ...files });

const typesOf = (cwd: string) => journalOf(cwd, castsIn(cwd)[0] ?? "").map((event) => event.type);

it("[A8, C10] an interactive materia waits; an answer goes to it; nothing said takes the result and goes on", async () => {
  const cwd = place();
  const waiting = await run(["cast", ...config, "--rehearse", "replies.json", "paint it"], { cwd });
  const [castId = ""] = castsIn(cwd);
  expect([waiting.code, waiting.stdout]).toEqual([4, expect.stringContaining("Red or blue?")]);
  expect(waiting.stdout).toContain(`materia continue ${castId} <message>`);
  expect(typesOf(cwd)).toEqual(["cast_started", "visit_started", "turn_answered", "cast_waiting"]);
  const status = await run(["status", "--json"], { cwd });
  expect(JSON.parse(status.stdout)).toMatchObject({ status: "waiting", question: "Red or blue?" });
  // Where the file stands is remembered with the cast.
  const answered = await run(["continue", ...config, "make", "it", "blue"], { cwd });
  expect(answered.code).toBe(4);
  const done = await run(["continue", ...config, castId], { cwd });
  expect(done.code).toBe(0);
  expect(journalOf(cwd, castId).filter(({ type }) => /^(cast_resumed|person|handoff)/.test(type))).toMatchObject([
    { type: "cast_resumed", by: "materia continue" },
    { type: "person_answered", text: "make it blue" },
    { type: "cast_resumed", by: "materia continue" },
    { type: "person_finished" },
    { type: "handoff_accepted", handoff: { workItems: [{ title: "blue" }] } },
  ]);
});

it("[A9] a cast that goes on is answered by the file that is named then, in place of the one it began with", async () => {
  const cwd = place({ "others.json": { replies: { Ask: [{ text: "No." }, { text: "Green, then?" }] } } });
  await run(["cast", ...config, "--rehearse", "replies.json", "paint it"], { cwd });
  const other = ["--rehearse", "others.json", "neither"];
  const answered = await run(["continue", ...config, ...other], { cwd });
  expect([answered.code, answered.stdout]).toEqual([4, expect.stringContaining("Green, then?")]);
});

it("[D6] the resuming command reports an incomplete last line", async () => {
  const cwd = place();
  await run(["cast", ...config, "--rehearse", "replies.json", "paint it"], { cwd });
  appendFileSync(castFile(cwd, castsIn(cwd)[0] ?? "", "journal.jsonl"), '{"seq":');
  const told = (await run(["continue", ...config, "blue"], { cwd })).stderr;
  expect(told).toContain("the journal ended in a line that was cut off (7 bytes); it is removed");
  expect((await run(["continue", ...config], { cwd })).stderr).not.toContain("cut off");
});

it("[A8] multiTurn is the other name of interactive; an aborted conversation can be continued", async () => {
  const cwd = place();
  const cast = ["cast", ...config, "--rehearse", "replies.json", "--loadout", "Turns", "x"];
  expect((await run(cast, { cwd })).code).toBe(4);
  const [castId = ""] = castsIn(cwd);
  const refused = await run(["recast", castId], { cwd });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`continue ${castId}`)]);
  const aborted = await run(["abort"], { cwd });
  expect([aborted.code, aborted.stdout]).toEqual([0, expect.stringContaining(`materia recast ${castId}`)]);
  expect((await run(["abort", castId], { cwd })).code).toBe(2);
  expect((await run(["continue", castId], { cwd })).code).toBe(0);
  expect(typesOf(cwd).slice(-3)).toEqual(["visit_completed", "edge_taken", "cast_ended"]);
});

it("[C10, J18] recast continues it, repeats nothing that was done, and leaves cast.json alone", async () => {
  const cwd = place();
  expect((await run(["cast", ...config, "--loadout", "Twice", "x"], { cwd })).code).toBe(1);
  const [castId = ""] = castsIn(cwd);
  const file = castFile(cwd, castId, "cast.json");
  const before = [readText(file), statSync(file).mtimeMs];
  put(cwd, { allowed: "yes" });
  const again = await run(["recast"], { cwd });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("yes")]);
  const visits = journalOf(cwd, castId).flatMap((event) => (event.type === "visit_started" ? [event.socket] : []));
  expect(visits).toEqual(["Socket-1", "Socket-2"]);
  expect([readText(file), statSync(file).mtimeMs]).toEqual(before);
  const over = await run(["recast", castId], { cwd });
  expect([over.code, over.stderr]).toEqual([2, expect.stringContaining(`link --from ${castId}`)]);
});

it("[C10] a traversal that was not allowed can be, for this cast", async () => {
  const cwd = place({ "verdict.json": { satisfied: false, context: "no" } });
  const stopped = await run(["cast", ...config, "--loadout", "Round", "x"], { cwd });
  const [castId = ""] = castsIn(cwd);
  expect([stopped.code, stopped.stdout]).toEqual([1, expect.stringContaining(`recast ${castId} --allow 1`)]);
  put(cwd, { "verdict.json": { satisfied: true } });
  expect((await run(["recast", castId, "--allow", "1"], { cwd })).code).toBe(0);
});

it("[C14] budget shows and sets what a cast may use, until nobody can resume it", async () => {
  const cwd = place();
  await run(["cast", ...config, "--loadout", "Twice", "x"], { cwd });
  const [castId = ""] = castsIn(cwd);
  const set = await run(["budget", castId, "5_000", "--json"], { cwd });
  expect(JSON.parse(set.stdout)).toMatchObject({ maxTokens: 5000, tokens: 0, cost: 0 });
  const shown = await run(["budget"], { cwd });
  expect(shown.stdout).toMatch(new RegExp(`^${castId}: 0 of 5000 tokens, \\$0\\.00 of `));
  put(cwd, { allowed: "yes" });
  expect((await run(["recast"], { cwd })).code).toBe(0);
  const before = readText(castFile(cwd, castId, "journal.jsonl"));
  const refused = await run(["budget", "9"], { cwd });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("cast_finished")]);
  expect(readText(castFile(cwd, castId, "journal.jsonl"))).toBe(before);
});

it("[C13] old casts are removed only when that is said, and a number is kept", async () => {
  const cwd = place({ allowed: "yes" });
  for (const word of ["1", "2", "3"]) await run(["cast", ...config, "--loadout", "Twice", word], { cwd });
  const [, , newest = ""] = castsIn(cwd);
  const asked = await run(["casts", "prune", "--keep", "1"], { cwd });
  expect([asked.stdout, castsIn(cwd).length]).toEqual([expect.stringContaining("add --yes"), 3]);
  expect((await run(["casts", "prune", "--keep", "1", "--yes"], { cwd })).code).toBe(0);
  expect(castsIn(cwd)).toEqual([newest]);
  expect(jsonOf(castFile(cwd, newest, "cast.json"))).toMatchObject({ request: "3" });
});

it("[R9] a builder that is sent back and changes no file stops the cast early, and a hint continues it", async () => {
  const idle = { replies: { Build: [{ text: "done" }], Judge: [{ json: { satisfied: false, context: "no file" } }] } };
  const cwd = newPlace({
    "pair.json": {
      materia: { Judge: { prompt: "Judge.", parse: "json", tools: "none" } },
      loadouts: {
        Pair: {
          entry: "Socket-1",
          sockets: {
            "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
            "Socket-2": {
              materia: "Judge",
              edges: [
                { when: "not_satisfied", to: "Socket-1", maxTraversals: 9 },
                { when: "satisfied", to: "end" },
              ],
            },
          },
        },
      },
    },
    "replies.json": { ...idle, onEmpty: "repeat-last" },
  });
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd, env: envOf(cwd) });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "start");
  const options = ["--config", "pair.json", "--rehearse", "replies.json"];
  const stopped = await run(["cast", "--loadout", "Pair", ...options, "x"], { cwd });
  const [castId = ""] = castsIn(cwd);
  expect([stopped.code, journalOf(cwd, castId).find(({ type }) => type === "limit_reached")]).toMatchObject([
    1,
    { limit: "maxUnchanged", value: 2 },
  ]);
  expect(stopped.stdout + stopped.stderr).toContain(`recast ${castId} --hint`);
  const tools = [{ name: "write", arguments: { path: "a.txt", content: "a" } }];
  const better = { Build: [{ tools, text: "now" }], Judge: [{ json: { satisfied: true } }] };
  put(cwd, { "replies.json": { replies: better, onEmpty: "repeat-last" } });
  expect((await run(["recast", castId, "--hint", "write a.txt", ...options], { cwd })).code).toBe(0);
});
