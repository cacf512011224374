import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { castFile, castsIn, journalOf, newPlace, put, readText, run } from "../harness/cli.ts";
import { doom, gone, lives, pidIn, said, typed } from "../harness/doomed.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const example = fileURLToPath(new URL("../../examples/review-and-fix", import.meta.url));

function onlyCast(cwd: string): string {
  const [castId = ""] = castsIn(cwd);
  return castId;
}

it.each(sampleCases([6, 1, 2, 9]))(
  "[D1] killed with SIGKILL after %i events and resumed by another process",
  SWEEP,
  async (count) => {
    const cwd = newPlace();
    const child = doom(cwd, "cast", "--config", `${example}.json`, "--rehearse", `${example}.rehearsal.json`, "Fix it");
    await child.events(count);
    child.signal("SIGKILL");
    expect(await child.exited).toBe("SIGKILL");
    expect(JSON.parse((await run(["casts", "--json"], { cwd })).stdout)).toMatchObject([{ status: "interrupted" }]);
    const { code, stderr } = await run(["recast", "--config", `${example}.json`], { cwd });
    expect([code, stderr]).toEqual([0, expect.stringContaining("completed")]);
    const completed = typed(journalOf(cwd, onlyCast(cwd)), "visit_completed");
    expect(completed.map(({ socket, visit }) => `${socket} ${visit}`)).toEqual([
      "Socket-1 1",
      "Socket-2 1",
      "Socket-1 2",
      "Socket-2 2",
    ]);
  },
);

/** One utility that never ends by itself, and an agent that can run commands. */
const config = {
  materia: {
    Endless: {
      type: "utility",
      command: ["sh", "-c", "trap '' INT; echo $$ > utility.pid; while :; do sleep 1000; done"],
      timeoutMs: 1_000_000,
    },
    Work: { prompt: "Work.", tools: "coding" },
  },
};

function place(replies: object): string {
  return newPlace({ "materia.json": config, "replies.json": { replies } });
}

const options = ["--config", "materia.json", "--rehearse", "replies.json"];

function bash(command: string): object {
  return { name: "bash", arguments: { command } };
}

