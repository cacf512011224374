import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { nextClockTime, splitRequests } from "../../src/core/command/queue-command.ts";
import { thisProcess } from "../../src/shell/process/process-identity.ts";
import { castsIn, listing, put, runProcess } from "../harness/cli.ts";
import { journalOf, materia, setReplies, writes } from "../git/cast-place.ts";
import { until } from "../harness/fleet/start-worker.ts";
import { openTerminal } from "../harness/terminal.ts";
import { branchOf, treePlace, viewWithoutCasts } from "../trees/tree-place.ts";

const queue = (cwd: string, ...words: readonly string[]) => materia(cwd, ["queue", ...words]);
const runAll = (cwd: string, ...words: readonly string[]) =>
  queue(cwd, "run", "--rehearse", join(cwd, "../home/replies.json"), ...words);
const casts = (cwd: string) => castsIn(cwd).filter((name) => !name.startsWith("."));

async function requests(cwd: string): Promise<readonly string[]> {
  const { stdout } = await queue(cwd, "--json");
  return (JSON.parse(stdout) as { request: string }[]).map(({ request }) => request);
}

it.each<[rule: string, text: string, requests: readonly string[]]>([
  ["[YQ2] lines", "one\n\n two \n", ["one", "two"]],
  [
    "[YQ2] a list without ticked entries",
    "# List\n- one\n  more\n- [x] two\n* [ ] three\n1. four\nend",
    ["one\n  more", "three", "four"],
  ],
  ["[YQ2] headings", "before\n# One\ntext\n\nmore\n## Two\n", ["One\ntext\n\nmore", "Two"]],
  [
    "[YQ2] a list of 500",
    Array.from({ length: 500 }, (_, n) => `- ${n}`).join("\r\n"),
    Array.from({ length: 500 }, (_, n) => `${n}`),
  ],
])("%s", (_rule, text, found) => {
  expect(splitRequests(text)).toEqual(found);
});

it("[YQ4] the time of the day is the next one, also over midnight and a change of summer time", () => {
  const at = (text: string, now: Date): readonly number[] => {
    const time = nextClockTime(text, now);
    return [time.getDate(), time.getHours(), time.getMinutes()];
  };
  expect(at("07:00", new Date(2026, 10, 18, 22, 30))).toEqual([19, 7, 0]);
  expect(at("23:00", new Date(2026, 10, 18, 22, 30))).toEqual([18, 23, 0]);
  expect(at("22:30", new Date(2026, 10, 18, 22, 30))).toEqual([19, 22, 30]);
  vi.stubEnv("TZ", "Europe/Berlin");
  onTestFinished(() => void vi.unstubAllEnvs());
  const hoursTo = (text: string, now: Date): number => (nextClockTime(text, now).getTime() - now.getTime()) / 3_600_000;
  expect(hoursTo("07:00", new Date("2026-03-28T23:00:00+01:00"))).toBe(7);
  expect(hoursTo("07:00", new Date("2026-10-24T23:00:00+02:00"))).toBe(9);
  // A time that this night does not have.
  expect(hoursTo("02:30", new Date("2026-03-29T00:30:00+01:00"))).toBe(2);
});

it("[YQ1, YQ3] requests are added, moved and removed; a key is used once", async () => {
  const cwd = treePlace();
  put(cwd, { "../home/list.md": "- b\n- c\n" });
  await queue(cwd, "add", "Fix", "a");
  await queue(cwd, "add", `@${join(cwd, "../home/list.md")}`, "--key", "list");
  const again = await queue(cwd, "add", `@${join(cwd, "../home/list.md")}`, "--key", "list", "--json");
  expect(JSON.parse(again.stdout)).toEqual({ added: 0, already: 2 });
  expect(await requests(cwd)).toEqual(["Fix a", "b", "c"]);
  await queue(cwd, "move", "3", "1");
  expect(await requests(cwd)).toEqual(["c", "Fix a", "b"]);
  await queue(cwd, "move", "1", "2");
  expect(await requests(cwd)).toEqual(["Fix a", "c", "b"]);
  await queue(cwd, "remove", "2");
  expect(await requests(cwd)).toEqual(["Fix a", "b"]);
  writeFileSync(join(cwd, ".pi/pi-materia/.queue/00000000-0000-0000-0000-000000000000.json"), "{");
  expect(await requests(cwd)).toEqual(["Fix a", "b"]);
});

