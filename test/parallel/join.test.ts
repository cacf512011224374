import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { removeCastRefs } from "../../src/shell/git/refs.ts";
import { joinMergedItems } from "../../src/shell/git/worktrees/join-items.ts";
import { findItemRepository } from "../../src/shell/git/worktrees/item-repository.ts";
import { scratch } from "../git/scratch.ts";
import {
  castIn,
  eventsOfType,
  git,
  repositoryWith,
  resumeIn,
  writeFiles,
  type ItemAction,
  type Files,
} from "./harness/repository.ts";

const LINES = "one\ntwo\nthree\nfour\nfive\n";
const read = (cwd: string, name: string): string => readFileSync(join(cwd, name), "utf8");
const subjects = (cwd: string): readonly string[] => git(cwd, "log", "--format=%s", "--reverse").split("\n");
it("[V33] a branch that moved keeps its new commits, with the items after them", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const doing: ItemAction = {
    "WI-2": (request) => {
      writeFiles(request.cwd, { "WI-2.txt": "WI-2\n" });
      writeFiles(cwd, { "person.txt": "mine\n" });
      git(cwd, "add", "-A");
      git(cwd, "commit", "-qm", "a person's");
    },
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(subjects(cwd)).toEqual(["first", "a person's", "a", "b"]);
});

it.each<[what: string, leave: readonly string[], back: readonly string[]]>([
  ["another branch", ["checkout", "-q", "main"], ["checkout", "-q", "work"]],
  ["a detached HEAD", ["checkout", "-q", "--detach"], ["checkout", "-q", "work"]],
])("[V45] items that began on a branch never land on %s", async (_what, leave, back) => {
  const cwd = repositoryWith({ "first.txt": LINES });
  git(cwd, "checkout", "-q", "-b", "work");
  const doing: ItemAction = {
    "WI-2": (request) => {
      writeFiles(request.cwd, { "WI-2.txt": "WI-2\n" });
      git(cwd, ...leave);
    },
  };
  const setting = { cwd, titles: ["a", "b"], doing };
  const ran = await castIn(setting);
  const reason = expect.stringMatching(/began on work, and .* is checked out: run "git switch work", then recast/);
  expect(ran.state.phase).toMatchObject({ outcome: "failed", reason });
  expect([subjects(cwd), git(cwd, "log", "--format=%s", "work", "main")]).toEqual([["first"], "first"]);
  git(cwd, ...back);
  const again = await resumeIn(setting, ran);
  expect(again.state.phase).toMatchObject({ outcome: "completed" });
  expect([subjects(cwd), git(cwd, "log", "--format=%s", "main")]).toEqual([["first", "a", "b"], "first"]);
});

/** A repository of two commits, the second of which may be taken away. */
function twoCommits(): string {
  const cwd = repositoryWith({ "zero.txt": "0" });
  writeFiles(cwd, { "first.txt": LINES });
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "second");
  return cwd;
}

it("[V33] a branch that was reset before the base gets the items, and not the removed commits", async () => {
  const cwd = twoCommits();
  const doing: ItemAction = { "WI-2": () => void git(cwd, "reset", "-q", "--hard", "HEAD~1") };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect([subjects(cwd), git(cwd, "status", "--porcelain")]).toEqual([["first", "a"], ""]);
  expect([existsSync(join(cwd, "first.txt")), read(cwd, "WI-1.txt")]).toEqual([false, "WI-1\n"]);
});

/** What somebody else has pushed over the second commit, and the person has taken over. */
function forcePushed(cwd: string, files: Files): void {
  const [origin, other] = [scratch(), scratch()];
  git(origin, "init", "-q", "--bare", "-b", "main");
  git(cwd, "push", "-q", origin, "main");
  git(other, "clone", "-q", origin, ".");
  writeFiles(other, files);
  git(other, "add", "-A");
  git(other, "commit", "-q", "--amend", "-m", "second, mended");
  git(other, "push", "-q", "--force", "origin", "main");
  git(cwd, "fetch", "-q", origin, "main");
  git(cwd, "reset", "-q", "--hard", "FETCH_HEAD");
}