describe.skipIf(process.platform !== "linux")("[D12] what outlives a killed owner", () => {
  it("a utility is ended before it runs again", async () => {
    const cwd = place({});
    const child = doom(cwd, "link", ...options, "Endless", "--", "go");
    await said(join(cwd, "utility.pid"), "\n");
    const orphan = pidIn(join(cwd, "utility.pid"));
    child.signal("SIGKILL");
    await child.exited;
    expect(lives(orphan)).toBe(true);
    // As if the kill had come before its owner could write it down.
    rmSync(castFile(cwd, onlyCast(cwd), "owner", "program.json"), { force: true });
    put(cwd, { "utility.pid": "" });
    const second = doom(cwd, "recast", "--config", "materia.json");
    await said(join(cwd, "utility.pid"), "\n");
    expect([lives(orphan), pidIn(join(cwd, "utility.pid")) === orphan]).toEqual([false, false]);
    second.signal("SIGINT");
    expect(await second.exited).toBe(130);
    await gone(pidIn(join(cwd, "utility.pid")));
  });

  it("[D3] a command of an agent is ended, and the agent goes on behind what it had done", async () => {
    const tools = [bash("echo one >> done.txt"), bash("echo $$ > command.pid; sleep 1000")];
    const cwd = place({ Work: [{ tools, text: "never" }] });
    const child = doom(cwd, "link", ...options, "Work", "--", "go");
    await said(join(cwd, "command.pid"), "\n");
    child.signal("SIGKILL");
    await child.exited;
    const orphan = pidIn(join(cwd, "command.pid"));
    expect(lives(orphan)).toBe(true);
    put(cwd, {
      "replies.json": { replies: { Work: [{ tools: [tools[0], bash("echo two >> done.txt")], text: "worked" }] } },
    });
    const { code } = await run(["recast", "--config", "materia.json"], { cwd });
    expect([code, lives(orphan), readText(join(cwd, "done.txt"))]).toEqual([0, false, "one\ntwo\n"]);
    const transcript = readText(castFile(cwd, onlyCast(cwd), "sockets", "Socket-1", "1", "transcript.jsonl"));
    expect(transcript).toContain("You were interrupted in the middle of this work.");
    expect(transcript).toContain("Files that changed since then:\\n- command.pid");
  });

  it("[D3, I5] a continued conversation goes on behind what it had done, and repeats nothing", async () => {
    const judge = { prompt: "Judge.", parse: "json" };
    const sockets = {
      "Socket-1": { materia: "Work", edges: [{ when: "always", to: "Socket-2" }] },
      "Socket-2": { materia: "Judge", edges: [{ when: "not_satisfied", to: "Socket-1", maxTraversals: 3 }] },
    };
    const config = {
      materia: { Work: { prompt: "Work.", tools: "coding", conversation: "item" }, Judge: judge },
      loadouts: { Main: { entry: "Socket-1", sockets } },
    };
    const first = { tools: [bash("echo one >> done.txt")], text: "worked once" };
    const Judge = [{ json: { satisfied: false, context: "two is missing" } }, { json: { satisfied: true } }];
    const again = (last: string) => ({ tools: [bash("echo two >> done.txt"), bash(last)], text: "worked twice" });
    const cwd = newPlace({
      "c.json": config,
      "r.json": { replies: { Work: [first, again("echo $$ > command.pid; sleep 1000")], Judge } },
    });
    const named = ["--config", "c.json", "--rehearse", "r.json"];
    const child = doom(cwd, "cast", ...named, "--loadout", "Main", "go");
    await said(join(cwd, "command.pid"), "\n");
    child.signal("SIGKILL");
    await child.exited;
    put(cwd, { "r.json": { replies: { Work: [first, again("echo three >> done.txt")], Judge } } });
    const { code } = await run(["recast", ...named], { cwd });
    expect([code, readText(join(cwd, "done.txt"))]).toEqual([0, "one\ntwo\nthree\n"]);
    const transcriptOf = (visit: string) =>
      readText(castFile(cwd, onlyCast(cwd), "sockets", "Socket-1", visit, "transcript.jsonl"));
    expect(transcriptOf("2").startsWith(transcriptOf("1"))).toBe(true);
    expect(transcriptOf("2").match(/two is missing/g)).toHaveLength(1);
    expect(transcriptOf("2")).toContain("You were interrupted in the middle of this work.");
    const starts = journalOf(cwd, onlyCast(cwd)).filter(({ type }) => type === "visit_started");
    expect(starts).toHaveLength(4);
    expect(starts[2]).toMatchObject({ socket: "Socket-1", visit: 2, continues: 1 });
  });

  it("a cast that is aborted without its owner takes them with it", async () => {
    const cwd = place({ Work: [{ tools: [bash("echo $$ > command.pid; sleep 1000")], text: "never" }] });
    const child = doom(cwd, "link", ...options, "Work", "--", "go");
    await said(join(cwd, "command.pid"), "\n");
    child.signal("SIGKILL");
    await child.exited;
    const { code } = await run(["abort", "--config", "materia.json"], { cwd });
    expect([code, lives(pidIn(join(cwd, "command.pid")))]).toEqual([0, false]);
    expect(journalOf(cwd, onlyCast(cwd)).at(-1)).toMatchObject({ type: "cast_ended", outcome: "aborted" });
  });
});

it.each<[rule: string, target: string, file: string]>([
  ["[D11] a utility", "Endless", "utility.pid"],
  ["[D11] a command of an agent", "Work", "command.pid"],
])(
  "%s ends with an abort from another process, and the end is written when it returns",
  async (_rule, target, file) => {
    const cwd = place({ Work: [{ tools: [bash("echo $$ > command.pid; sleep 1000")], text: "never" }] });
    const child = doom(cwd, "link", ...options, target, "--", "go");
    await said(join(cwd, file), "\n");
    const { code } = await run(["abort", "--config", "materia.json"], { cwd });
    expect([code, journalOf(cwd, onlyCast(cwd)).at(-1)]).toEqual([0, expect.objectContaining({ outcome: "aborted" })]);
    expect(await child.exited).toBe(130);
    await gone(pidIn(join(cwd, file)));
    expect(await run(["abort", onlyCast(cwd), "--config", "materia.json"], { cwd })).toMatchObject({ code: 2 });
  },
);

