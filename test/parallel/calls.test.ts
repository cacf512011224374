import { expect, it } from "vitest";
import { castIn, repositoryWith } from "./harness/repository.ts";
import { mortalGit, soundGit } from "../harness/mortal-git.ts";

const CODING = { Build: { tools: "coding", prompt: "Build." } };

/** How often git is called for so many items, each of which writes one file. */
async function callsFor(items: number): Promise<number> {
  const cwd = repositoryWith({ "first.txt": "one\n" });
  const calls = mortalGit(0, "before");
  const titles = Array.from({ length: items }, (_, at) => `item ${at + 1}`);
  const ran = await castIn({ cwd, titles, lanes: 1, more: { materia: CODING }, details: { checkpoints: true } });
  soundGit();
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  return calls();
}

it("[V24] an item whose tree is used again costs at most fourteen calls of git, for any number of items", async () => {
  const few = await callsFor(2);
  const many = await callsFor(10);
  expect((many - few) / 8).toBeLessThanOrEqual(14);
});
