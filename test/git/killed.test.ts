import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openCheckpointSession } from "../../src/shell/git/checkpoint-session.ts";
import { doom, said } from "../harness/doomed.ts";
import { castFile } from "../harness/cli.ts";
import { mortalGit, soundGit } from "../harness/mortal-git.ts";
import { journalOf, lastCast, materia, repositoryPlace, visitFiles } from "./cast-place.ts";
import { git, newRepository, personsView, scratch } from "./scratch.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

function locksIn(cwd: string): readonly string[] {
  return readdirSync(join(cwd, ".git"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock"));
}

/** What a person sees of a repository before anything has happened in it: the same in each. */
let before: readonly string[] = [];
beforeAll(() => {
  before = personsView(newRepository()).slice(1);
});

const UNHARMED = {
  counts: { changed: 2, added: 2, removed: 0, names: ["a.txt", "b.txt"] } as object,
  isHeld: true,
  locks: [] as readonly string[],
  isUntouched: true,
  isWhole: true,
};

/** Two checkpoints with a git that is killed on its way, then one with a sound git. */
async function survive(call: number, when: "before" | "after"): Promise<typeof UNHARMED> {
  const cwd = newRepository();
  const castId = "cast-1";
  const place = { castId, cwd, store: join(cwd, ".pi"), scratch: join(scratch(), "shadow"), now: () => new Date(0) };
  mortalGit(call, when);
  const checkpoints = openCheckpointSession(place);
  const begun = await checkpoints.takeFirst();
  writeFileSync(join(cwd, "a.txt"), "a\n");
  const base = "commit" in begun ? begun.commit : git(cwd, "rev-parse", "HEAD");
  const first = await checkpoints.take({ last: base, since: base, title: "first" });
  soundGit();
  const last = first && "commit" in first ? first.commit : base;
  writeFileSync(join(cwd, "b.txt"), "b\n");
  const second = await checkpoints.take({ last, since: base, title: "second" });
  checkpoints.close();
  const { commit = "", ...counts } = second && "commit" in second ? second : {};
  return {
    counts,
    isHeld: git(cwd, "rev-parse", "refs/materia/cast-1") === commit,
    locks: locksIn(cwd),
    isUntouched: JSON.stringify(personsView(cwd).slice(1)) === JSON.stringify(before),
    isWhole: !git(cwd, "fsck", "--connectivity-only").includes("missing"),
  };
}

describe("[Y4] git that is killed at any step leaves nothing behind", () => {
  const calls = sampleCases(
    Array.from({ length: 20 }, (_, index) => index + 1),
    2,
  );
  it.each(calls)("[Y4] before call %i", SWEEP, async (call) => {
    expect(await survive(call, "before")).toEqual(UNHARMED);
  });
  it.each(calls)("[Y4] when call %i has done its work", SWEEP, async (call) => {
    expect(await survive(call, "after")).toEqual(UNHARMED);
  });
});

describe("[Y5] a turn that was cut off goes on from what it had done", () => {
  it("[Y5] a cast killed in the middle of a turn has the files that its tools wrote", async () => {
    const tools = [
      { name: "write", arguments: { path: "half.txt", content: "half\n" } },
      { name: "bash", arguments: { command: "touch ../waits; while [ ! -e ../go ]; do sleep 0.05; done" } },
    ];
    const cwd = repositoryPlace({ Make: [{ tools, text: "Whole." }], Look: [{ json: { satisfied: true } }] });
    const before = personsView(cwd).slice(1);
    const config = join(cwd, "../home/materia.json");
    const doomed = doom(cwd, "--config", config, "cast", "--rehearse", join(cwd, "../home/replies.json"), "do it");
    await said(join(cwd, "..", "waits"), "");
    await said(castFile(cwd, lastCast(cwd), "journal.jsonl"), '"checkpoint_taken"');
    doomed.signal("SIGKILL");
    await doomed.exited;
    expect(locksIn(cwd)).toEqual([]);
    expect(personsView(cwd).slice(1)).toEqual(before);
    const taken = journalOf(cwd).find(({ type }) => type === "checkpoint_taken");
    expect(taken).toMatchObject({ files: { changed: 1, added: 1 } });
    writeFileSync(join(cwd, "..", "go"), "");
    writeFileSync(join(cwd, "by-hand.txt"), "meanwhile\n");
    const again = await materia(cwd, ["recast", lastCast(cwd)]);
    expect(again.code).toBe(0);
    expect(visitFiles(journalOf(cwd))[0]).toMatchObject({ changed: 2 });
    const prompt = readFileSync(castFile(cwd, lastCast(cwd), "sockets", "Socket-1", "1", "prompt.md"), "utf8");
    expect(prompt).toContain("Files that changed since then:\n- by-hand.txt");
    expect(readdirSync(castFile(cwd, lastCast(cwd), "owner"))).not.toContain("scratch");
  });
});
