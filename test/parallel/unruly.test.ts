import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commitWorktree } from "../../src/shell/git/worktrees/save-item.ts";
import { findItemRepository } from "../../src/shell/git/worktrees/item-repository.ts";
import { findRepository } from "../../src/shell/git/repository.ts";
import { castIn, git, repositoryWith, resumeIn, writeFiles, type ItemAction, type Ran } from "./harness/repository.ts";

/** What an agent does in its tree, the commits that come of it, and the files. */
interface Unruly {
  readonly does: string;
  readonly script: string;
  readonly commits: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

const COMMIT = "git add -A; git commit -qm";
const NESTED = "git -c user.name=x -c user.email=x commit -qm nested";

const UNRULY: readonly Unruly[] = [
  { does: "stashes and leaves it", script: "echo 1 > a1; git stash -u -q", commits: [], files: {} },
  {
    does: "stands on a branch without a commit",
    script: "echo 1 > a2; git checkout -q --orphan lone",
    commits: ["stands on a branch without a commit"],
    files: { a2: "1\n" },
  },
  {
    does: "commits on a branch without a past",
    script: `echo 1 > a3; git checkout -q --orphan alone; ${COMMIT} alone`,
    commits: ["commits on a branch without a past"],
    files: { a3: "1\n" },
  },
  {
    does: "amends the commit it began from",
    script: "echo 1 > a4; git add -A; git commit -q --amend -m amended",
    commits: ["amends the commit it began from"],
    files: { a4: "1\n" },
  },
  {
    does: "stops in the middle of a rebase",
    script: `echo 1 > a5; ${COMMIT} one; echo 2 > a5; ${COMMIT} two; GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~2`,
    commits: ["one"],
    files: { a5: "1\n" },
  },
  {
    does: "stops in the middle of a bisection",
    script: "echo 1 > a6; git bisect start HEAD HEAD~1",
    commits: ["stops in the middle of a bisection"],
    files: { a6: "1\n" },
  },
  {
    does: "commits and goes back to an older commit",
    script: `echo 1 > a7; ${COMMIT} lost; git checkout -q --detach HEAD~1; echo 2 > a7`,
    commits: ["commits and goes back to an older commit"],
    files: { a7: "2\n" },
  },
  {
    does: "removes its tree with git",
    script: 'echo 1 > a8; git worktree remove -f -f "$PWD"',
    commits: [],
    files: {},
  },
  {
    does: "adds a tree inside",
    script: "echo 1 > a9; git worktree add -q inner -b inner; echo 1 > inner/unkept",
    commits: ["adds a tree inside"],
    files: { a9: "1\n" },
  },
  {
    does: "adds a tree in an ignored folder",
    script: "echo 1 > b1; git worktree add -q .pi/inner -b ignored; echo 2 > .pi/inner/unkept",
    commits: ["adds a tree in an ignored folder"],
    files: { b1: "1\n" },
  },
  {
    does: "makes a repository inside, without a commit",
    script: "git init -q b2; echo 1 > b2/file",
    commits: ["makes a repository inside, without a commit"],
    files: { "b2/file": "1\n" },
  },
  {
    does: "makes a repository inside, with a commit",
    script: `git init -q 'b3 ü'; cd 'b3 ü'; echo 1 > file; git add -A; ${NESTED}; echo 2 > more`,
    commits: ["makes a repository inside, with a commit"],
    files: { "b3 ü/file": "1\n", "b3 ü/more": "2\n" },
  },
  {
    does: "commits a repository inside, with another inside that",
    script: `git init -q b4; cd b4; echo 1 > file; git add -A; ${NESTED}; git init -q deep; echo 2 > deep/file; cd ..; ${COMMIT} linked`,
    commits: ["linked", "commits a repository inside, with another inside that"],
    files: { "b4/file": "1\n", "b4/deep/file": "2\n" },
  },
  { does: "does nothing unusual", script: "echo 1 > b5", commits: ["does nothing unusual"], files: { b5: "1\n" } },
  { does: "nor does this one", script: "echo 1 > b6", commits: ["nor does this one"], files: { b6: "1\n" } },
];

const CODING = { materia: { Build: { tools: "coding", prompt: "Build." } } };
const GIT_ENV = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };

