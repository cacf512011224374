import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { thisProcess, type ProcessIdentity } from "../../src/shell/process/process-identity.ts";
import { isFileLocked, takeFileLock, type FileLock } from "../../src/shell/store/files/claims.ts";
import { scratchFolder } from "../harness/agents.ts";
import { fullDisk, openFiles, withCalls } from "../harness/faulty-disk.ts";
import { claimIn, ownerIn } from "../harness/journals.ts";

/** A cast that this owner has claimed, and whose claim was written so many minutes ago. */
function claimedBy(owner: object, minutesAgo = 0): string {
  const runDir = scratchFolder();
  mkdirSync(join(runDir, "owner"));
  const file = join(runDir, "owner", "1.json");
  writeFileSync(file, JSON.stringify(owner));
  const then = Date.now() / 1000 - minutesAgo * 60;
  utimesSync(file, then, then);
  return runDir;
}

const dead = (): ProcessIdentity => ({ ...thisProcess(), pid: 2 ** 22 + 1 });
const isLinux = process.platform === "linux";

it.skipIf(!isLinux)("[D16] a dead owner blocks nobody because its host was renamed", async () => {
  expect((await claimIn(claimedBy({ ...dead(), host: "old-name" }))).kind).toBe("mine");
});

it.skipIf(!isLinux)("[D16] a live owner keeps its cast when its host is renamed", async () => {
  const owner = { ...thisProcess(), host: "old-name" };
  expect(await claimIn(claimedBy(owner))).toEqual({ kind: "theirs", owner });
});

