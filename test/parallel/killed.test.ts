import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { PROGRAM, castsIn, envOf, newPlace, run } from "../harness/cli.ts";
import {
  castIn,
  git,
  eventsOfType,
  repositoryWith,
  resumeIn,
  writeFiles,
  type ItemAction,
  type Ran,
  type Setting,
} from "./harness/repository.ts";
import { commitAll } from "../git/scratch.ts";
import { copied } from "../harness/copied.ts";
import { mortalGit, soundGit } from "../harness/mortal-git.ts";
import { parallelWorkshop } from "./harness/scenarios.ts";
import { SWEEP, sampleCases, sweepSize } from "../harness/sweep.ts";

const doing: ItemAction = {
  "WI-1": ({ cwd }) => writeFiles(cwd, { "same.txt": "one\n" }),
  "WI-2": ({ cwd }) => writeFiles(cwd, { "same.txt": "two\n", "zwei ü.txt": "2\n" }),
  "WI-2.2": ({ cwd }) => writeFiles(cwd, { "same.txt": "one\ntwo\n" }),
};

function found(cwd: string): object {
  const files = git(cwd, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0");
  return {
    files: files.map((name) => [name, name && readFileSync(join(cwd, name), "utf8")]),
    subjects: git(cwd, "log", "--format=%s", "--reverse").split("\n"),
    left: git(cwd, "status", "--porcelain"),
    trees: git(cwd, "worktree", "list").split("\n").length,
    names: git(cwd, "for-each-ref", "refs/materia-items"),
  };
}

/** Casts, and goes on as often as something stopped it. */
async function castThrough(setting: Setting): Promise<Ran> {
  let ran = await castIn(setting);
  for (let lives = 0; lives < 4 && !isDone(ran); lives += 1) ran = await resumeIn(setting, ran);
  return ran;
}

function isDone({ state: { phase } }: Ran): boolean {
  return phase.kind === "ended" && phase.outcome === "completed";
}

/** One call of this many is tried; 1 tries them all, which takes its time. */
const STRIDE = Number(process.env["MATERIA_KILLS_STRIDE"] ?? sweepSize(80, 10));

it(
  "[V12] a git that is killed, at any of its calls and in any moment of it, costs a resume and nothing else",
  SWEEP,
  async () => {
    const more = { materia: { Build: { tools: "coding", prompt: "Build." } } };
    const usual = { titles: ["a", "b", "c"], doing, more, details: { checkpoints: true } };
    const calm = repositoryWith({ "same.txt": "before\n" });
    const calls = mortalGit(0, "before");
    expect(isDone(await castThrough({ ...usual, cwd: calm }))).toBe(true);
    const all = calls();
    soundGit();
    const expected = found(calm);
    const kinds = ["before", "middle", "after"] as const;
    // A stride that meets every kind of call over the three kinds of death.
    for (let at = 2, round = 0; at <= all; at += STRIDE, round += 1) {
      const cwd = repositoryWith({ "same.txt": "before\n" });
      const when = kinds[round % kinds.length] ?? "before";
      mortalGit(at, when);
      const ran = await castThrough({ ...usual, cwd });
      soundGit();
      // A death at the questions before the fork means one item after another.
      const [forked] = await eventsOfType(ran, "loop_forked");
      if (forked?.base === null) continue;
      expect([isDone(ran), found(cwd)], `killed ${when} at call ${at} of ${all}`).toEqual([true, expected]);
    }
  },
);

const WRITE = (name: string, content: string) => ({ name: "write", arguments: { path: name, content } });

function place(): string {
  const cwd = newPlace();
  copied("place of killed casts", cwd, fill);
  return cwd;
}

function fill(cwd: string): void {
  const workItems = ["a", "b", "c"].map((title) => ({ title, context: "" }));
  const materia = { Build: { tools: "coding", prompt: "Build." } };
  writeFiles(cwd, {
    ".gitignore": ".pi/pi-materia/\n",
    ".pi/pi-materia.json": JSON.stringify({ activeLoadout: "Main", ...parallelWorkshop(3, { materia }) }),
    "replies.json": JSON.stringify({
      replies: {
        Plan: [{ json: { workItems } }],
        "Build@WI-1": [{ tools: [WRITE("same.txt", "one\n")], text: "one" }],
        "Build@WI-2": [{ tools: [WRITE("same.txt", "two\n")], text: "two" }],
        "Build@WI-2.2": [{ tools: [WRITE("same.txt", "one, two\n")], text: "both" }],
        "Build@WI-3": [{ tools: [WRITE("three.txt", "three\n")], text: "three" }],
        Eval: [{ json: { satisfied: true, context: "" } }],
        Tell: [{ text: "told" }],
      },
      onEmpty: "repeat-last",
    }),
  });
  commitAll(cwd);
}

/** Casts in a separate process, which is killed after so many events of its journal. */
function killedAfter(cwd: string, events: number): Promise<void> {
  return new Promise((resolve) => {
    const args = [PROGRAM, "cast", "--trust", "--json", "--rehearse", "replies.json", "do it"];
    const child = spawn(process.execPath, args, { cwd, env: envOf(cwd), stdio: ["ignore", "pipe", "ignore"] });
    let heard = 0;
    createInterface({ input: child.stdout }).on("line", () => {
      heard += 1;
      if (heard === events) child.kill("SIGKILL");
    });
    child.on("close", () => resolve());
  });
}

it(
  "[V12] a process that is killed while items are worked on, merged, mended and joined is resumed to the same files",
  SWEEP,
  async () => {
    for (const events of sampleCases([13, 8, 16, 20])) {
      const cwd = place();
      await killedAfter(cwd, events);
      const [castId = ""] = castsIn(cwd);
      await run(["recast", castId, "--rehearse", "replies.json"], { cwd });
      // The last events come so close together that a kill may find it at its end, where there is nothing to resume.
      const shown = await run(["status", castId, "--json"], { cwd });
      expect(JSON.parse(shown.stdout), `killed after ${events} events`).toMatchObject({ status: "completed" });
      expect(readFileSync(join(cwd, "same.txt"), "utf8")).toBe("one, two\n");
      expect(git(cwd, "log", "--format=%s", "--reverse").split("\n")).toEqual(["first", "a", "b", "c"]);
      expect([git(cwd, "status", "--porcelain"), git(cwd, "worktree", "list").split("\n").length]).toEqual(["", 1]);
    }
  },
);
