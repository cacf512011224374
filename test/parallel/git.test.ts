import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitAll, personsView } from "../git/scratch.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";
import {
  castIn,
  git,
  eventsOfType,
  repositoryWith,
  resumeIn,
  writeFiles,
  type ItemAction,
  type Ran,
} from "./harness/repository.ts";
import { withFullDisk } from "./harness/full-disk.ts";

const LINES = "one\ntwo\nthree\nfour\nfive\n";
const read = (cwd: string, name: string): string => readFileSync(join(cwd, name), "utf8");
const subjects = (cwd: string): readonly string[] => git(cwd, "log", "--format=%s", "--reverse").split("\n");
const edits =
  (name: string, from: string, to: string): ItemAction[string] =>
  ({ cwd }) =>
    writeFileSync(join(cwd, name), read(cwd, name).replace(from, to));

it("[V32] the branch moves once, with the items in list order; our trees and refs are gone, and the files are clean", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const seen: (readonly string[])[] = [];
  const before = personsView(cwd);
  const doing: ItemAction = {
    "WI-1": (request) => {
      seen.push(personsView(cwd));
      writeFiles(request.cwd, { "a b\tü.txt": "one\n" });
    },
    "WI-3": (request) => {
      seen.push(personsView(cwd));
      rmSync(join(request.cwd, "first.txt"));
    },
  };
  const ran = await castIn({ cwd, titles: ["first", "second", "third"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(seen).toEqual([before, before]);
  expect(subjects(cwd)).toEqual(["first", "first", "second", "third"]);
  expect(git(cwd, "status", "--porcelain")).toBe("");
  expect(git(cwd, "worktree", "list").split("\n")).toHaveLength(1);
  expect(git(cwd, "for-each-ref", "refs/materia-items")).toBe("");
  expect([existsSync(join(cwd, "first.txt")), read(cwd, "a b\tü.txt"), read(cwd, "WI-2.txt")]).toEqual([
    false,
    "one\n",
    "WI-2\n",
  ]);
});

it("[V7] any number of lanes gives the same commits", async () => {
  const dates = "2026-01-02T03:04:05Z";
  const doing: ItemAction = Object.fromEntries(
    ["WI-1", "WI-2", "WI-3", "WI-4"].map((key) => [
      key,
      ({ cwd }) => {
        writeFiles(cwd, { [`${key}.txt`]: key });
        git(cwd, "add", "-A");
        git(cwd, "-c", "user.name=x", "commit", "-qm", key, "--date", dates);
      },
    ]),
  );
  const trees = [];
  for (const lanes of [1, 4]) {
    const cwd = repositoryWith({ "first.txt": LINES });
    await castIn({ cwd, titles: ["a", "b", "c", "d"], doing, lanes, after: { 4: [1] } });
    trees.push([git(cwd, "rev-parse", "HEAD^{tree}"), subjects(cwd)]);
  }
  expect(trees[0]).toEqual(trees[1]);
  expect(trees[0]?.[1]).toEqual(["first", "WI-1", "WI-2", "WI-3", "WI-4"]);
});

it("[V28] an item has the work of the items that it names, and of no other", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const found: (readonly string[])[] = [];
  const doing: ItemAction = {
    "WI-3": (request) => void found.push(readdirSync(request.cwd).filter((name) => name.startsWith("WI-"))),
    "WI-4": (request) => void found.push(readdirSync(request.cwd).filter((name) => name.startsWith("WI-"))),
  };
  await castIn({ cwd, titles: ["a", "b", "c", "d"], doing, lanes: 1, after: { 3: [1] } });
  expect(found).toEqual([["WI-1.txt"], []]);
});

it("[V9, V36, V52] a conflict is mended on the merged files; the reason names the file and its first lines", async () => {
  const cwd = repositoryWith({ "same.txt": LINES });
  const told: string[] = [];
  const doing: ItemAction = {
    "WI-1": edits("same.txt", "one", "ONE"),
    "WI-2": edits("same.txt", "one", "uno"),
    "WI-2.2": (request) => {
      told.push(request.prompt, read(request.cwd, "same.txt"));
      writeFiles(request.cwd, { "same.txt": LINES.replace("one", "ONE uno") });
    },
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(read(cwd, "same.txt")).toBe(LINES.replace("one", "ONE uno"));
  expect(told[0]).toMatch(/same\.txt:\n\s*<<<<<<< /);
  expect(told[0]).toContain("The work on this item was accepted. Only merging is left");
  expect(told[0]).toContain('Merged items that changed files in conflict:\n- WI-1 "a": same.txt');
  expect(told[1]).toContain("=======\nuno\n>>>>>>> ");
});

/** Commits everything in the tree of an item, as its committer does. */
function commitAs(cwd: string, author: string, message: string): void {
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", message, "--author", `${author} <${author.toLowerCase()}@example.org>`);
}

it("[V53] a conflict round without a committer keeps the message, the author and the trailers of the commit before", async () => {
  const cwd = repositoryWith({ "same.txt": LINES });
  const message = "Say uno\n\nThe first line was English.\n\nRefs: #7";
  const doing: ItemAction = {
    "WI-1": edits("same.txt", "one", "ONE"),
    "WI-2": (request) => {
      edits("same.txt", "one", "uno")(request);
      commitAs(request.cwd, "Ada", message);
    },
    "WI-2.2": ({ cwd: tree }) => writeFiles(tree, { "same.txt": LINES.replace("one", "ONE uno") }),
  };
  await castIn({ cwd, titles: ["a", "b"], doing });
  expect(git(cwd, "log", "-1", "--format=%an%n%B")).toBe(`Ada\n${message}`);
  expect(subjects(cwd)).toEqual(["first", "a", "Say uno"]);
});

it("[V53] several commits become one with the item's title, their messages, and their trailers and authors last", async () => {
  const cwd = repositoryWith({ "same.txt": LINES });
  const doing: ItemAction = {
    "WI-1": edits("same.txt", "one", "ONE"),
    "WI-2": (request) => {
      edits("same.txt", "one", "uno")(request);
      commitAs(request.cwd, "Ada", "Say uno\n\nRefs: #7");
      edits("same.txt", "two", "dos")(request);
      commitAs(request.cwd, "Bea", "Say dos\n\nBoth are Spanish.\n\nRefs: #7\nTested: yes");
      writeFiles(request.cwd, { "rest.txt": "not committed" });
    },
    "WI-2.2": ({ cwd: tree }) => writeFiles(tree, { "same.txt": LINES.replace("one", "ONE uno") }),
  };
  await castIn({ cwd, titles: ["a", "b"], doing });
  expect(git(cwd, "log", "-1", "--format=%an%n%B")).toBe(
    "Bea\nb\n\nSay uno\n\nSay dos\n\nBoth are Spanish.\n\nRefs: #7\nTested: yes\nCo-authored-by: Ada <ada@example.org>",
  );
});

it("[V36] remaining marks are the next conflict, and conflicts without marks are described in words", async () => {
  const cwd = repositoryWith({ "same.txt": LINES, "gone.txt": LINES });
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => rmSync(join(tree, "gone.txt")),
    "WI-2": edits("gone.txt", "one", "uno"),
    "WI-2.2": ({ cwd: tree }) => rmSync(join(tree, "gone.txt"), { force: true }),
    "WI-3": edits("same.txt", "one", "tres"),
    "WI-4": edits("same.txt", "one", "cuatro"),
    "WI-4.2": () => undefined,
    "WI-4.3": edits("same.txt", read(cwd, "same.txt"), LINES),
  };
  const config = { limits: { maxConflicts: 1 } };
  const ran = await castIn({ cwd, titles: ["a", "b", "c", "d"], doing, more: config });
  const conflicts = await eventsOfType(ran, "item_conflicted");
  expect(conflicts.map(({ index, round, files }) => [index, round, files])).toEqual([
    [1, 1, ["gone.txt"]],
    [3, 1, ["same.txt"]],
    [3, 2, ["same.txt"]],
  ]);
  expect(conflicts[0]?.reason).toContain("CONFLICT (modify/delete)");
  // The loop gives items up, so its work is left out; it stays under its own name.
  expect(ran.state.phase).toMatchObject({ outcome: "not_satisfied" });
  expect(git(cwd, "for-each-ref", "--format=%(refname)", "refs/materia-items")).toBe(
    `refs/materia-items/${ran.castId}/${ran.castId}_1_WI-4_2`,
  );
});

it.each<[what: string, prepare: (cwd: string) => void, why: string]>([
  [
    "a dirty tree",
    (cwd) => writeFiles(cwd, { "first.txt": "mine\n", "other file.txt": "x" }),
    "uncommitted changes: first.txt and 1 more",
  ],
  ["a merge in progress", (cwd) => writeFileSync(join(cwd, ".git", "MERGE_HEAD"), "x"), "a merge is in progress"],
  [
    "submodules",
    (cwd) => (writeFiles(cwd, { ".gitmodules": "" }), git(cwd, "add", "-A"), git(cwd, "commit", "-qm", "x")),
    "submodules",
  ],
  [
    "a repository inside that nothing names",
    (cwd) => {
      mkdirSync(join(cwd, "inner"));
      writeFiles(cwd, { "inner/file.txt": "x" });
      commitAll(join(cwd, "inner"));
      git(cwd, "add", "-A");
      git(cwd, "commit", "-qm", "x");
    },
    "submodules",
  ],
  [
    "jj beside git, with no branch checked out as jj leaves it",
    (cwd) => {
      mkdirSync(join(cwd, ".jj"));
      writeFiles(cwd, { ".jj/.gitignore": "/*\n" });
      git(cwd, "checkout", "-q", "--detach");
    },
    "the repository is one of jj, whose workspaces",
  ],
  [
    "jj alone",
    (cwd) => (rmSync(join(cwd, ".git"), { recursive: true }), mkdirSync(join(cwd, ".jj"))),
    "the repository is one of jj alone",
  ],
  ["no repository", (cwd) => rmSync(join(cwd, ".git"), { recursive: true }), "no git repository"],
  ["no commit", (cwd) => (rmSync(join(cwd, ".git"), { recursive: true }), git(cwd, "init", "-q")), "no commit yet"],
])("[V16] with %s items are worked on one by one, and the reason is said", async (_what, prepare, why) => {
  const cwd = repositoryWith({ "first.txt": LINES });
  prepare(cwd);
  const ran = await castIn({ cwd, titles: ["a", "b"] });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(await eventsOfType(ran, "loop_forked")).toMatchObject([{ base: null, reason: expect.stringContaining(why) }]);
  expect([read(cwd, "WI-1.txt"), read(cwd, "WI-2.txt")]).toEqual(["WI-1\n", "WI-2\n"]);
});

it("[V16] files in the folder of casts that is not ignored do not count as changes, and a detached HEAD goes forward", async () => {
  const cwd = repositoryWith({ ".gitignore": "nothing\n", "sub/first.txt": LINES });
  git(cwd, "checkout", "-q", "--detach");
  const ran = await castIn({ cwd: join(cwd, "sub"), casts: join(cwd, "sub", "casts here"), titles: ["a", "b"] });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(git(cwd, "rev-list", "--count", "main..HEAD")).toBe("2");
  expect(read(cwd, "sub/WI-2.txt")).toBe("WI-2\n");
});

it.each<[what: string, doing: (cwd: string) => void]>([
  ["commits", (cwd) => (git(cwd, "add", "-A"), git(cwd, "commit", "-qm", "mine"))],
  ["resets behind its base", (cwd) => git(cwd, "reset", "-q", "--soft", "HEAD~1")],
  ["switches to a new branch", (cwd) => git(cwd, "checkout", "-q", "-b", "elsewhere")],
  ["stages half of it", (cwd) => git(cwd, "add", "made.txt")],
  [
    "commits and resets hard",
    (cwd) => (git(cwd, "add", "-A"), git(cwd, "commit", "-qm", "mine"), git(cwd, "reset", "-q", "--hard", "HEAD")),
  ],
  ["stashes and takes it back", (cwd) => (git(cwd, "stash", "-u", "-q"), git(cwd, "stash", "pop", "-q"))],
])("[V8] what lies in the tree counts, though its agent %s", async (_what, act) => {
  const cwd = repositoryWith({ "zero.txt": "0" });
  writeFiles(cwd, { "first.txt": LINES });
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "second");
  const doing: ItemAction = {
    "WI-1": (request) => {
      writeFiles(request.cwd, { "made.txt": "made\n", "also.txt": "also\n" });
      act(request.cwd);
    },
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect([read(cwd, "made.txt"), read(cwd, "also.txt"), read(cwd, "WI-2.txt"), read(cwd, "first.txt")]).toEqual([
    "made\n",
    "also\n",
    "WI-2\n",
    LINES,
  ]);
  expect(git(cwd, "rev-parse", "--abbrev-ref", "HEAD")).toBe("main");
});

it("[V8] an agent that removes its tree has left nothing, and harms nobody", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const ran = await castIn({
    cwd,
    titles: ["a", "b"],
    doing: { "WI-1": ({ cwd: tree }) => rmSync(tree, { recursive: true }) },
  });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect([existsSync(join(cwd, "first.txt")), read(cwd, "WI-2.txt")]).toEqual([true, "WI-2\n"]);
});

