import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { castFile, castsIn, newPlace, put, run, runProcess } from "../harness/cli.ts";
import { eventsOf } from "../harness/cast-trace.ts";
import { judgedPair } from "../harness/loadouts.ts";
import { encodeLines, firstChainHead } from "../../src/shell/store/files/journal-chain.ts";
import { castHere, journalOf, lastCast, materia, repositoryPlace, setReplies, writes } from "../git/cast-place.ts";

const SECRET = "tok-12345678";
const env = { A_TOKEN: SECRET };

const CONFIG = {
  materia: { Writer: { prompt: "Write." }, Judge: { parse: "json", prompt: "Judge." } },
  loadouts: { Main: { entry: "Socket-1", sockets: judgedPair("Writer", "Judge", 1) } },
};
const REPLIES = { Writer: [{ text: "written" }, { text: "again" }], Judge: [{ json: { satisfied: true } }] };
const options = ["--config", "c.json", "--rehearse", "r.json"];

/** What the agents of a fork answer; the first replies are those of the visits that it shares. */
const FORK_REPLIES = {
  Make: [{ text: "shared" }, writes({ "forked.txt": "by the fork\n" })],
  Look: [{ text: "shared" }, { json: { satisfied: true } }],
};

/** A cast that has ended, to be forked. */
async function endedCast(): Promise<{ readonly cwd: string; readonly castId: string }> {
  const cwd = newPlace({ "c.json": CONFIG, "r.json": { replies: REPLIES } });
  await run(["cast", ...options, "--loadout", "Main", "x"], { cwd });
  return { cwd, castId: castsIn(cwd)[0] ?? "" };
}

function filesWithSecret(cwd: string, castId: string): readonly string[] {
  const folder = castFile(cwd, castId);
  return globSync("**/*", { cwd: folder })
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => readFileSync(join(folder, name), "utf8").includes(SECRET));
}

it("[T25] a comparison counts the time of work, not the time between a cast and its fork", async () => {
  const { cwd, castId } = await endedCast();
  const events = eventsOf(castFile(cwd, castId)).map((event) => ({ ...event, at: event.at.replace(/^\d+/, "2020") }));
  const { text } = encodeLines(events, firstChainHead(castId), 1);
  writeFileSync(castFile(cwd, castId, "journal.jsonl"), text);
  await run(["fork", `${castId}@Socket-2#1`, ...options], { cwd });
  const fork = castsIn(cwd).find((each) => each !== castId) ?? "";
  const { stdout } = await run(["compare", castId, fork, "--json"], { cwd });
  expect((JSON.parse(stdout) as { readonly second: { readonly seconds: number } }).second.seconds).toBeLessThan(60);
});

it("[T45, S7, S12] a secret in the request of a fork is in none of its files", async () => {
  const { cwd, castId } = await endedCast();
  const forked = await run(["fork", `${castId}@Socket-2#1`, ...options, "--request", `use ${SECRET}`], { cwd, env });
  expect([forked.code, forked.stderr]).toEqual([0, expect.stringContaining("1 visit of")]);
  const fork = lastCast(cwd);
  expect(fork).not.toBe(castId);
  expect(filesWithSecret(cwd, fork)).toEqual([]);
  expect(JSON.parse(readFileSync(castFile(cwd, fork, "cast.json"), "utf8"))).toMatchObject({
    request: "use [secret A_TOKEN]",
    command: expect.stringContaining("[secret A_TOKEN]"),
  });
  expect(journalOf(cwd, fork)[0]).toMatchObject({ type: "cast_started", request: "use [secret A_TOKEN]" });
});

it("[T45, S7, S12] a secret in a handoff that is written for a visit is in none of its files", async () => {
  const { cwd, castId } = await endedCast();
  const handoff = JSON.stringify({ satisfied: true, context: `say ${SECRET}` });
  expect((await run(["fork", `${castId}@Socket-2#1`, ...options, "--handoff", handoff], { cwd, env })).code).toBe(0);
  const fork = lastCast(cwd);
  expect(filesWithSecret(cwd, fork)).toEqual([]);
  expect(journalOf(cwd, fork)).toContainEqual(
    expect.objectContaining({
      type: "handoff_accepted",
      handoff: { satisfied: true, context: "say [secret A_TOKEN]" },
    }),
  );
});

