import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { newPlace } from "../harness/cli.ts";
import { begin, contents, goOn, onlyCast, subject, type Kill, type Life, type Subject } from "../harness/killed.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const demo = fileURLToPath(new URL("../../examples/demo", import.meta.url));

/** The demo's repository, and its replies without the pauses that are for people. */
function repository(): Subject {
  const cwd = newPlace();
  cpSync(join(demo, "seed"), cwd, { recursive: true });
  git(cwd, "init", "--quiet", "--initial-branch=main");
  for (const [key, value] of [
    ["user.name", "Test"],
    ["user.email", "test@example.invalid"],
    ["commit.gpgsign", "false"],
  ] as const)
    git(cwd, "config", key, value);
  git(cwd, "add", "--all");
  git(cwd, "commit", "--quiet", "--message", "A small project to work on");
  const rehearsal = join(cwd, "..", "rehearsal.json");
  writeFileSync(
    rehearsal,
    readFileSync(join(demo, "rehearsal.json"), "utf8").replaceAll(/"delayMs": \d+,?/g, '"delayMs": 0,'),
  );
  return subject(cwd, rehearsal);
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
}

/** What a person finds afterwards. */
function found({ workspace }: Subject, { end }: Life): object {
  const { cwd } = workspace.place;
  return {
    outcome: end?.state.phase.kind === "ended" && end.state.phase.outcome,
    visits: end?.state.visits,
    turns: end?.state.turns,
    done: end?.state.done,
    files: contents(cwd, /^\/\.(pi|git)\//),
    commits: git(cwd, "log", "--format=%s", "--stat"),
    left: git(cwd, "status", "--porcelain"),
  };
}

it(
  "[D1] the demo, killed at every append of its life and resumed each time, leaves the same repository",
  SWEEP,
  async () => {
    const whole = repository();
    const calm = await begin(whole);
    const one = repository();
    let life = await begin(one, { append: 1, where: "after" });
    const asked = [...life.asked];
    for (let lives = 1; life.end === undefined; lives += 1) {
      const kill: Kill = { append: sweepSize(29, 2), where: lives % 3 === 0 ? "hardly" : "after" };
      life = await goOn(one, kill);
      asked.push(...life.asked);
    }
    expect(found(one, life)).toEqual(found(whole, calm));
    expect(asked).toEqual(calm.asked);
    expect(onlyCast(one.workspace)).toMatch(/^\d{8}-/);
  },
);