/** Lets every call of git that touches files start a program. */
function trapGit(cwd: string, trap: string): void {
  writeFileSync(join(cwd, ".git", "evil"), `#!/bin/sh\ntouch '${trap}'\ncat\n`, { mode: 0o755 });
  for (const key of ["filter.a=b.clean", "filter.a=b.smudge", "merge.evil.driver", "diff.evil.textconv"])
    git(cwd, "config", key, join(cwd, ".git", "evil"));
  git(cwd, "config", "filter.a=b.required", "true");
  git(cwd, "config", "gpg.program", join(cwd, ".git", "evil"));
  for (const key of ["merge.verifySignatures", "log.showSignature"]) git(cwd, "config", key, "true");
  mkdirSync(join(cwd, ".git", "info"), { recursive: true });
  writeFileSync(join(cwd, ".git", "info", "attributes"), "* filter=a=b merge=evil diff=evil\n");
}

it("[V47] programs that the repository's own configuration names do not run while items are merged and joined", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const trap = join(cwd, "..", `trap-${process.pid}`);
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => writeFiles(tree, { "first.txt": LINES.replace("one", "ONE") }),
    "WI-2": ({ cwd: tree }) => {
      writeFiles(tree, { "first.txt": LINES.replace("five", "FIVE"), "new.txt": "new\n" });
      trapGit(cwd, trap);
    },
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  expect([ran.problem, ran.state.phase, existsSync(trap)]).toMatchObject(["", { outcome: "completed" }, false]);
  expect([read(cwd, "first.txt"), read(cwd, "new.txt")]).toEqual([
    LINES.replace("one", "ONE").replace("five", "FIVE"),
    "new\n",
  ]);
});

