import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitAll } from "../git/scratch.ts";
import { castsIn, journalOf, newPlace, put, run } from "../harness/cli.ts";
import { judgedPair } from "../harness/loadouts.ts";

const yes = { json: { satisfied: true } };
const no = { json: { satisfied: false, context: "louder" } };

function config(prompt: string) {
  return {
    materia: { Writer: { prompt: "Write.", tools: "coding" }, Judge: { parse: "json", prompt } },
    loadouts: {
      Main: {
        entry: "Socket-1",
        sockets: judgedPair("Writer", "Judge", 1),
      },
    },
  };
}

const replies = {
  Writer: [
    {
      tools: [
        { name: "write", arguments: { path: "a.txt", content: "a" } },
        { name: "read", arguments: { path: "none" } },
      ],
      text: "wrote sk-live-0123456789abcdef",
      usage: { input: 900, output: 100 },
    },
    { text: "again", usage: { input: 50, output: 5 } },
  ],
  Judge: [no, yes],
};
const options = ["--config", "c.json", "--rehearse", "r.json"];

async function castOnce(env: Readonly<Record<string, string>> = {}) {
  const cwd = newPlace({ "c.json": config("Judge."), "r.json": { replies } });
  const { code } = await run(["cast", ...options, "--loadout", "Main", "x"], { cwd, env });
  const [castId = ""] = castsIn(cwd);
  return { cwd, code, castId };
}

it("[T19, T34, T35] a recorded cast is a test that takes the same path, without what is secret", async () => {
  const { cwd, castId } = await castOnce({ SOME_API_KEY: "sk-live-0123456789abcdef" });
  const recorded = await run(["record", castId, "t/a.json", "--seed", "."], { cwd });
  expect([recorded.code, recorded.stdout]).toEqual([0, expect.stringContaining("Wrote t/a.json")]);
  const text = readFileSync(join(cwd, "t/a.json"), "utf8");
  expect(text).not.toContain("sk-live");
  expect(JSON.parse(text)).toMatchObject({
    cast: { loadout: "Main", request: "x", seed: ".." },
    config: "../c.json",
    replies: {
      Writer: [{ tools: [{ name: "write" }, { name: "read", fails: true }] }, { text: "again" }],
      Judge: [no, yes],
    },
    expect: { outcome: "completed", path: ["Writer", "Judge", "Writer", "Judge"] },
  });
  expect(await run(["test", "t", "--trust"], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 passed"),
  });
  expect((await run(["record", castId, "t/a.json"], { cwd })).code).toBe(2);
  expect((await run(["record", castId, "t/b.json", "--no-tools"], { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, "t/b.json"), "utf8")).not.toContain('"tools"');
});

it("[T20, T36, T37] an edit forks at the first visit that it touches, and what it saves is true", async () => {
  const { cwd, castId } = await castOnce();
  put(cwd, { "c.json": config("Judge well.") });
  const before = journalOf(cwd, castId);
  const plan = await run(["fork", castId, "--config", "c.json", "--plan", "--json"], { cwd });
  const told = JSON.parse(plan.stdout) as { readonly saved: unknown; readonly reused: unknown };
  expect(told).toMatchObject({
    reused: ["Socket-1#1"],
    saved: { tokens: 1_000, cost: 0 },
    anew: [{ visit: "Socket-2#1", why: expect.stringContaining("prompt: Instructions") }, {}, {}],
  });
  expect(castsIn(cwd)).toEqual([castId]);
  const forked = await run(["fork", castId, ...options], { cwd });
  expect([forked.code, forked.stderr]).toEqual([0, expect.stringContaining("1 visit of")]);
  const [fork = ""] = castsIn(cwd).filter((id) => id !== castId);
  const events = journalOf(cwd, fork);
  expect(events[0]).toMatchObject({ castId: fork, forkedFrom: { castId, visit: "Socket-2#1" } });
  expect(events.at(-1)).toMatchObject({ type: "cast_ended", outcome: "completed" });
  expect(existsSync(join(cwd, ".pi/pi-materia", fork, "sockets/Socket-1/1/transcript.jsonl"))).toBe(true);
  expect(journalOf(cwd, castId)).toEqual(before);
  expect((await run(["show", fork], { cwd })).stdout).toContain(`Forked from ${castId}`);
  expect((await run(["replay", fork, "--config", "c.json"], { cwd })).code).toBe(0);
  expect((await run(["doctor", fork], { cwd })).code).toBe(0);
});

it("[T37] the age of a fork counts from the fork", async () => {
  const { cwd, castId } = await castOnce();
  expect((await run(["fork", `${castId}@Socket-2#1`, ...options], { cwd })).code).toBe(0);
  const [fork = ""] = castsIn(cwd).filter((id) => id !== castId);
  const [start] = journalOf(cwd, fork);
  const listed = JSON.parse((await run(["casts", "--json"], { cwd })).stdout) as readonly object[];
  expect(start?.type === "cast_started" && start.forkedFrom?.at).toMatch(/^\d{4}-/);
  expect(listed).toContainEqual(
    expect.objectContaining({ castId: fork, startedAt: start?.type === "cast_started" && start.forkedFrom?.at }),
  );
});

it("[J26, T37] a fork has the large values that its copied inputs refer to, without the first cast", async () => {
  const large = "x".repeat(5_000);
  const shared = {
    Plan: { prompt: "Plan.", tools: "none", parse: "json", assign: { list: "$.workItems" } },
    Count: { type: "utility", command: ["true"] },
  };
  const sockets = {
    A: { materia: "Plan", edges: [{ when: "always", to: "B" }] },
    B: { materia: "Count", edges: [{ when: "always", to: "C" }] },
    C: { materia: "Plan", edges: [{ when: "always", to: "end" }] },
  };
  const cwd = newPlace({
    "c.json": { materia: shared, loadouts: { Main: { entry: "A", sockets } } },
    "r.json": {
      replies: { Plan: [{ json: { workItems: [{ title: "a", context: large }] } }, { json: { workItems: [] } }] },
    },
  });
  expect(await run(["cast", ...options, "--trust", "--loadout", "Main", "x"], { cwd })).toMatchObject({ code: 0 });
  const [castId = ""] = castsIn(cwd);
  expect(await run(["fork", `${castId}@C`, ...options], { cwd })).toMatchObject({ code: 0 });
  const [fork = ""] = castsIn(cwd).filter((id) => id !== castId);
  rmSync(join(cwd, ".pi/pi-materia", castId), { recursive: true });
  const folder = join(cwd, ".pi/pi-materia", fork);
  const input = readFileSync(join(folder, "sockets/B/1/input.json"), "utf8");
  const [, digest = ""] = /"\$value": "(\w+)"/.exec(input) ?? [];
  expect(readFileSync(join(folder, "values", `${digest}.json`), "utf8")).toBe(JSON.stringify(large));
});

it("[T20] without an edit a visit must be named; it may be any", async () => {
  const { cwd, castId } = await castOnce();
  const refused = await run(["fork", castId, "--config", "c.json"], { cwd });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("unchanged_fork")]);
  expect((await run(["fork", `${castId}@Socket-9`, "--config", "c.json"], { cwd })).code).toBe(2);
  expect((await run(["fork", castId], { cwd })).stderr).toMatch(
    /add --config .*c\.json, with which the cast was started/,
  );
  const plan = await run(["fork", `${castId}@Socket-2#2`, "--config", "c.json", "--plan", "--json"], { cwd });
  expect(JSON.parse(plan.stdout)).toMatchObject({ reused: ["Socket-1#1", "Socket-2#1", "Socket-1#2"] });
});