function script(cwd: string, text: string): string {
  const env = { ...process.env, ...GIT_ENV };
  return execFileSync("sh", ["-ec", text], { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A repository of two commits, with something of the person's in the stash. */
function personsRepository(): string {
  const cwd = repositoryWith({ "first.txt": "one\n" });
  writeFiles(cwd, { "second.txt": "two\n" });
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "second");
  writeFiles(cwd, { "first.txt": "the person's\n" });
  git(cwd, "stash", "-q");
  return cwd;
}

const subjects = (cwd: string): readonly string[] => git(cwd, "log", "--format=%s", "--reverse").split("\n");
const trees = (cwd: string): readonly string[] =>
  git(cwd, "worktree", "list", "--porcelain").match(/^worktree .*/gm) ?? [];

/** What was set aside of the item with this number, by its name. */
function quarantined(cwd: string, { castId }: Ran, item: number, name: string): string {
  const folder = join(cwd, ".pi/casts", castId, "trees");
  const found = readdirSync(folder).filter((each) => each.startsWith(`${castId}_1_WI-${item}.lost-`));
  return found.map((each) => join(folder, each, name)).find((path) => existsSync(path)) ?? "nothing";
}

it("[V8, V18, V31] after any git commands of agents in their trees, each brings its files, and the next finds nothing of it", async () => {
  const cwd = personsRepository();
  const found: string[] = [];
  const doing: ItemAction = Object.fromEntries(
    UNRULY.map((unruly, at): [string, ItemAction[string]] => [
      `WI-${at + 1}`,
      ({ cwd: tree }) => {
        found.push(script(tree, "git status --long; ls -A"));
        script(tree, unruly.script);
      },
    ]),
  );
  const titles = UNRULY.map(({ does }) => does);
  const ran = await castIn({ cwd, titles, doing, lanes: 2, more: CODING, details: { checkpoints: true } });
  expect([ran.problem, ran.state.phase]).toMatchObject(["", { outcome: "completed" }]);
  // A tree that is used again is as good as new.
  const clean = "nothing to commit, working tree clean\n.git\n.gitignore\nfirst.txt\nsecond.txt\n";
  expect(found.map((text) => text.slice(text.indexOf("\n") + 1))).toEqual(UNRULY.map(() => clean));

  expect(subjects(cwd)).toEqual(["first", "second", ...UNRULY.flatMap(({ commits }) => commits)]);
  const brought = Object.assign({}, ...UNRULY.map(({ files }) => files)) as Record<string, string>; // their union
  const names = git(cwd, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0").filter(Boolean);
  expect(names.toSorted()).toEqual([".gitignore", "first.txt", "second.txt", ...Object.keys(brought)].toSorted());
  const read = Object.keys(brought).map((name) => [name, readFileSync(join(cwd, name), "utf8")]);
  expect(Object.fromEntries(read)).toEqual(brought);

  expect([git(cwd, "status", "--porcelain"), git(cwd, "symbolic-ref", "HEAD")]).toEqual(["", "refs/heads/main"]);
  expect(git(cwd, "stash", "list", "--format=%gs").split("\n")).toEqual([
    expect.stringContaining("WIP on (no branch)"),
    expect.stringContaining("WIP on main"),
  ]);
  // The trees that agents added are set aside with what lies in them, and so is the history of a repository.
  const inner = [quarantined(cwd, ran, 9, "unkept"), quarantined(cwd, ran, 10, "unkept")];
  expect(inner.map((path) => readFileSync(path, "utf8"))).toEqual(["1\n", "2\n"]);
  expect(trees(cwd).toSorted()).toEqual(
    [cwd, ...inner.map((path) => join(path, ".."))].map((path) => `worktree ${path}`).toSorted(),
  );
  expect(git(quarantined(cwd, ran, 12, "b3 ü"), "log", "--format=%s")).toBe("nested");
  expect(existsSync(quarantined(cwd, ran, 13, "b4/deep/.git"))).toBe(true);
});

it("[V31] a submodule that an agent adds stays a submodule, and the next item may add it too", async () => {
  const cwd = personsRepository();
  const adds: ItemAction[string] = ({ cwd: tree }) => {
    const common = git(tree, "rev-parse", "--path-format=absolute", "--git-common-dir");
    git(tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(common, ".."), "sub");
    if (!existsSync(join(cwd, ".pi", "second"))) git(tree, "commit", "-qm", "a submodule");
    writeFiles(cwd, { ".pi/second": "" });
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing: { "WI-1": adds, "WI-2": adds }, lanes: 1 });
  expect([ran.problem, ran.state.phase]).toMatchObject(["", { outcome: "completed" }]);
  expect(git(cwd, "ls-tree", "HEAD", "sub")).toMatch(/^160000 commit /);
  expect([subjects(cwd), git(cwd, "status", "--porcelain")]).toEqual([["first", "second", "a submodule", "b"], ""]);
});

it("[V31] a kill between quarantining a history and storing its files loses neither", async () => {
  const cwd = personsRepository();
  const base = git(cwd, "rev-parse", "HEAD");
  script(
    cwd,
    `git init -q sub; cd sub; echo 1 > file; git add -A; ${NESTED}; cd ..; ${COMMIT} linked; rm -rf sub/.git`,
  );
  const opened = await findItemRepository(cwd);
  if ("kind" in opened) throw new Error(opened.problem);
  const kept = await commitWorktree(opened, { folder: cwd, base, title: "a", cachedWorktree: undefined });
  expect(kept).toMatchObject({ kind: "kept" });
  expect(kept.kind === "kept" && git(cwd, "ls-tree", "-r", "--name-only", `${kept.commit}`, "sub")).toBe("sub/file");
});

it("[V8] what an agent says about line ends holds for its files, and changes none of another", async () => {
  const cwd = personsRepository();
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => writeFiles(tree, { ".gitattributes": "*.txt text eol=crlf\n", "a.txt": "1\r\n2\r\n" }),
    "WI-2": ({ cwd: tree }) => {
      writeFiles(tree, { "b.dat": "1\r\n2\r\n" });
      git(tree, "config", "core.autocrlf", "true");
    },
    "WI-3": ({ cwd: tree }) => writeFiles(tree, { "c.dat": "1\n2\n" }),
  };
  const titles = ["attributes", "autocrlf", "another"];
  const ran = await castIn({ cwd, titles, doing, lanes: 1, more: CODING, details: { checkpoints: true } });
  expect(ran.state.phase).toMatchObject({ outcome: "completed" });
  expect([subjects(cwd), git(cwd, "status", "--porcelain")]).toEqual([["first", "second", ...titles], ""]);
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("1\r\n2\r\n");
  expect(git(cwd, "show", "HEAD:a.txt")).toBe("1\n2");
  expect(readFileSync(join(cwd, "b.dat"), "utf8")).toBe("1\r\n2\r\n");
  expect(git(cwd, "show", "HEAD:c.dat")).toBe("1\n2");
  expect(git(cwd, "diff", "--name-only", "HEAD~3", "HEAD").split("\n")).toEqual([
    ".gitattributes",
    "a.txt",
    "b.dat",
    "c.dat",
  ]);
});

it("[V33, V34] the person's files follow a branch that an agent moved, except a file in the way", async () => {
  const cwd = personsRepository();
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => {
      script(tree, `git switch -q --ignore-other-worktrees main; echo 1 > made; ${COMMIT} 'on main'`);
      writeFiles(cwd, { made: "the person's\n" });
    },
  };
  const setting = { cwd, titles: ["a", "b"], doing };
  const ran = await castIn(setting);
  expect(ran.state.phase).toMatchObject({ outcome: "failed", reason: expect.stringContaining("would be overwritten") });
  expect(readFileSync(join(cwd, "made"), "utf8")).toBe("the person's\n");
  rmSync(join(cwd, "made"));
  const again = await resumeIn(setting, ran);
  expect(again.state.phase).toMatchObject({ outcome: "completed" });
  expect([subjects(cwd), git(cwd, "status", "--porcelain")]).toEqual([["first", "second", "on main", "b"], ""]);
  expect(readFileSync(join(cwd, "made"), "utf8")).toBe("1\n");
});

