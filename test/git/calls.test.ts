import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { openCheckpointSession } from "../../src/shell/git/checkpoint-session.ts";
import { importPacks, createPack } from "../../src/shell/git/transfer/packs.ts";
import { git, newRepository, scratch } from "./scratch.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A `runDemoGit` that writes down what it is called for; the answer tells, each time, what was called since. */
function countedGit(): () => readonly string[] {
  const folder = scratch();
  const [called, program] = [join(folder, "called"), join(folder, "git")];
  // The first word that is no option and no value of one.
  const script = `for word do case $word in -c|*=*) ;; *) echo "$word" >> "${called}"; break;; esac; done`;
  writeFileSync(program, `#!/bin/sh\n${script}\nPATH=\${PATH#*${delimiter}} exec git "$@"\n`);
  chmodSync(program, 0o755);
  vi.stubEnv("PATH", `${folder}${delimiter}${process.env["PATH"] ?? ""}`);
  return () => {
    const words = readFileSync(called, "utf8").trim().split("\n");
    writeFileSync(called, "");
    return words;
  };
}

it("[Y11] an unchanged tree costs one call of git and a checkpoint six, after many checkpoints too", async () => {
  const cwd = newRepository();
  const calls = countedGit();
  const place = { castId: "cast-1", cwd, store: join(cwd, ".pi"), scratch: scratch(), now: () => new Date(0) };
  const checkpoints = openCheckpointSession(place);
  const begun = await checkpoints.takeFirst();
  let last = "commit" in begun ? begun.commit : "";
  calls();
  for (const round of [1, 2, 3]) {
    writeFileSync(join(cwd, "first.txt"), "changed\n".repeat(round));
    const taken = await checkpoints.take({ last, since: last, title: "Visit" });
    expect(taken).toMatchObject({ changed: 1 });
    expect(calls().toSorted()).toEqual([
      "commit-tree",
      "diff-tree",
      "ls-files",
      "update-index",
      "update-ref",
      "write-tree",
    ]);
    if (taken && "commit" in taken) ({ commit: last } = taken);
    expect(await checkpoints.take({ last, since: last, title: "Visit" })).toBeUndefined();
    expect(calls()).toEqual(["ls-files"]);
  }
  checkpoints.close();
});

/** Packs of commits that change one file, each built on the one before. */
async function packsOf(
  cwd: string,
  count: number,
): Promise<{ readonly packs: readonly Buffer[]; readonly last: string }> {
  const packs: Buffer[] = [];
  let last = "";
  for (let round = 0; round < count; round += 1) {
    writeFileSync(join(cwd, "first.txt"), `${"the same line\n".repeat(50)}${round}\n`);
    git(cwd, "commit", "-qam", `round ${round}`);
    const commit = git(cwd, "rev-parse", "HEAD");
    const packed = await createPack({ cwd, include: [commit], exclude: last === "" ? [] : [last], maxBytes: 1e9 });
    if (packed.kind === "failed") throw new Error(packed.problem);
    packs.push(packed.bytes);
    last = commit;
  }
  return { packs, last };
}

it("[B37] dependent packs are unpacked by one call of git, also with a shared object", async () => {
  const { packs, last } = await packsOf(newRepository(), 12);
  const [into, calls] = [scratch(), countedGit()];
  git(into, "init", "-q");
  calls();
  expect(await importPacks(into, packs)).toBeUndefined();
  expect(calls()).toEqual(["index-pack"]);
  expect(git(into, "show", `${last}:first.txt`)).toMatch(/11$/);
  expect(git(into, "fsck", "--strict", last)).toBe("");
  expect(git(into, "rev-list", "--count", last)).toBe("13");
  const again = scratch();
  git(again, "init", "-q");
  expect(await importPacks(again, [...packs, ...packs.slice(3, 5)])).toBeUndefined();
  expect(git(again, "fsck", "--strict", last)).toBe("");
});

it("[B37] a damaged pack is named, and the packs before it are unpacked", async () => {
  const { packs, last } = await packsOf(newRepository(), 6);
  const broken = packs.map((pack, index) =>
    index === 4 ? Buffer.concat([pack.subarray(0, -30), Buffer.alloc(30)]) : pack,
  );
  const into = scratch();
  git(into, "init", "-q");
  expect(await importPacks(into, broken)).toEqual({ index: 4, wrong: expect.stringMatching(/./) });
  expect(() => git(into, "cat-file", "-e", last)).toThrow("Command failed");
  // One that is sound in itself and has nothing to build on.
  const without = scratch();
  git(without, "init", "-q");
  expect(await importPacks(without, packs.slice(1))).toMatchObject({ index: 0 });
  expect(await importPacks(without, packs)).toBeUndefined();
  expect(git(without, "show", `${last}:first.txt`)).toMatch(/5$/);
});