/** A process that holds a cast, said to be of another pid namespace: nobody can look at it. */
async function elsewhere(runDir: string) {
  const source = `
    import { claimIn } from ${JSON.stringify(join(import.meta.dirname, "../harness/journals.ts"))};
    const mine = await claimIn(${JSON.stringify(runDir)});
    process.stdout.write(mine.kind + "\\n");
    setInterval(() => mine.kind, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(String((await once(child.stdout, "data"))[0]).trim()).toBe("mine");
  const owner = { ...thisProcess(), pid: 1, startedAt: "unseen", namespace: "pid:[1]", locked: true };
  writeFileSync(join(runDir, "owner", "1.json"), JSON.stringify(owner));
  return child;
}

it.skipIf(!isLinux)(
  "[D34] an owner in another pid namespace keeps its cast while it lives, paused or not",
  async () => {
    const runDir = scratchFolder();
    const child = await elsewhere(runDir);
    child.kill("SIGSTOP");
    // Long silent, as a paused one is: the lock says that it lives.
    utimesSync(join(runDir, "owner", "1.json"), 1, 1);
    expect([(await claimIn(runDir)).kind, ownerIn(runDir)?.namespace]).toEqual(["theirs", "pid:[1]"]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect([ownerIn(runDir), (await claimIn(runDir)).kind]).toEqual([undefined, "mine"]);
  },
);

const remote = { pid: 77, startedAt: "then", host: "elsewhere", boot: "another" };

it("[D35] an owner on another machine is dead after five minutes without a heartbeat, not before", async () => {
  expect((await claimIn(claimedBy(remote, 4))).kind).toBe("theirs");
  expect((await claimIn(claimedBy(remote, 6))).kind).toBe("mine");
});

const unseen = { ...thisProcess(), pid: 1, startedAt: "unseen", namespace: "pid:[1]" };

it.each<[rule: string, owner: object]>([
  ["[D35] an owner of another machine, whose lock does not count here", { ...remote, locked: true }],
  ["[D34] an owner in another container, without a lock", unseen],
])("%s, holds its cast by its signs of life", async (_rule, owner) => {
  const [fresh, silent] = [claimedBy(owner, 4), claimedBy(owner, 6)];
  expect([ownerIn(fresh) !== undefined, ownerIn(silent)]).toEqual([true, undefined]);
  expect([(await claimIn(fresh)).kind, (await claimIn(silent)).kind]).toEqual(["theirs", "mine"]);
});

it.skipIf(!isLinux)("[D34] without access to the lock of an owner in another container, heartbeats decide", () => {
  const owner = { ...unseen, locked: true };
  expect([ownerIn(claimedBy(owner, 4)) !== undefined, ownerIn(claimedBy(owner, 6))]).toEqual([true, undefined]);
});

it("[D35] a heartbeat sets the time of the claim; a released claim has none", async () => {
  const runDir = scratchFolder();
  const file = join(runDir, "owner", "1.json");
  const mine = await claimIn(runDir);
  if (mine.kind !== "mine") throw new Error(mine.kind);
  const content = readFileSync(file, "utf8");
  expect(JSON.parse(content)).toEqual({ ...thisProcess(), locked: true });
  utimesSync(file, 1, 1);
  mine.heartbeat();
  expect([statSync(file).mtimeMs > 60_000, readFileSync(file, "utf8")]).toEqual([true, content]);
  mine.release();
  mine.heartbeat();
  expect([readFileSync(file, "utf8"), mine.holdsClaim(), mine.isSuperseded()]).toEqual(["", false, true]);
});

it("[D28] of a cast whose files are gone nobody is the owner any more", async () => {
  const runDir = scratchFolder();
  const mine = await claimIn(runDir);
  if (mine.kind !== "mine") throw new Error(mine.kind);
  expect(mine.holdsClaim()).toBe(true);
  rmSync(runDir, { recursive: true });
  expect(mine.holdsClaim()).toBe(false);
  mine.release();
});

it("[J22] a cast that is locked and not yet claimed is waited for, and not for ever", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const runDir = claimedBy(dead());
  const taken = (): FileLock & { kind: "held" } => {
    const lock = takeFileLock(join(runDir, "owner", "lock"));
    if (lock.kind !== "held") throw new Error(lock.kind);
    return lock;
  };
  let lock = taken();
  const patient = claimIn(runDir);
  await vi.advanceTimersByTimeAsync(1_900);
  lock.release();
  await vi.advanceTimersByTimeAsync(10);
  const mine = await patient;
  expect(mine.kind).toBe("mine");
  if (mine.kind === "mine") mine.release();
  lock = taken();
  const vain = claimIn(runDir);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await vain).toEqual({ kind: "theirs", owner: undefined });
  lock.release();
});

it("[J22] a full disk refuses the cast with its reason, and keeps neither a draft nor the lock", async () => {
  const runDir = claimedBy(dead());
  const mend = withCalls(() => ({
    writeSync: () => {
      throw fullDisk();
    },
  }));
  const problem = "cannot claim the cast: the disk is full (ENOSPC)";
  expect(await claimIn(runDir)).toEqual({ kind: "failed", problem });
  mend();
  expect(readdirSync(join(runDir, "owner"))).toEqual(["1.json", "lock"]);
  expect((await claimIn(runDir)).kind).toBe("mine");
});

it.skipIf(!isLinux)("[J22] looking at locks, and signs of life, leave nothing open", async () => {
  const folder = scratchFolder();
  const [runDir, damaged, free] = ["cast", "damaged", "free"].map((each) => join(folder, each)) as [
    string,
    string,
    string,
  ]; // three
  writeFileSync(damaged, "no lock at all, and longer than the head of one. ".repeat(100));
  const mine = await claimIn(runDir);
  const warnings = (): unknown => Object.getOwnPropertyDescriptor(process, "emitWarning")?.value;
  const warn = warnings();
  const before = openFiles(folder);
  for (let turn = 0; turn < 3; turn += 1) {
    const lock = takeFileLock(free);
    if (lock.kind === "held") lock.release();
    expect(statSync(free).mode & 0o777).toBe(0o600);
    expect([lock.kind, isFileLocked(free), takeFileLock(damaged).kind, isFileLocked(damaged)]).toEqual([
      "held",
      false,
      "none",
      undefined,
    ]);
    if (mine.kind === "mine") mine.heartbeat();
    const other = await claimIn(join(folder, `other ${turn}`));
    if (other.kind === "mine") other.release();
  }
  expect([openFiles(folder), warnings()]).toEqual([before, warn]);
});

it("[D35] a local clock that is six minutes ahead does not count", async () => {
  const runDir = claimedBy(remote, 1);
  const { now } = Date;
  onTestFinished(() => void (Date.now = now));
  Date.now = () => now() + 6 * 60_000;
  expect((await claimIn(runDir)).kind).toBe("theirs");
});

it.each<[rule: string, number: string]>([
  ["[D14] beyond every number", "99999999999999999999"],
  ["[D14] that no number can count up from", "9007199254740993"],
])("%s: a claim that somebody made up blocks nobody", async (_rule, number) => {
  const runDir = claimedBy(dead());
  writeFileSync(join(runDir, "owner", `${number}.json`), JSON.stringify(thisProcess()));
  expect((await claimIn(runDir)).kind).toBe("mine");
});

it("[D14] where the numbers of claims are used up, that is said", async () => {
  const runDir = claimedBy(dead());
  writeFileSync(join(runDir, "owner", "999999999.json"), "");
  expect(await claimIn(runDir)).toMatchObject({ kind: "failed", problem: expect.stringContaining("used up") });
});