it("[V33] a branch that was force-pushed keeps its new commits, with the items' work after them", async () => {
  const cwd = twoCommits();
  const doing: ItemAction = {
    "WI-2": (request) => {
      writeFiles(request.cwd, { "WI-2.txt": "WI-2\n" });
      forcePushed(cwd, { "first.txt": "mended\n" });
    },
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect([subjects(cwd), git(cwd, "status", "--porcelain")]).toEqual([["first", "second, mended", "a", "b"], ""]);
  expect([read(cwd, "first.txt"), read(cwd, "WI-2.txt")]).toEqual(["mended\n", "WI-2\n"]);
});

it("[V34] items that conflict with the moved branch fail the cast and change nothing", async () => {
  const cwd = twoCommits();
  const doing: ItemAction = {
    "WI-1": (request) => {
      writeFiles(request.cwd, { "first.txt": LINES.replace("one", "1") });
      forcePushed(cwd, { "first.txt": LINES.replace("one", "uno") });
    },
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing });
  const reason = expect.stringMatching(/the branch has moved, and .* conflict with it in first\.txt; merge [0-9a-f]+/);
  expect(ran.state.phase).toMatchObject({ outcome: "failed", reason });
  expect([subjects(cwd), read(cwd, "first.txt")]).toEqual([["first", "second, mended"], LINES.replace("one", "uno")]);
  expect([git(cwd, "status", "--porcelain"), existsSync(join(cwd, "WI-2.txt"))]).toEqual(["", false]);
});

it("[V12] what is behind a branch that moved is not put there again after a kill", async () => {
  const cwd = twoCommits();
  const base = git(cwd, "rev-parse", "HEAD");
  const commit = (name: string): string => {
    writeFiles(cwd, { [name]: `${name}\n` });
    git(cwd, "add", "-A");
    git(cwd, "commit", "-qm", name);
    return git(cwd, "rev-parse", "HEAD");
  };
  const tip = commit("item");
  git(cwd, "reset", "-q", "--hard", base);
  commit("person");
  const opened = await findItemRepository(cwd);
  if ("kind" in opened) throw new Error(opened.problem);
  const request = { base, tip, fork: 1, unmerged: [], branch: undefined };
  const [first, second] = [await joinMergedItems(opened, request), await joinMergedItems(opened, request)];
  expect([first.kind, second]).toEqual(["joined", first]);
  expect(subjects(cwd)).toEqual(["first", "second", "person", "item"]);
});

it.each<[what: string, prepare: (cwd: string) => void, clear: (cwd: string) => void]>([
  [
    "a file of the person's that is not tracked",
    (cwd) => writeFiles(cwd, { "WI-1.txt": "mine\n" }),
    (cwd) => rmSync(join(cwd, "WI-1.txt")),
  ],
  [
    "an ignored file",
    (cwd) => writeFiles(cwd, { "WI-1.txt": "mine\n", ".git/info/exclude": "WI-1.txt\n" }),
    (cwd) => rmSync(join(cwd, "WI-1.txt")),
  ],
  [
    "a change that overlaps",
    (cwd) => writeFiles(cwd, { "first.txt": "mine\n" }),
    (cwd) => git(cwd, "checkout", "-q", "first.txt"),
  ],
])(
  "[V34] %s in the way fails the cast with git's message and stays; a resume repeats only the last step",
  async (_what, prepare, clear) => {
    const cwd = repositoryWith({ "first.txt": LINES });
    const doing: ItemAction = {
      "WI-1": (request) => {
        writeFiles(request.cwd, { "WI-1.txt": "WI-1\n", "first.txt": LINES.replace("one", "1") });
        git(request.cwd, "add", "-A");
        prepare(cwd);
      },
    };
    const setting = { cwd, titles: ["a", "b"], doing };
    const ran = await castIn(setting);
    expect(ran.state.phase).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("would be overwritten"),
    });
    expect(subjects(cwd)).toEqual(["first"]);
    clear(cwd);
    const again = await resumeIn(
      { ...setting, doing: { "WI-1": () => expect.unreachable(), "WI-2": () => expect.unreachable() } },
      ran,
    );
    expect(again.state.phase).toMatchObject({ outcome: "completed" });
    expect([read(cwd, "WI-1.txt"), read(cwd, "first.txt")]).toEqual(["WI-1\n", LINES.replace("one", "1")]);
  },
);

