import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRepositoryFacts } from "../../src/shell/git/refs.ts";
import { git, newRepository, scratch } from "./scratch.ts";

it("[P13, P16] the branch, the commits since the cast began, oldest first, and the last ten subjects", async () => {
  const cwd = newRepository();
  const since = git(cwd, "rev-parse", "HEAD");
  for (let number = 1; number <= 11; number += 1) {
    writeFileSync(join(cwd, "first.txt"), `${number}\n`);
    git(cwd, "commit", "-qam", `Change ${number}`);
  }
  const facts = await readRepositoryFacts(cwd, since);
  expect(facts?.branch).toBe("main");
  expect(facts?.subjects).toEqual(Array.from({ length: 10 }, (_, at) => `Change ${11 - at}`));
  expect(facts?.made.map((line) => line.replace(/^[0-9a-f]{7,} /, ""))).toEqual(
    Array.from({ length: 11 }, (_, at) => `Change ${at + 1}`),
  );
  expect(facts?.uncommitted).toEqual([]);
  git(cwd, "checkout", "-q", "--detach");
  expect((await readRepositoryFacts(cwd, undefined))?.branch).toBeNull();
  expect((await readRepositoryFacts(cwd, "0".repeat(40)))?.made).toEqual([]);
});

it("[P13] the files that are not committed", async () => {
  const cwd = newRepository();
  writeFileSync(join(cwd, "first.txt"), "changed\n");
  writeFileSync(join(cwd, "a new one.txt"), "new\n");
  expect((await readRepositoryFacts(cwd, undefined))?.uncommitted).toEqual(["first.txt", '"a new one.txt"']);
});

it("[P13] without a repository nothing is known of it", async () => {
  expect(await readRepositoryFacts(scratch(), undefined)).toBeUndefined();
});