it("[T39] recast --edited is a fork of a stopped cast", async () => {
  const cwd = newPlace({ "c.json": config("Judge."), "r.json": { replies: { ...replies, Judge: [no, no] } } });
  expect((await run(["cast", ...options, "--loadout", "Main", "x"], { cwd })).code).toBe(1);
  put(cwd, { "c.json": config("Judge mildly."), "r.json": { replies: { ...replies, Judge: [yes] } } });
  const { code, stderr } = await run(["recast", "--edited", ...options], { cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining("runs again from Socket-2#1")]);
  expect(castsIn(cwd)).toHaveLength(2);
});

it("[T21] a handoff can be written for a visit, and another request holds from there on", async () => {
  const { cwd, castId } = await castOnce();
  const at = `${castId}@Socket-2#1`;
  const bad = await run(["fork", at, ...options, "--handoff", "perhaps"], { cwd });
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("no JSON object")]);
  const good = await run(["fork", at, ...options, "--handoff", '{"satisfied":true}', "--request", "y"], { cwd });
  expect(good.code).toBe(0);
  const [fork = ""] = castsIn(cwd).filter((id) => id !== castId);
  const events = journalOf(cwd, fork);
  expect(events[0]).toMatchObject({ request: "y" });
  expect(events.filter(({ type }) => type === "visit_started")).toHaveLength(2);
});