it("[YQ1] a request is moved to the same place any number of times", async () => {
  const cwd = treePlace();
  for (const name of ["a", "b", "c"]) await queue(cwd, "add", name);
  for (let n = 0; n < 60; n += 1) await queue(cwd, "move", "3", "2");
  expect(await requests(cwd)).toEqual(["a", "b", "c"]);
});

it("[YQ1, YQ7] damaged and planted files of the queue stop nothing", async () => {
  const cwd = treePlace();
  await queue(cwd, "add", "one");
  const folder = join(cwd, ".pi/pi-materia/.queue");
  const [entry = ""] = readdirSync(folder);
  for (const name of ["run-7", `${randomUUID()}.json`, entry.replace(/json$/, "cast")]) mkdirSync(join(folder, name));
  symlinkSync("/etc/passwd", join(folder, `${randomUUID()}.json`));
  writeFileSync(join(folder, "run-8"), `{"pid":1`);
  await queue(cwd, "add", "two");
  const ran = await runAll(cwd, "--json");
  expect(JSON.parse(ran.stdout)).toMatchObject({
    left: 1,
    casts: [
      { request: "one", status: "refused" },
      { request: "two", status: "completed" },
    ],
  });
  expect(readdirSync(folder).filter((name) => name.endsWith(".draft"))).toEqual([]);
});

it.each<[rule: string, words: readonly string[], code: string]>([
  ["[YQ1] a number that the list has not", ["remove", "4"], "bad_number"],
  ["[YQ1] no number", ["move", "1"], "missing_word"],
  ["[YQ1] another word", ["clear"], "unknown_word"],
  ["[YQ3] an unknown loadout", ["add", "--loadout", "None", "x"], "unknown_target"],
  ["[YQ2] no request", ["add"], "missing_prompt"],
  ["[YQ4] a time that no clock shows", ["run", "--until", "25:00"], "bad_option"],
  ["[YQ4] nothing at once", ["run", "--at-once", "0"], "bad_option"],
  ["[YQ9] an unknown fleet", ["run", "--on", "team"], "unknown_fleet"],
])("%s is refused and leaves no trace", async (_rule, words, code) => {
  const cwd = treePlace();
  const before = listing(cwd);
  expect(await queue(cwd, ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(code) });
  expect(listing(cwd)).toEqual(before);
});

it("[YQ8] a background process runs the queue and survives the command", async () => {
  const cwd = treePlace();
  expect((await queue(cwd, "run", "--detach")).stdout).toContain("The queue is empty");
  setReplies(cwd, { Make: [{ error: "limit", resetMs: 3_600_000 }] });
  await queue(cwd, "add", "one");
  const started = await runAll(cwd, "--wait", "8h", "--detach", "--json");
  expect(JSON.parse(started.stdout)).toEqual({ pid: expect.any(Number), waiting: 1 });
  const { pid } = JSON.parse(started.stdout) as { pid: number };
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  expect(pid).not.toBe(process.pid);
  expect(await runAll(cwd, "--detach")).toMatchObject({ code: 2, stderr: expect.stringContaining("queue_running") });
  await until(async () => JSON.parse((await queue(cwd, "--json")).stdout)[0]?.status === "sleeping");
});

it("[YQ5] each request has a separate tree; one that fails does not stop the others", async () => {
  const cwd = treePlace();
  const before = viewWithoutCasts(cwd);
  await queue(cwd, "add", "one");
  await queue(cwd, "add", "two");
  setReplies(cwd, { Make: [] });
  const failed = await runAll(cwd, "--json");
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({
    stopped: "end",
    left: 0,
    casts: [{ status: "failed" }, { status: "failed" }],
  });
  setReplies(cwd, { Make: [writes({ "new.txt": "new\n" })] });
  await queue(cwd, "add", "three");
  await queue(cwd, "add", "four");
  expect(await runAll(cwd, "--at-once", "2")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("2 requests cast"),
  });
  expect(casts(cwd)).toHaveLength(4);
  expect(viewWithoutCasts(cwd)).toEqual(before);
  for (const castId of casts(cwd).slice(2)) {
    await materia(cwd, ["take", castId]);
    expect(branchOf(cwd, castId).names).toContain("new.txt");
  }
});