it("[V16, V47] with filters of the repository's own configuration items run one by one, and no filter runs", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const trap = join(cwd, "..", `trap-of-one-${process.pid}`);
  trapGit(cwd, trap);
  const ran = await castIn({ cwd, titles: ["a", "b"], details: { checkpoints: true } });
  const [forked] = await eventsOfType(ran, "loop_forked");
  expect(forked).toMatchObject({ base: null, reason: expect.stringContaining("has filters") });
  expect([ran.state.phase, existsSync(trap)]).toMatchObject([{ outcome: "completed" }, false]);
});

it("[V32] hooks of the repository do not run", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  mkdirSync(join(cwd, ".git", "hooks"), { recursive: true });
  for (const name of ["pre-commit", "post-checkout", "post-merge", "reference-transaction"]) {
    writeFileSync(join(cwd, ".git", "hooks", name), "#!/bin/sh\ntouch hook-ran\nexit 1\n");
    chmodSync(join(cwd, ".git", "hooks", name), 0o755);
  }
  const ran = await castIn({ cwd, titles: ["a", "b"] });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(existsSync(join(cwd, "hook-ran"))).toBe(false);
});

it.each<[what: string, doing: (cwd: string) => void, kept: boolean]>([
  ["removes git's file in its tree", (cwd) => rmSync(join(cwd, ".git")), true],
  ["makes a nested repository there", (cwd) => (rmSync(join(cwd, ".git")), void git(cwd, "init", "-q")), false],
])("[V42] an agent that %s loses nothing of its work", async (_what, doing, kept) => {
  const cwd = repositoryWith({});
  const ran = await castIn({
    cwd,
    titles: ["a", "b"],
    doing: {
      "WI-1": (request) => {
        writeFiles(request.cwd, { "made.txt": "mine\n" });
        doing(request.cwd);
      },
    },
  });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  const aside = join(cwd, ".pi/casts", ran.castId, "trees", `${ran.castId}_1_WI-1.lost-1`);
  expect(readFileSync(join(kept ? cwd : aside, "made.txt"), "utf8")).toBe("mine\n");
});

