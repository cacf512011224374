import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { isAlive, thisProcess, type ProcessIdentity } from "../../src/shell/process/process-identity.ts";
import { scratchFolder } from "../harness/agents.ts";
import { claimIn, ownerIn } from "../harness/journals.ts";

/** A cast's folder with these claims, the oldest first. */
function claimed(...claims: readonly unknown[]): string {
  const runDir = scratchFolder();
  mkdirSync(join(runDir, "owner"));
  claims.forEach((content, index) =>
    writeFileSync(
      join(runDir, "owner", `${index + 1}.json`),
      typeof content === "string" ? content : JSON.stringify(content),
    ),
  );
  return runDir;
}

function deadOwner(): ProcessIdentity {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  return { pid, startedAt: thisProcess().startedAt, host: hostname() };
}

it("[J22] a cast belongs to one process, and the refusal of a second names it", async () => {
  const runDir = scratchFolder();
  expect(ownerIn(runDir)).toBeUndefined();
  const first = await claimIn(runDir);
  expect([first.kind, ownerIn(runDir)]).toEqual(["mine", thisProcess()]);
  expect(await claimIn(runDir)).toEqual({ kind: "theirs", owner: thisProcess() });
});

it("[J22] what was let go can be taken again, and again", async () => {
  const runDir = scratchFolder();
  for (let round = 0; round < 3; round += 1) {
    const mine = await claimIn(runDir);
    expect(mine.kind).toBe("mine");
    if (mine.kind === "mine") mine.release();
    expect(ownerIn(runDir)).toBeUndefined();
  }
});

it("[J22] a late release does not free what somebody else has taken", async () => {
  const runDir = scratchFolder();
  const first = await claimIn(runDir);
  if (first.kind === "mine") first.release();
  await claimIn(runDir);
  if (first.kind === "mine") first.release();
  expect(ownerIn(runDir)).toEqual(thisProcess());
});

it.each<[rule: string, owner: () => unknown]>([
  ["[J21] a process that is gone", deadOwner],
  ["[J21] a later process with the same number", () => ({ ...thisProcess(), startedAt: "long ago" })],
  ["[J21] a claim that was torn", () => '{"pid":'],
  ["[J21] a claim of another shape", () => ({ pid: "1" })],
  ["[J21] a claim for no process", () => ({ ...thisProcess(), pid: 0 })],
])("%s owns nothing", async (_rule, owner) => {
  const runDir = claimed(owner());
  expect(ownerIn(runDir)).toBeUndefined();
  expect((await claimIn(runDir)).kind).toBe("mine");
  expect(ownerIn(runDir)).toEqual(thisProcess());
});

it("[J22] only the last claim counts", async () => {
  const dead = deadOwner();
  expect(ownerIn(claimed(thisProcess(), dead))).toBeUndefined();
  expect(ownerIn(claimed(dead, thisProcess()))).toEqual(thisProcess());
  const nine = Array.from({ length: 9 }, () => dead);
  expect(ownerIn(claimed(...nine, thisProcess()))).toEqual(thisProcess());
});

it("[J22] a claim leaves nothing half-made behind", async () => {
  const runDir = scratchFolder();
  await claimIn(runDir);
  await claimIn(runDir);
  expect(readdirSync(join(runDir, "owner"))).toEqual(["1.json", "lock"]);
});

it("[J22] of many processes that try at once exactly one gets the cast", async () => {
  const runDir = scratchFolder();
  const source = `
    import { claimIn } from ${JSON.stringify(join(import.meta.dirname, "../harness/journals.ts"))};
    process.stdout.write((await claimIn(${JSON.stringify(runDir)})).kind + "\\n");
    setInterval(() => {}, 1000);
  `;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  onTestFinished(() => children.forEach((child) => child.kill("SIGKILL")));
  const answers = await Promise.all(
    children.map(async (child) => String((await once(child.stdout, "data"))[0]).trim()),
  );
  expect(answers.toSorted()).toEqual(["mine", "theirs", "theirs", "theirs", "theirs", "theirs"]);
  expect(children.map((child) => child.pid)).toContain(ownerIn(runDir)?.pid);
});

it.skipIf(process.platform !== "linux")(
  "[J21] a process that has ended and that nobody has collected is gone",
  async () => {
    const source = `
    import { thisProcess } from ${JSON.stringify(join(import.meta.dirname, "../../src/shell/process/process-identity.ts"))};
    process.stdout.write(JSON.stringify(thisProcess()));
  `;
    // `sleep` never collects the child that it inherits from the shell.
    const script = '"$0" --input-type=module -e "$1" & exec sleep 1000 > /dev/null';
    const parent = spawn("sh", ["-c", script, process.execPath, source], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const owner = JSON.parse(await text(parent.stdout)) as ProcessIdentity; // what thisProcess gave
    while (isAlive(owner)) await setImmediate();
    expect(existsSync(`/proc/${owner.pid}`)).toBe(true);
  },
);
