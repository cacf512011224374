import { materia, repositoryPlace } from "../git/cast-place.ts";
import { join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../git/scratch.ts";
import { castsIn, put, runProcess } from "../harness/cli.ts";
import { branchOf, otherTrees, viewWithoutCasts } from "./tree-place.ts";
import { SWEEP, sweepSize } from "../harness/sweep.ts";

const NUMBERS = Array.from({ length: sweepSize(4, 10) }, (_, index) => index + 1);

/** Each cast appends its request to the same file, and commits it. */
const WRITE = [
  "sh",
  "-c",
  `cat > input; node -e 'console.log(JSON.parse(require("fs").readFileSync("input")).request)' >> first.txt; rm input`,
];

it("[YT3] casts at once in one repository share nothing and lose nothing", SWEEP, async () => {
  const one = { entry: "Socket-1", sockets: { "Socket-1": { materia: "Write" } } };
  const cwd = repositoryPlace(
    {},
    { materia: { Write: { type: "utility", command: WRITE } }, loadouts: { Small: one } },
  );
  const before = viewWithoutCasts(cwd);
  const config = ["--config", join(cwd, "../home/materia.json")];
  const ran = await Promise.all(
    NUMBERS.map((number) => runProcess([...config, "cast", "--worktree", "--quiet", `work ${number}`], { cwd })),
  );
  expect(ran.map(({ code }) => code)).toEqual(NUMBERS.map(() => 0));
  expect(viewWithoutCasts(cwd)).toEqual(before);
  const ids = castsIn(cwd);
  expect(otherTrees(cwd)).toHaveLength(NUMBERS.length);
  for (const id of ids) expect((await materia(cwd, ["take", id])).code).toBe(0);
  const texts = ids.map((id) => git(cwd, "show", `refs/heads/materia/${id}:first.txt`));
  expect(texts.toSorted()).toEqual(NUMBERS.map((number) => `first\nwork ${number}`).toSorted());
  expect(ids.map((id) => branchOf(cwd, id).subjects.length)).toEqual(NUMBERS.map(() => 1));
  expect(otherTrees(cwd)).toEqual([]);
});

it("[YT3] a cast in the person's tree does not keep others from separate trees", async () => {
  const single = (name: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia: name } } });
  const cwd = repositoryPlace();
  const program = join(import.meta.dirname, "../../bin/materia.mjs");
  const start = [
    process.execPath,
    program,
    "--config",
    join(cwd, "../home/materia.json"),
    "cast",
    "--loadout",
    "Inner",
  ];
  put(cwd, {
    "../home/materia.json": {
      materia: {
        Start: { type: "utility", command: [...start, "--worktree", "inner"] },
        Echo: { type: "utility", command: ["sh", "-c", "echo hi > hi.txt"] },
      },
      loadouts: { Outer: single("Start"), Inner: single("Echo") },
    },
  });
  expect((await materia(cwd, ["cast", "--loadout", "Outer", "outer"])).code).toBe(0);
  expect(castsIn(cwd)).toHaveLength(2);
});