it("[V19] a kill in the middle of the last step is put right where all that differs is the items' own", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const doing: ItemAction = {
    "WI-1": (request) => {
      writeFiles(request.cwd, { "first.txt": "merged\n" });
      // As git leaves it when it is killed while it writes files.
      writeFiles(cwd, { "first.txt": "merged\n", ".git/index.lock": "" });
    },
  };
  const ran = await castIn({ cwd, titles: ["a"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect([read(cwd, "first.txt"), git(cwd, "status", "--porcelain")]).toEqual(["merged\n", ""]);
});

it("[V19] a lock beside a change of the person's is left alone", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const doing: ItemAction = {
    "WI-1": (request) => {
      writeFiles(request.cwd, { "first.txt": "merged\n" });
      writeFiles(cwd, { "first.txt": "mine\n", ".git/index.lock": "" });
    },
  };
  const ran = await castIn({ cwd, titles: ["a"], doing });
  expect(ran.state.phase).toMatchObject({ outcome: "failed" });
  expect([read(cwd, "first.txt"), existsSync(join(cwd, ".git/index.lock"))]).toEqual(["mine\n", true]);
});

it("[V17] locks that a killed git left on the names of items keep nobody out", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const locks: ItemAction[string] = (request) => {
    const castId = request.castId.replace(/_1_WI-1$/, "");
    const names = ["merged-1", `${castId}_1_WI-1`].map((name) => `.git/refs/materia-items/${castId}/${name}.lock`);
    writeFiles(cwd, Object.fromEntries(names.map((name) => [name, ""])));
    writeFiles(request.cwd, { "WI-1.txt": "WI-1\n" });
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing: { "WI-1": locks } });
  expect([ran.state.phase, git(cwd, "for-each-ref", "refs/materia-items")]).toMatchObject([
    { outcome: "completed" },
    "",
  ]);
});

it("[V17] with its cast the names of its items go, and those of another stay", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const ran = await castIn({ cwd, titles: ["a", "b"], doing: { "WI-2": () => ({ fails: "no network" }) } });
  git(cwd, "update-ref", "refs/materia-items/other/x", "HEAD");
  rmSync(join(cwd, ".pi"), { recursive: true });
  await removeCastRefs(cwd, [ran.castId]);
  expect(git(cwd, "worktree", "list").split("\n")).toHaveLength(1);
  expect(git(cwd, "for-each-ref", "--format=%(refname)", "refs/materia-items")).toBe("refs/materia-items/other/x");
});

it("[V17, V41] a failed cast keeps finished work under separate names, and its trees; a resume merges it", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const setting = { cwd, titles: ["a", "b", "c"] };
  const ran = await castIn({ ...setting, doing: { "WI-2": () => ({ fails: "no network" }) } });
  expect(ran.state.phase).toMatchObject({ outcome: "failed" });
  expect(subjects(cwd)).toEqual(["first"]);
  const names = git(cwd, "for-each-ref", "--format=%(refname:lstrip=3)", "refs/materia-items").split("\n");
  expect(names).toEqual([`${ran.castId}_1_WI-1`, `${ran.castId}_1_WI-3`, "merged-1"]);
  expect(git(cwd, "worktree", "list")).toContain(`${ran.castId}_1_WI-2`);
  await resumeIn(setting, ran);
  expect(subjects(cwd)).toEqual(["first", "a", "b", "c"]);
  expect(git(cwd, "for-each-ref", "refs/materia-items")).toBe("");
});