it("[V8] names with spaces, newlines and letters of other scripts are merged, conflict and are mended like any other", async () => {
  const same = ' the same\n"file" 漢 ไทย.txt';
  const cwd = repositoryWith({ [same]: LINES });
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => writeFiles(tree, { [same]: LINES.replace("one", "ONE"), "-n ü\nö.txt": "1\n" }),
    "WI-2": ({ cwd: tree }) => writeFiles(tree, { [same]: LINES.replace("one", "uno"), "עברית/😀 .txt": "2\n" }),
    "WI-2.2": ({ cwd: tree }) => writeFiles(tree, { [same]: LINES.replace("one", "ONE uno") }),
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect((await eventsOfType(ran, "item_conflicted")).map(({ files }) => files)).toEqual([[same]]);
  expect([read(cwd, same), read(cwd, "-n ü\nö.txt"), read(cwd, "עברית/😀 .txt")]).toEqual([
    LINES.replace("one", "ONE uno"),
    "1\n",
    "2\n",
  ]);
});

it.each<[command: string, at: number]>(
  sampleCases(
    [
      ["worktree add", 1],
      ["read-tree", 1],
      ["checkout", 1],
      ["commit-tree", 2],
      ["update-ref", 3],
    ],
    2,
  ),
)(
  "[V18, D9] a disk that is full in the middle of git's %s loses nothing: when there is room again the cast goes on to the same files",
  SWEEP,
  async (command, at) => {
    const cwd = repositoryWith({ "first.txt": LINES, "sub/second.txt": LINES });
    const setting = { cwd, titles: ["a", "b", "c"], lanes: 1, details: { checkpoints: true } };
    const stopped = await withFullDisk(command, at, () => castIn(setting));
    const again = stopped.kind === "ended" && isCompleted(stopped) ? stopped : await resumeIn(setting, stopped);
    expect(again.state.phase).toMatchObject({ outcome: "completed" });
    expect(git(cwd, "ls-tree", "-r", "--name-only", "HEAD").split("\n")).toEqual([
      ".gitignore",
      "WI-1.txt",
      "WI-2.txt",
      "WI-3.txt",
      "first.txt",
      "sub/second.txt",
    ]);
    expect([git(cwd, "status", "--porcelain"), git(cwd, "worktree", "list").split("\n").length]).toEqual(["", 1]);
  },
);

function isCompleted({ state: { phase } }: Ran): boolean {
  return phase.kind === "ended" && phase.outcome === "completed";
}