it("[V32] core.bare set by an agent does not block the join", async () => {
  const cwd = personsRepository();
  const doing: ItemAction = {
    "WI-1": ({ cwd: tree }) => void script(tree, "echo 1 > a; git config core.bare true"),
    "WI-2": ({ cwd: tree }) => void script(tree, `echo 1 > b; ${COMMIT} b`),
  };
  const ran = await castIn({ cwd, titles: ["a", "b"], doing, lanes: 1, more: CODING, details: { checkpoints: true } });
  expect([ran.problem, ran.state.phase]).toMatchObject(["", { outcome: "completed" }]);
  // The person decides about the agent's files there; the next cast reports them.
  expect(git(cwd, "config", "core.bare")).toBe("true");
  expect(await findRepository(cwd)).toMatchObject({ why: expect.stringContaining('"git config core.bare false"') });
  git(cwd, "config", "core.bare", "false");
  expect([subjects(cwd), git(cwd, "status", "--porcelain")]).toEqual([["first", "second", "a", "b"], ""]);
  expect(["a", "b"].map((name) => readFileSync(join(cwd, name), "utf8"))).toEqual(["1\n", "1\n"]);
});

it("[V31] a nested repository whose name is not UTF-8 stops the cast with a reason", async () => {
  const cwd = personsRepository();
  const base = git(cwd, "rev-parse", "HEAD");
  script(cwd, 'name=$(printf \'\\377\'); git init -q "$name"; echo 1 > "$name/file"');
  const opened = await findItemRepository(cwd);
  if ("kind" in opened) throw new Error(opened.problem);
  const kept = await commitWorktree(opened, { folder: cwd, base, title: "a", cachedWorktree: undefined });
  expect(kept).toMatchObject({ kind: "broken", problem: expect.stringContaining("cannot open the repository") });
});