it("[V18, V26] a tree is used again with nothing of the item before, ignored files included; what is named is copied", async () => {
  const cwd = repositoryWith({ ".gitignore": ".pi/\n*.log\n.env\n", "first.txt": LINES });
  writeFiles(cwd, { ".env": "KEY=1\n" });
  const found: string[] = [];
  const looking: ItemAction[string] = (request) => {
    found.push(readdirSync(request.cwd).toSorted().join(" "));
    writeFiles(request.cwd, { "left.log": "x", ".env": "changed\n", [`${request.item}.txt`]: "x" });
  };
  const doing: ItemAction = { "WI-1": looking, "WI-2": looking, "WI-3": looking };
  const ran = await castIn({
    cwd,
    titles: ["a", "b", "c"],
    doing,
    lanes: 1,
    details: { worktree: { copy: [".env", "not there"] } },
  });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect(found).toEqual(Array.from({ length: 3 }, () => ".env .git .gitignore first.txt"));
  expect(read(cwd, ".env")).toBe("KEY=1\n");
});

it.each<[what: string, link: (cwd: string) => void, problem: string]>([
  ["a link inside the project stays one", (cwd) => symlinkSync("../.env", join(cwd, "local", "env")), ""],
  [
    "a link to a place outside is refused",
    (cwd) => symlinkSync("../../elsewhere", join(cwd, "local", "env")),
    'worktree.copy names "local", in which local/env is a link that leads out of it',
  ],
  [
    "so is one that names the person's own file in full",
    (cwd) => symlinkSync(join(cwd, ".env"), join(cwd, "local", "env")),
    'worktree.copy names "local", in which local/env is a link that leads out of it',
  ],
  [
    "and a folder that is a link",
    (cwd) => (rmSync(join(cwd, "local"), { recursive: true }), symlinkSync(cwd, join(cwd, "local"))),
    'worktree.copy names "local", a link that leads out of it',
  ],
])("[V26] worktree.copy: %s", async (_what, link, problem) => {
  const cwd = repositoryWith({ ".gitignore": ".pi/\n.env\nlocal\n", "first.txt": LINES });
  writeFiles(cwd, { ".env": "KEY=1\n", "local/a.txt": "a\n" });
  link(cwd);
  const found: string[] = [];
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => void found.push(read(tree, "local/a.txt"), readlinkSync(join(tree, "local", "env"))),
  };
  const ran = await castIn({ cwd, titles: ["a"], doing, details: { worktree: { copy: ["local"] } } });
  expect([ran.problem, found]).toEqual([problem, problem === "" ? ["a\n", "../.env"] : []]);
});

it("[V27] setup runs in every tree, and a failing one stops the cast", async () => {
  const cwd = repositoryWith({ "first.txt": LINES });
  const made = await castIn({
    cwd,
    titles: ["a"],
    details: { worktree: { setup: ["sh", "-c", "echo ready > ready.txt"] } },
  });
  expect(made.state.phase).toMatchObject({ outcome: "completed" });
  expect(read(cwd, "ready.txt")).toBe("ready\n");
  const failed = await castIn({
    cwd,
    titles: ["a"],
    details: { worktree: { setup: ["sh", "-c", "echo no >&2; exit 3"] } },
  });
  expect([failed.kind, failed.problem]).toEqual(["broken", expect.stringContaining("worktree.setup failed")]);
});

it("[V36] the first seven conflicts are shown with whose lines come first, and whether there may be more", async () => {
  const apart = Array.from({ length: 8 }, (_, at) => `line ${at}\n${"same\n".repeat(6)}`).join("");
  const cwd = repositoryWith({ "same.txt": apart });
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => writeFiles(tree, { "same.txt": apart.replaceAll("line", "first") }),
    "WI-2": ({ cwd: tree }) => writeFiles(tree, { "same.txt": apart.replaceAll("line", "second") }),
    "WI-2.2": ({ cwd: tree }) => writeFiles(tree, { "same.txt": apart.replaceAll("line", "both") }),
  };
  const [conflict] = await eventsOfType(await castIn({ cwd, titles: ["a", "b"], doing }), "item_conflicted");
  expect(conflict?.reason).toContain("first the lines of the others, then the lines of this item");
  expect(conflict?.reason).toMatch(/first 6\n=======\nsecond 6\n/);
  expect(conflict?.reason).not.toContain("second 7");
  expect(conflict?.reason).toContain("More of these files may have marks");
});