it("[YQ5] a limit of the provider leaves the rest of the queue as it is", async () => {
  const cwd = treePlace();
  setReplies(cwd, { Make: [{ error: "limit", resetMs: 3_600_000 }] });
  for (const name of ["one", "two", "three"]) await queue(cwd, "add", name);
  const ran = await runAll(cwd, "--json");
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
    75,
    { stopped: "limit", left: 3, casts: [{ status: "paused" }] },
  ]);
  expect(casts(cwd)).toHaveLength(1);
});

it("[YQ5] a cast that sleeps is said, with the time that is left", async () => {
  const cwd = treePlace();
  setReplies(cwd, { Make: [{ error: "limit", resetMs: 7_200_000 }] });
  await queue(cwd, "add", "one");
  const files = ["--config", join(cwd, "../home/materia.json"), "--rehearse", join(cwd, "../home/replies.json")];
  const terminal = openTerminal(["queue", "run", ...files, "--wait", "8h"], cwd);
  await terminal.until("sleeping", /limit, resets .*\((?:2 h|1 h 59 min)\)/);
  terminal.type("\u0003");
  expect(await terminal.exited).toBe(130);
});

it("[YQ4] nothing begins when the cost is spent", async () => {
  const cwd = treePlace();
  await queue(cwd, "add", "one");
  const ran = await runAll(cwd, "--cost", "0", "--json");
  expect(JSON.parse(ran.stdout)).toMatchObject({ casts: [], left: 1, stopped: "cost" });
});