it.each(
  sampleCases<[rule: string, signal: NodeJS.Signals]>([
    ["[D13] SIGINT", "SIGINT"],
    ["[D13] SIGTERM", "SIGTERM"],
    ["[D13] SIGHUP", "SIGHUP"],
  ]),
)("%s ends what runs, and the cast goes on later", SWEEP, async (_rule, signal) => {
  const cwd = place({ Work: [{ tools: [bash("echo $$ > command.pid; sleep 1000")], text: "never" }] });
  const child = doom(cwd, "link", ...options, "Work", "--", "go");
  await said(join(cwd, "command.pid"), "\n");
  child.signal(signal);
  expect(await child.exited).toBe(130);
  await gone(pidIn(join(cwd, "command.pid")));
  put(cwd, { "replies.json": { replies: { Work: [{ text: "worked" }] } } });
  expect(await run(["recast", "--config", "materia.json"], { cwd })).toMatchObject({ code: 0 });
  expect(typed(journalOf(cwd, onlyCast(cwd)), "cast_ended").map(({ outcome }) => outcome)).toEqual([
    "aborted",
    "completed",
  ]);
});

it("[D13] a second Ctrl-C leaves at once, and leaves nothing running", async () => {
  const cwd = newPlace({ "replies.json": { replies: {} } });
  const stubborn = "trap '' TERM INT; echo $$ > utility.pid; while :; do sleep 1000; done";
  const materia = { Endless: { ...config.materia.Endless, command: ["sh", "-c", stubborn] } };
  writeFileSync(join(cwd, "materia.json"), JSON.stringify({ materia }));
  const child = doom(cwd, "link", ...options, "Endless", "--", "go");
  await said(join(cwd, "utility.pid"), "\n");
  child.signal("SIGINT");
  child.signal("SIGTERM");
  expect(await child.exited).toBe(130);
  await gone(pidIn(join(cwd, "utility.pid")));
  expect(readFileSync(castFile(cwd, onlyCast(cwd), "journal.jsonl"), "utf8")).not.toContain("cast_ended");
});

function talk(delayMs: number): object {
  return { replies: { Talk: [{ text: "draft" }, { text: "shorter", delayMs }] } };
}

it("[D19] what waits for a person waits for any later process, and an answer that was given is not lost", async () => {
  const cwd = newPlace({
    "materia.json": { materia: { Talk: { prompt: "Talk.", interactive: true } } },
    "replies.json": talk(600_000),
  });
  const at = { cwd };
  expect(await run(["link", ...options, "Talk", "--", "go"], at)).toMatchObject({ code: 4 });
  expect(await run(["recast", onlyCast(cwd), "--config", "materia.json"], at)).toMatchObject({ code: 2 });
  const answered = doom(cwd, "continue", "--config", "materia.json", "Shorter,", "please.");
  await answered.events(2);
  answered.signal("SIGKILL");
  await answered.exited;
  expect(JSON.parse((await run(["casts", "--json"], at)).stdout)).toMatchObject([{ status: "interrupted" }]);
  put(cwd, { "replies.json": talk(0) });
  expect(await run(["recast", "--config", "materia.json"], at)).toMatchObject({ code: 4 });
  expect(readText(castFile(cwd, onlyCast(cwd), "sockets", "Socket-1", "1", "transcript.jsonl"))).toContain(
    "Shorter, please.",
  );
  expect(await run(["continue", "--config", "materia.json", "--quiet"], at)).toMatchObject({
    code: 0,
    stdout: "shorter\n",
  });
  const events = journalOf(cwd, onlyCast(cwd));
  expect(typed(events, "turn_answered").map(({ text }) => text)).toEqual(["draft", "shorter"]);
});
