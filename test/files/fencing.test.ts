import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { thisProcess } from "../../src/shell/process/process-owner.ts";
import type { Owner } from "../../src/shell/process/process-owner.ts";
import { scratchFolder } from "../harness/agents.ts";
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

const dead = (): Owner => ({ ...thisProcess(), pid: 2 ** 22 + 1 });
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
  "[D16] an owner in another pid namespace keeps its cast while it lives, paused or not",
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

it("[D16] an owner on another machine counts as gone after five silent minutes, and not before", async () => {
  expect((await claimIn(claimedBy(remote, 4))).kind).toBe("theirs");
  expect((await claimIn(claimedBy(remote, 6))).kind).toBe("mine");
});

it("[D16] a clock of ours that is six minutes ahead takes nothing from it", async () => {
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
