import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { thisProcess } from "../../src/shell/process/process-identity.ts";
import { selectPrunable } from "../../src/shell/store/summary.ts";
import { scratchFolder } from "../harness/agents.ts";
import { listing, run } from "../harness/cli.ts";
import { journalIn, resumeHosted, saying, startHosted, workspaceWith } from "../harness/hosted.ts";
import { claimIn, listCasts, openJournal, ownerIn } from "../harness/journals.ts";
import { startOf } from "../harness/play.ts";
import { said, workshop, world } from "../harness/seats.ts";
import { runCast } from "../../src/shell/run/run-cast.ts";
import { initialState } from "../../src/core/cast/state/initial-state.ts";

const workspace = () => workspaceWith({ materia: { Tell: { prompt: "Tell." } } });
const down = () =>
  ({ kind: "failed", reason: "provider", message: "down", usage: { input: 0, output: 0, cost: 0 } }) as const;
const done = () => saying("done");

function remote(runDir: string, minutesAgo: number): void {
  const file = join(runDir, "owner", "7.json");
  writeFileSync(file, JSON.stringify({ pid: 77, startedAt: "then", host: "elsewhere" }));
  const then = Date.now() / 1000 - minutesAgo * 60;
  utimesSync(file, then, then);
}

it("[D1] a cast that was killed before its first event is listed, and runs when it is resumed", async () => {
  const cast = await startHosted(workspace(), "Tell", down);
  rmSync(join(cast.runDir, "journal.jsonl"));
  rmSync(join(cast.runDir, "sockets"), { recursive: true, force: true });
  expect(await listCasts(cast.workspace.root)).toMatchObject([
    { castId: cast.castId, status: "interrupted", request: "Do it." },
  ]);
  const raised = await resumeHosted(cast, done, { kind: "recast", maxTokens: 99 });
  expect(raised).toMatchObject({ state: { phase: { outcome: "completed" }, budget: { maxTokens: 99 } } });
  expect(journalIn(cast)[0]?.type).toBe("cast_started");
});

it("[D1] a journal that is missing although visits have left files is no new cast", async () => {
  const cast = await startHosted(workspace(), "Tell", done);
  rmSync(join(cast.runDir, "journal.jsonl"));
  expect(await resumeHosted(cast, done)).toMatchObject([{ code: "missing_journal" }]);
});

it.skipIf(!existsSync("/dev/full"))(
  "[D5] a disk without room: the cast stops before anything depends on what was not written",
  async () => {
    const journal = openJournal("/dev/full", { durability: "write", redact: (text) => text });
    const start = initialState(startOf(workshop()));
    const { asked, ...ports } = world(() => said("{}"), { journal });
    const end = await runCast(start, ports, { cwd: "/project", signal: new AbortController().signal });
    expect(end).toEqual({
      kind: "broken",
      state: start,
      problem: "cannot write the journal: the disk is full (ENOSPC)",
    });
    expect(asked).toEqual([]);
    journal.close();
  },
);

it.skipIf(process.platform !== "linux")("[D7] a step that cannot be written through does not count", async () => {
  const [, ...events] = journalIn(await startHosted(workspace(), "Tell", done));
  const answers = (["write", "sync"] as const).map(async (durability) => {
    // It takes every byte, and cannot be synced.
    const journal = openJournal("/dev/null", { durability, redact: (text) => text });
    const problem = await journal.append(events);
    journal.close();
    return problem;
  });
  expect(await Promise.all(answers)).toEqual([undefined, expect.stringMatching(/^cannot write the journal: /)]);
});

it("[D7] the command line takes the durability, and the cast is the same", async () => {
  const { cwd } = workspaceWith({ materia: { Say: { type: "utility", command: ["echo", "said"] } } }).place;
  const args = ["link", "--config", "materia.json", "--quiet", "Say", "--", "go"];
  for (const durability of ["sync", "write"])
    expect(await run([...args.slice(0, 1), "--durability", durability, ...args.slice(1)], { cwd })).toMatchObject({
      code: 0,
      stdout: "said\n",
    });
  expect(await run(["link", "--durability", "maybe", ...args.slice(1)], { cwd })).toMatchObject({ code: 2 });
});

