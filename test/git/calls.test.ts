import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { openCheckpoints } from "../../src/shell/git/cast-checkpoints.ts";
import { newRepository, scratch } from "./scratch.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A `git` that writes down what it is called for; the answer tells, each time, what was called since. */
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

it("[Y11] a look that finds nothing is one call of git and a checkpoint six, however many came before", async () => {
  const cwd = newRepository();
  const calls = countedGit();
  const place = { castId: "cast-1", cwd, store: join(cwd, ".pi"), scratch: scratch(), now: () => new Date(0) };
  const checkpoints = openCheckpoints(place);
  const begun = await checkpoints.begin();
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
