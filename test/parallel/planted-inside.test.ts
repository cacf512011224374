import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plantInnerRepository } from "../git/scratch.ts";
import { readRepositoryFacts } from "../../src/shell/git/refs.ts";
import { castIn, eventsOfType, repositoryWith } from "./harness/repository.ts";

it("[V47] no program of a repository that only the index names runs", async () => {
  const cwd = repositoryWith({ "first.txt": "one\n" });
  const trap = join(cwd, "..", `trap-inside-${process.pid}`);
  plantInnerRepository(cwd, trap);
  // What the prompt of an agent says of the repository.
  expect(await readRepositoryFacts(cwd, undefined)).toMatchObject({ uncommitted: ["inner"] });
  expect(existsSync(trap)).toBe(false);
  const ran = await castIn({ cwd, titles: ["a", "b"], details: { checkpoints: true } });
  const [forked] = await eventsOfType(ran, "loop_forked");
  expect(forked).toMatchObject({ base: null, reason: expect.stringContaining("inner") });
  expect([ran.state.phase, existsSync(trap)]).toMatchObject([{ outcome: "completed" }, false]);
});