it("[D10] looking at a cast changes nothing", async () => {
  const cast = await startHosted(workspace(), "Tell", down);
  writeFileSync(join(cast.runDir, "journal.jsonl"), '{"torn', { flag: "a" });
  const { cwd } = cast.workspace.place;
  // The first start leaves compiled code behind.
  await run(["casts"], { cwd });
  // [YI2] Only the person's inbox learns that they looked.
  const files = () => listing(cwd).filter((entry) => !entry.includes("/inbox"));
  const before = files();
  for (const args of [["casts"], ["casts", "--json"], ["status"], ["show", cast.castId], ["budget"]])
    expect([args, (await run(args, { cwd })).code]).toEqual([args, 0]);
  expect(files()).toEqual(before);
});

it("[D15] letting go needs no room on the disk", async () => {
  const runDir = scratchFolder();
  const mine = await claimIn(runDir);
  if (mine.kind === "mine") mine.release();
  expect([statSync(join(runDir, "owner", "1.json")).size, ownerIn(runDir)]).toEqual([0, undefined]);
});

it("[D15] a claim that cannot be written is a refusal", async () => {
  const cast = await startHosted(workspace(), "Tell", down);
  rmSync(join(cast.runDir, "owner"), { recursive: true });
  writeFileSync(join(cast.runDir, "owner"), "");
  expect(await resumeHosted(cast, done)).toMatchObject([
    { code: "write_failed", message: expect.stringMatching(/^cannot claim the cast: /) },
  ]);
});

it("[D35] a process of another host holds its cast during its lease, and the refusal says so", async () => {
  const cast = await startHosted(workspace(), "Tell", down);
  remote(cast.runDir, 1);
  expect(ownerIn(cast.runDir)).toMatchObject({ pid: 77, host: "elsewhere" });
  expect(await resumeHosted(cast, done)).toMatchObject([
    { code: "cast_owned", message: expect.stringMatching(/process 77 on elsewhere.*out of sight.*5 minutes/) },
  ]);
  remote(cast.runDir, 6);
  expect(ownerIn(cast.runDir)).toBeUndefined();
  expect(await resumeHosted(cast, done)).toMatchObject({ kind: "ended" });
});

it("[D36] an evicted process writes nothing more", async () => {
  const {
    workspace: at,
    runDir,
    end,
  } = await startHosted(workspace(), "Tell", (request) => {
    writeFileSync(join(request.transcript, "..", "..", "..", "..", "owner", "2.json"), JSON.stringify(thisProcess()));
    return done();
  });
  expect(end).toMatchObject({ kind: "broken", problem: "another process owns this cast now" });
  expect(journalIn({ runDir }).map(({ type }) => type)).toEqual(["cast_started", "visit_started"]);
  expect(await listCasts(at.root)).toMatchObject([{ status: "running" }]);
});

it("[D20] what is pruned is named first, never runs, and is gone as a whole", async () => {
  const at = workspace();
  const casts = [];
  for (let count = 0; count < 3; count += 1) casts.push(await startHosted(at, "Tell", down));
  const [first, second, third] = casts.map(({ castId }) => castId);
  // The first one has been resumed and runs.
  const running = casts[0];
  if (!running) throw new Error("there are three");
  writeFileSync(
    join(running.runDir, "journal.jsonl"),
    `${JSON.stringify({ seq: journalIn(running).length + 1, at: "", type: "cast_resumed", by: "test" })}\n`,
    { flag: "a" },
  );
  await claimIn(running.runDir);
  // A prune that was killed left this; it is no cast.
  mkdirSync(join(at.root, ".removed-20200101-000000-aaaaa"));
  expect(new Set((await listCasts(at.root)).map(({ castId }) => castId))).toEqual(new Set([first, second, third]));
  const chosen = selectPrunable(await listCasts(at.root), { keep: 0 }, Date.now());
  expect(new Set(chosen.map(({ castId }) => castId))).toEqual(new Set([second, third]));
  expect((await listCasts(at.root)).length).toBe(3);
  const all = [...chosen, ...(await listCasts(at.root))].map(({ castId }) => castId);
  expect(await at.store.remove(all.slice(0, 3))).toEqual({ ok: true, value: chosen.map(({ castId }) => castId) });
  expect(listing(at.place.cwd).filter((name) => /removed|owner\/1\.json/.test(name))).toEqual([
    expect.stringContaining(`${first}/owner/1.json`),
  ]);
});
