import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { UtilityOutcome, UtilityRequest } from "../../src/shell/ports.ts";
import { runUtility, runSetupCommand } from "../../src/shell/run/run-utility.ts";
import { gone, runs, until, utility } from "../harness/utility.ts";

const MEBIBYTE = 1024 * 1024;
const GRACE_MS = 1000;

// Time stands still until a test moves it: none hopes that a program is ready, or done, within so many milliseconds.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

type PreparedUtility = ReturnType<typeof utility>;
type End = (prepared: PreparedUtility) => void;

const timeOut: End = ({ request }) => vi.advanceTimersByTime(request.materia.timeoutMs ?? 30_000);
const abort: End = (prepared) => prepared.abort();

const WAYS: readonly [how: string, end: End, told: string][] = [
  ["by its time-out", timeOut, "took longer than its timeoutMs of 3600000 and was ended"],
  ["by an abort", abort, "was ended because the cast was aborted"],
];

/** A program that would never end, ended when it has written `ready`. */
async function endWhenReady(prepared: PreparedUtility, end: End): Promise<UtilityOutcome> {
  const outcome = runUtility(prepared.request);
  await prepared.written("ready");
  end(prepared);
  return settle(outcome);
}

function endless(source: string, input: UtilityRequest["input"] = {}): PreparedUtility {
  return utility(`${source}\nforever();`, { input, timeoutMs: 3_600_000 });
}

/** Lets time pass until the answer is there; no timer outlives it. */
async function settle<T>(outcome: Promise<T>): Promise<T> {
  const settled = await Promise.race([outcome, sleep(5)]);
  if (!settled) return vi.advanceTimersByTimeAsync(10).then(() => settle(outcome));
  expect(vi.getTimerCount()).toBe(0);
  return settled;
}

describe.each(WAYS)("[U6] a utility ended %s", (_how, end, told) => {
  const failed = { kind: "failed", reason: expect.stringContaining(told) };

  it.runIf(process.platform === "linux")("[D37] a grandchild in a separate session is ended, too", async () => {
    const child = `grandchild('write("ready", String(process.pid)); forever();', { detached: true, stdio: "ignore" }).unref();`;
    const prepared = endless(child);
    const request = { ...prepared.request, secret: "0123456789abcdef" };
    expect(await endWhenReady({ ...prepared, request }, end)).toMatchObject(failed);
    await gone(await prepared.written("ready"));
  });

  it("[U6] says so, with what it had said, and leaves nothing behind", async () => {
    const prepared = endless(
      `process.stdout.write("half"); process.stderr.write("waiting for a lock", () => write("ready"));`,
    );
    const reason = expect.stringMatching(new RegExp(`^\`.* utility.mjs\` ${told}: waiting for a lock$`));
    const outcome = await endWhenReady(prepared, end);
    expect(outcome).toEqual({ kind: "failed", reason, stdout: "half", stderr: "waiting for a lock" });
    expect(getEventListeners(prepared.request.signal, "abort")).toEqual([]);
  });

  it("[Q1] has not answered where it is a gate", async () => {
    const source = `process.stderr.write("waiting for a lock", () => write("ready")); forever();`;
    const outcome = await endWhenReady(utility(source, { gate: true, timeoutMs: 3_600_000 }), end);
    const reason = expect.stringContaining(`${told}: waiting for a lock`);
    expect(outcome).toEqual({ kind: "failed", reason, stdout: "waiting for a lock", stderr: "" });
  });

  it("[U6] takes its grandchildren with it, though they hold its pipes", async () => {
    const prepared = endless(`
      const older = grandchild("forever()");
      const younger = grandchild("write('youngest', String(grandchild('forever()').pid)); forever()");
      while (!existsSync("youngest")) await new Promise((resolve) => setTimeout(resolve, 5));
      write("ready", [process.pid, older.pid, younger.pid, readFileSync("youngest")].join(" "));`);
    expect(await endWhenReady(prepared, end)).toMatchObject(failed);
    for (const pid of (await prepared.written("ready")).split(" ")) await gone(pid);
  });

  it("[U6] has time to clean up, and so has its grandchild after it", async () => {
    const tidyUp = "setTimeout(() => { write('tidy'); process.exit(); }, 50)";
    const prepared = endless(`grandchild("process.on('SIGTERM', () => ${tidyUp}); forever(); write('ready')");`);
    const outcome = runUtility(prepared.request);
    await prepared.written("ready");
    end(prepared);
    await prepared.written("tidy");
    expect(await settle(outcome)).toMatchObject(failed);
  });

  it("[U6] is forced when it does not listen", async () => {
    const prepared = endless(`process.on("SIGTERM", () => write("asked")); write("ready", String(process.pid));`);
    const outcome = runUtility(prepared.request);
    const pid = await prepared.written("ready");
    end(prepared);
    await prepared.written("asked");
    expect(runs(Number(pid))).toBe(true);
    await vi.advanceTimersByTimeAsync(GRACE_MS);
    await gone(pid);
    expect(await settle(outcome)).toMatchObject(failed);
  });

  it("[U8] has not read its input", async () => {
    const prepared = endless(`write("ready");`, { state: "x".repeat(5 * MEBIBYTE) });
    expect(await endWhenReady(prepared, end)).toMatchObject(failed);
  });

  it("[U9] printed without end", async () => {
    const prepared = endless(`
      const line = "x".repeat(65536);
      let printed = 0;
      const print = () => process.stdout.write(line, () => {
        printed += line.length;
        if (printed === ${4 * MEBIBYTE}) write("ready");
        process.stderr.write(line, print);
      });
      print();`);
    const outcome = await endWhenReady(prepared, end);
    expect(outcome).toMatchObject(failed);
    expect([outcome.stdout.length, outcome.stderr.length]).toEqual([MEBIBYTE, MEBIBYTE]);
  });
});