it("[T46, Y1, Y7] the new visits of a fork keep their files, and diff shows them", async () => {
  const cwd = repositoryPlace();
  expect((await castHere(cwd)).code).toBe(0);
  const first = lastCast(cwd);
  put(cwd, { "outside.txt": "changed by a person\n" });
  setReplies(cwd, FORK_REPLIES);
  const rehearse = ["--rehearse", join(cwd, "../home/replies.json")];
  const forked = await materia(cwd, ["fork", `${first}@Socket-1#2`, ...rehearse]);
  expect([forked.code, forked.stderr]).toEqual([0, expect.stringContaining("2 visits of")]);
  const fork = lastCast(cwd);
  const events = journalOf(cwd, fork);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "cast_resumed",
      by: "materia fork",
      files: expect.objectContaining({ names: expect.arrayContaining(["outside.txt"]) }),
    }),
  );
  expect(events.some(({ type }) => type === "checkpoint_taken")).toBe(true);
  const made = await materia(cwd, ["diff", fork, "Socket-1#2", "--name-only"]);
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("forked.txt")]);
  expect(made.stdout).not.toContain("outside.txt");
  const shared = await materia(cwd, ["diff", fork, "Socket-1#1", "--name-only"]);
  expect([shared.code, shared.stdout]).toEqual([0, expect.stringContaining("src/a.txt")]);
});

it("[T46] a fork of a cast without checkpoints keeps its files from its start on", async () => {
  const cwd = repositoryPlace(undefined, { checkpoints: false });
  expect((await castHere(cwd)).code).toBe(0);
  const first = lastCast(cwd);
  expect(journalOf(cwd, first)[0]).not.toHaveProperty("files");
  const config = join(cwd, "../home/materia.json");
  put(cwd, { "../home/materia.json": { ...JSON.parse(readFileSync(config, "utf8")), checkpoints: true } });
  setReplies(cwd, FORK_REPLIES);
  const rehearse = ["--rehearse", join(cwd, "../home/replies.json")];
  expect((await materia(cwd, ["fork", `${first}@Socket-1#2`, ...rehearse])).code).toBe(0);
  const made = await materia(cwd, ["diff", lastCast(cwd), "Socket-1#2", "--name-only"]);
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("forked.txt")]);
});

/** Kills the process as it opens a journal to write its first line. */
const KILL = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { openSync, constants } = fs;
fs.openSync = (path, flags, ...rest) => {
  if (String(path).endsWith("journal.jsonl") && flags & constants.O_CREAT) process.kill(process.pid, "SIGKILL");
  return openSync(path, flags, ...rest);
};
syncBuiltinESMExports();`;

async function listedCasts(cwd: string): Promise<readonly string[]> {
  const { stdout } = await run(["casts", "--json"], { cwd });
  return JSON.parse(stdout).map(({ castId }: { readonly castId: string }) => castId);
}

it("[T50] a fork that is killed before its past is written is no cast, and can be made again", async () => {
  const { cwd, castId } = await endedCast();
  put(cwd, { "kill.mjs": KILL });
  const fork = ["fork", `${castId}@Socket-2#1`, ...options];
  const killed = await runProcess(fork, { cwd, env: { NODE_OPTIONS: `--import=${cwd}/kill.mjs` } });
  expect([killed.code, killed.stderr]).toEqual([null, expect.stringContaining("1 visit of")]);
  expect([await listedCasts(cwd), castsIn(cwd).length]).toEqual([[castId], 2]);
  expect((await run(["casts", "prune", "--keep", "9", "--yes"], { cwd })).code).toBe(0);
  expect(castsIn(cwd)).toEqual([castId]);
  expect((await run(fork, { cwd })).code).toBe(0);
  expect(journalOf(cwd, lastCast(cwd))[0]).toMatchObject({ forkedFrom: { castId, visit: "Socket-2#1" } });
});

it("[T50] a salvaged cast that is killed before its events are written is no cast", async () => {
  const { cwd, castId } = await endedCast();
  const journal = castFile(cwd, castId, "journal.jsonl");
  writeFileSync(journal, `${readFileSync(journal, "utf8")}{"damaged\n`);
  put(cwd, { "kill.mjs": KILL });
  const salvage = ["doctor", castId, "--salvage"];
  const killed = await runProcess(salvage, { cwd, env: { NODE_OPTIONS: `--import=${cwd}/kill.mjs` } });
  expect([killed.code, await listedCasts(cwd), castsIn(cwd).length]).toEqual([null, [castId], 2]);
});