it("[YQ6] a request that a killed process began is continued, and one without a cast begins", async () => {
  const cwd = treePlace();
  setReplies(cwd, { Make: [{ error: "limit", resetMs: 3_600_000 }, writes({ "new.txt": "new\n" })] });
  await queue(cwd, "add", "one", "--key", "k");
  expect((await runAll(cwd)).code).toBe(75);
  const [castId = ""] = casts(cwd);
  expect(await queue(cwd, "remove", "1")).toMatchObject({ code: 2, stderr: expect.stringContaining("request_begun") });
  const again = await runAll(cwd);
  expect(again).toMatchObject({ code: 0 });
  expect(casts(cwd)).toEqual([castId]);
  expect(journalOf(cwd, castId).at(-1)).toMatchObject({ type: "cast_ended", outcome: "completed" });
  expect(JSON.parse((await queue(cwd, "add", "one", "--key", "k", "--json")).stdout)).toEqual({ added: 0, already: 1 });

  setReplies(cwd, { Make: [writes({ "new.txt": "new\n" })] });
  await queue(cwd, "add", "two");
  const folder = join(cwd, ".pi/pi-materia/.queue");
  const [entry = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  writeFileSync(join(folder, entry.replace(/json$/, "cast")), `{"castId":"20260101-000000-aaaaaa"}`);
  expect((await runAll(cwd)).code).toBe(0);
  expect(casts(cwd)).toHaveLength(2);
  expect(await requests(cwd)).toEqual([]);
});

it("[YQ6] Ctrl-C and a kill leave the rest queued, and the next run continues", async () => {
  const cwd = treePlace();
  const runWith = (signal: string) => {
    const tools = [{ name: "bash", arguments: { command: `kill -${signal} $PPID; sleep 600` } }];
    setReplies(cwd, { Make: [{ tools, text: "Done." }] });
    const files = ["--config", join(cwd, "../home/materia.json"), "--rehearse", join(cwd, "../home/replies.json")];
    return runProcess(["queue", "run", ...files], { cwd });
  };
  const queued = async () => JSON.parse((await queue(cwd, "--json")).stdout);
  await queue(cwd, "add", "one");
  await queue(cwd, "add", "two");
  expect(await runWith("INT")).toMatchObject({ code: 130, stdout: expect.stringContaining("interrupted") });
  expect(await queued()).toMatchObject([{ request: "one", status: "interrupted" }, { request: "two" }]);
  expect((await runWith("KILL")).code).toBeNull();
  expect(await queued()).toMatchObject([{ request: "two", status: "interrupted" }]);
  // A killed visit begins again: these replies must not end the process of the tests.
  setReplies(cwd, { Make: [writes({ "new.txt": "new\n" })] });
  expect((await runAll(cwd)).code).toBe(0);
  expect(casts(cwd).map((castId) => journalOf(cwd, castId).at(-1))).toMatchObject([
    { type: "cast_ended", outcome: "completed" },
    { type: "cast_ended", outcome: "completed" },
  ]);
});

it("[YQ6] a request whose cast was pruned is not cast again", async () => {
  const cwd = treePlace();
  setReplies(cwd, { Make: [{ error: "limit", resetMs: 3_600_000 }] });
  await queue(cwd, "add", "one");
  expect((await runAll(cwd)).code).toBe(75);
  await materia(cwd, ["abort", casts(cwd)[0] ?? ""]);
  await materia(cwd, ["casts", "prune", "--keep", "0", "--yes"]);
  expect(casts(cwd)).toEqual([]);
  expect(await requests(cwd)).toEqual([]);
});

it("[YQ7] requests that are added while it runs are cast by it, at once where a place is free", async () => {
  const cwd = treePlace();
  const added = join(cwd, ".pi/pi-materia/.queue/00000000-0000-0000-0000-000000000000");
  const wait = `for n in $(seq 400); do [ -e ${added}.cast ] && touch seen.txt && break; sleep 0.05; done`;
  const tools = [
    { name: "bash", arguments: { command: `echo '{"request":"two","order":9}' > ${added}.json; ${wait}` } },
  ];
  setReplies(cwd, { Make: [{ tools, text: "Done." }] });
  await queue(cwd, "add", "one");
  expect(JSON.parse((await runAll(cwd, "--at-once", "2", "--trust", "--json")).stdout)).toMatchObject({
    left: 0,
    cost: 0,
  });
  const [first = "", second = ""] = casts(cwd);
  expect(second).not.toBe("");
  expect(existsSync(join(cwd, ".pi/pi-materia", first, "trees", first, "seen.txt"))).toBe(true);
});

it("[YQ7] a second run is refused while the first lives, and goes on when it was killed", async () => {
  const cwd = treePlace();
  await queue(cwd, "add", "one");
  const claim = join(cwd, ".pi/pi-materia/.queue/run-3");
  mkdirSync(join(cwd, ".pi/pi-materia/.queue"), { recursive: true });
  writeFileSync(claim, JSON.stringify(thisProcess()));
  expect(await runAll(cwd)).toMatchObject({ code: 2, stderr: expect.stringContaining("queue_running") });
  writeFileSync(claim, JSON.stringify({ ...thisProcess(), startedAt: "before" }));
  expect((await runAll(cwd)).code).toBe(0);
  expect(existsSync(claim)).toBe(false);
});

it("[YQ11] a request that came with the project, or was changed, is refused until it is trusted", async () => {
  const cwd = treePlace();
  const folder = join(cwd, ".pi/pi-materia/.queue");
  const entryNames = () => readdirSync(folder).filter((name) => name.endsWith(".json"));
  await queue(cwd, "add", "Fix", "a");
  const planted = { request: "Do evil", order: 0 };
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(planted));
  const first = await runAll(cwd);
  expect([first.code, casts(cwd).length]).toEqual([1, 1]);
  expect(first.stderr + first.stdout).toContain("this request was added elsewhere");
  expect(await requests(cwd)).toEqual(["Do evil"]);
  const [known] = entryNames();
  await queue(cwd, "add", "Fix", "b");
  const own = entryNames().find((name) => name !== known) ?? "";
  writeFileSync(join(folder, own), JSON.stringify({ request: "Do other", order: 1 }));
  await runAll(cwd);
  expect([casts(cwd).length, await requests(cwd)]).toEqual([1, ["Do evil", "Do other"]]);
  expect((await runAll(cwd, "--trust")).code).toBe(0);
  expect([casts(cwd).length, await requests(cwd)]).toEqual([3, []]);
});