it("[U6] the time-out is 30 seconds unless set", async () => {
  const prepared = utility(`write("ready"); forever();`);
  const outcome = runUtility(prepared.request);
  await prepared.written("ready");
  await vi.advanceTimersByTimeAsync(29_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await settle(outcome)).toMatchObject({ reason: expect.stringContaining("its timeoutMs of 30000 ") });
});

it.each(["setup", "worktree.setup"] as const)(
  "[V27] %s has 20 minutes, and the reason says so with a fix",
  async (setting) => {
    const { request, written } = utility(`console.error("fetching"); write("ready"); forever();`);
    const { cwd, signal, materia } = request;
    const problem = runSetupCommand({ setting, command: materia.command ?? [], cwd, signal });
    await written("ready");
    await vi.advanceTimersByTimeAsync(20 * 60_000 - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await settle(problem)).toContain(
      ` took longer than 20 minutes, the most for any setup (let ${setting} do less, or find what it fetches in a cache), and was ended: fetching`,
    );
  },
);

it("[U6] a time-out counts even when the program then exits with code 0", async () => {
  const prepared = endless(`process.on("SIGTERM", () => process.exit(0)); write("ready");`);
  expect(await endWhenReady(prepared, timeOut)).toMatchObject({ kind: "failed" });
});

it("[U6] nothing is started after an abort", async () => {
  const { request, abort, exists } = utility(`write("started")`);
  abort();
  const reason = expect.stringMatching(/ was not started because the cast was aborted$/);
  expect(await runUtility(request)).toEqual({ kind: "failed", reason, stdout: "", stderr: "" });
  expect(exists("started")).toBe(false);
});

const leaveBehind = (options: string) => `
  const child = grandchild("forever()", ${options});
  write("pid", String(child.pid));
  process.stdout.write("x".repeat(150_000), () => process.exit(0));`;

describe("a utility that exits before its grandchild", () => {
  const whole = { kind: "exited", stdout: "x".repeat(150_000), stdoutCut: false, stderr: "" };

  it.each([
    ["[U6] is not kept waiting, loses nothing, and the grandchild is ended", "{}"],
    ["[U6] as does one that holds no pipe", `{ stdio: "ignore" }`],
  ])("%s", async (_rule, options) => {
    const { request, written } = utility(leaveBehind(options));
    expect(await settle(runUtility(request))).toEqual(whole);
    await gone(await written("pid"));
    expect(getEventListeners(request.signal, "abort")).toEqual([]);
  });

  it("[U6] is not kept waiting by one that left the group", async () => {
    const { request, written } = utility(leaveBehind("{ detached: true }"));
    const before = openPipes();
    expect(await settle(runUtility(request))).toEqual(whole);
    const pid = Number(await written("pid"));
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    await until(() => openPipes() === before, "its pipes are still open");
    expect(runs(pid)).toBe(true);
  });
});

function openPipes(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "PipeWrap").length;
}