it("[C40] recast says which graph it runs, and how to run the edited one", async () => {
  const cwd = newPlace({ "c.json": config("Judge."), "r.json": { replies: { ...replies, Judge: [no, no] } } });
  await run(["cast", ...options, "--loadout", "Main", "x"], { cwd });
  const [castId = ""] = castsIn(cwd);
  const same = await run(["recast", "--config", "c.json"], { cwd });
  expect(same.stderr).toMatch(/^note: it goes on with the graph as it was started$/m);
  put(cwd, { "c.json": config("Judge mildly.") });
  const edited = await run(["recast", "--config", "c.json"], { cwd });
  expect(edited.stderr).toContain(
    `edited since: "materia recast ${castId} --edited" continues it as it is now, "materia fork `,
  );
});

it("[T19, T28] a cast whose limit was raised is recorded with its allowance; one that was stopped is refused with what to do", async () => {
  const cwd = newPlace({ "c.json": config("Judge."), "r.json": { replies: { ...replies, Judge: [no, no, yes] } } });
  put(cwd, { "r.json": { replies: { ...replies, Judge: [no, no, yes] }, onEmpty: "repeat-last" } });
  expect((await run(["cast", ...options, "--loadout", "Main", "x"], { cwd })).code).toBe(1);
  expect((await run(["recast", "--allow", "1", "--config", "c.json"], { cwd })).code).toBe(0);
  const [castId = ""] = castsIn(cwd);
  expect((await run(["record", castId, "t/raised.json"], { cwd })).code).toBe(0);
  expect(JSON.parse(readFileSync(join(cwd, "t/raised.json"), "utf8"))).toMatchObject({
    cast: { answers: [{ allow: 1 }] },
    expect: { outcome: "completed", path: ["Writer", "Judge", "Writer", "Judge", "Writer", "Judge"] },
  });
  expect(await run(["test", "t"], { cwd })).toMatchObject({ code: 0, stdout: expect.stringContaining("1 passed") });
  const stopped = await abortedCast(cwd);
  const refused = await run(["record", stopped, "t/b.json"], { cwd });
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`"materia recast ${stopped}" continues it`),
  ]);
});

/** Waits for a person, and is then stopped. */
async function abortedCast(cwd: string): Promise<string> {
  put(cwd, {
    "w.json": {
      materia: { Ask: { prompt: "Ask.", interactive: true } },
      loadouts: { Wait: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } } },
    },
    "wr.json": { replies: { Ask: [{ text: "Well?" }] } },
  });
  await run(["cast", "--config", "w.json", "--rehearse", "wr.json", "--loadout", "Wait", "x"], { cwd });
  const castId = castsIn(cwd).at(-1) ?? "";
  await run(["abort", castId], { cwd });
  return castId;
}

it("[T38] --here restores the files of the visit", async () => {
  const cwd = newPlace({ "c.json": config("Judge."), "r.json": { replies }, "a.txt": "before" });
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@e.org", ...words], { cwd, stdio: "pipe" });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "before");
  await run(["cast", ...options, "--loadout", "Main", "x"], { cwd });
  const [castId = ""] = castsIn(cwd);
  put(cwd, { "a.txt": "edited since" });
  git("add", "a.txt");
  git("commit", "-qm", "edited");
  const as = await run(["fork", `${castId}@Socket-2#1`, ...options], { cwd });
  expect([as.code, as.stderr]).toEqual([0, expect.stringContaining("files stay as they are now")]);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("edited since");
  const here = await run(["fork", `${castId}@Socket-2#1`, ...options, "--here"], { cwd });
  expect([here.code, here.stderr]).toEqual([0, expect.stringContaining("files are restored to this point")]);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("a");
  put(cwd, { "a.txt": "not committed" });
  const dirty = await run(["fork", `${castId}@Socket-2#1`, ...options, "--here"], { cwd });
  expect([dirty.code, dirty.stderr]).toEqual([2, expect.stringContaining("or fork without --here")]);
  expect(dirty.stderr).not.toContain("--to");
});

it("[T34] the seed of a recorded test is the checkpoint that the cast began from", async () => {
  const cwd = newPlace({ "c.json": config("Judge."), "r.json": { replies }, "kept.txt": "before" });
  commitAll(cwd);
  await run(["cast", ...options, "--loadout", "Main", "x"], { cwd });
  put(cwd, { "kept.txt": "edited since" });
  expect((await run(["record", "last", "t/a.json"], { cwd })).code).toBe(0);
  expect(JSON.parse(readFileSync(join(cwd, "t/a.json"), "utf8"))).toMatchObject({ cast: { seed: "a.seed" } });
  expect(readFileSync(join(cwd, "t/a.seed/kept.txt"), "utf8")).toBe("before");
});
