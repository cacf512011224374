import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, newFolder, newRepository, resultOf, write } from "./harness.ts";

interface Blackbelt {
  readonly root: string;
  readonly branch: string;
  readonly created: { readonly repository: boolean; readonly branch: boolean; readonly commits: readonly string[] };
  readonly checkpoint?: { readonly commits: readonly string[]; readonly files: number; readonly from: string };
  readonly left?: readonly string[];
  readonly identity?: string;
}

function bootstrap(cwd: string, more: object = {}, extra: Readonly<Record<string, string>> = {}): Blackbelt {
  const input = { cwd, request: "Add a search box", ...more };
  const result = resultOf("blackbelt-bootstrap", input, extra) as { state: { blackbelt: Blackbelt } };
  return result.state.blackbelt;
}

function branchFor(more: object): string {
  return bootstrap(newRepository(), more).branch;
}

function subjects(root: string, range = "HEAD"): readonly string[] {
  return git(root, "log", "--reverse", "--format=%s", range).split("\n");
}

function filesAt(root: string, commit: string): readonly string[] {
  return git(root, "ls-tree", "-r", "--name-only", commit).split("\n").filter(Boolean);
}

const checkpointSubject = "chore: checkpoint of uncommitted work";

describe("the branch", () => {
  it.each<[rule: string, more: object, branch: string]>([
    ["[U21] from the request", {}, "materia/add-a-search-box"],
    ["[U21] in plain letters", { request: "  Café: naïve\n../-fix-!  " }, "materia/cafe-naive-fix"],
    [
      "[U21] cut between words",
      { request: "one two three four five six seven eight nine ten" },
      "materia/one-two-three-four-five-six-seven-eight",
    ],
    ["[U21] cut in a long word", { request: "x".repeat(99) }, `materia/${"x".repeat(40)}`],
    ["[U21] from the cast id when no word is left", { request: "検索", castId: "C_7-b" }, "materia/c-7-b"],
    ["[U21] as asked", { params: { branch: "feature/Search_1.0" } }, "feature/Search_1.0"],
  ])("%s", (_rule, more, branch) => {
    expect(branchFor(more)).toBe(branch);
  });

  it.each([
    "",
    "-x",
    "a..b",
    "a b",
    "a/",
    "/a",
    "a//b",
    ".a",
    "a.lock",
    "a/.b",
    "x~1",
    "@",
    "a@{1}",
    "a\nb",
    "HEAD",
    7,
  ])("[U21] %j is refused", (branch) => {
    expect(() => bootstrap("/", { params: { branch } })).toThrow(/no branch can be called/);
  });

  it("[U22] staying on the branch that has the name", () => {
    const root = newRepository();
    git(root, "switch", "--quiet", "--create", "materia/add-a-search-box");
    expect(bootstrap(root)).toMatchObject({ branch: "materia/add-a-search-box", created: { branch: false } });
  });

  it("[U22] a number where the name is taken, in any case", () => {
    const root = newRepository();
    for (const name of ["Materia/Add-a-search-box", "materia/add-a-search-box-2/x"]) git(root, "branch", name);
    expect(bootstrap(root).branch).toBe("materia/add-a-search-box-3");
  });

  it("[U22] dashes where a branch stands in the way", () => {
    const root = newRepository();
    git(root, "branch", "materia");
    expect(bootstrap(root).branch).toBe("materia-add-a-search-box");
  });

  it("[U25] from a detached HEAD", () => {
    const root = newRepository();
    const at = git(root, "rev-parse", "HEAD");
    git(root, "switch", "--quiet", "--detach");
    write(join(root, "a.txt"), "changed");
    const { branch, checkpoint } = bootstrap(root);
    expect(checkpoint?.from).toBe(at);
    expect(git(root, "rev-parse", `${branch}~1`, "main").split("\n")).toEqual([at, at]);
  });
});

describe("a repository without a commit", () => {
  it("[U23] is made where there is none, and holds what was there", () => {
    const root = newFolder({ "a.txt": "a", "sub/b.txt": "b" });
    const { created, branch, checkpoint } = bootstrap(root);
    const commit = git(root, "rev-parse", "HEAD");
    expect(created).toEqual({ repository: true, branch: true, commits: [commit] });
    expect(checkpoint).toBeUndefined();
    expect(filesAt(root, "HEAD")).toEqual(["a.txt", "sub/b.txt"]);
    expect(git(root, "branch", "--format=%(refname:short) %(objectname)").split("\n")).toEqual([
      `master ${commit}`,
      `${branch} ${commit}`,
    ]);
  });

  it("[U23] has an empty commit when there is nothing", () => {
    const root = newFolder();
    expect(bootstrap(root).created.commits).toHaveLength(1);
    expect(filesAt(root, "HEAD")).toEqual([]);
  });

  it("[U23, U24] keeps what was staged apart from what came after", () => {
    const root = newFolder({ "a.txt": "staged" });
    git(root, "init", "--quiet", "--initial-branch=trunk");
    git(root, "add", "a.txt");
    write(join(root, "a.txt"), "later");
    const [first, second] = bootstrap(root).created.commits;
    expect(git(root, "show", `${first}:a.txt`)).toBe("staged");
    expect(git(root, "show", `${second}:a.txt`)).toBe("later");
    expect(git(root, "rev-parse", "trunk")).toBe(second);
  });

  it("[U26] leaves out dependencies and secrets as long as no .gitignore says what to leave out", () => {
    const files = { "node_modules/x/i.js": "", ".env": "KEY=1", ".env.local": "KEY=1", ".env.example": "KEY=" };
    const bare = newFolder(files);
    bootstrap(bare);
    expect(filesAt(bare, "HEAD")).toEqual([".env.example"]);
    const told = newFolder({ ...files, ".gitignore": "node_modules\n" });
    bootstrap(told);
    expect(filesAt(told, "HEAD")).toEqual([".env", ".env.example", ".env.local", ".gitignore"]);
  });
});

describe("uncommitted work", () => {
  it("[U24] becomes a separate checkpoint, and main stays", () => {
    const root = newRepository({ "a.txt": "a", "gone.txt": "g", "same.txt": "s" });
    const main = git(root, "rev-parse", "main");
    write(join(root, "a.txt"), "staged");
    git(root, "add", "a.txt");
    git(root, "rm", "--quiet", "gone.txt");
    write(join(root, "a.txt"), "loose");
    write(join(root, "new \u00e9\n*.txt"), "n");
    const { branch, checkpoint } = bootstrap(root);
    expect(checkpoint).toEqual({ commits: [expect.any(String), expect.any(String)], files: 3, from: "main" });
    expect(subjects(root, `main..${branch}`)).toEqual([`${checkpointSubject} (staged)`, checkpointSubject]);
    expect(git(root, "show", "HEAD~1:a.txt")).toBe("staged");
    expect(git(root, "show", "HEAD:a.txt")).toBe("loose");
    expect(git(root, "rev-parse", "main", "HEAD~2").split("\n")).toEqual([main, main]);
    expect(git(root, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(root, "new \u00e9\n*.txt"), "utf8")).toBe("n");
  });

  it("[U24] of every kind is kept", () => {
    const root = newRepository({ "file-then-folder": "f", "run.sh": "", "deleted.txt": "d", "dropped.txt": "d" });
    git(root, "rm", "--quiet", "file-then-folder");
    write(join(root, "file-then-folder/inside"), "i");
    chmodSync(join(root, "run.sh"), 0o755);
    symlinkSync("nowhere", join(root, "link"));
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), "bytes");
    git(root, "rm", "--quiet", "--cached", "dropped.txt");
    write(join(root, "added-then-gone.txt"), "x");
    write(join(root, "intended.txt"), "x");
    git(root, "add", "added-then-gone.txt");
    git(root, "add", "--intent-to-add", "intended.txt");
    git(root, "clean", "--quiet", "--force", "added-then-gone.txt");
    bootstrap(root);
    expect(git(root, "status", "--porcelain")).toBe("");
    expect(filesAt(root, "HEAD")).toEqual([
      "added-then-gone.txt",
      "deleted.txt",
      "dropped.txt",
      "file-then-folder/inside",
      "intended.txt",
      "link",
      "run.sh",
      '"\\377\\376"',
    ]);
  });

  it("[U24] leaves the stash and the files git ignores alone", () => {
    const root = newRepository({ ".gitignore": "ignored\n", "a.txt": "a" });
    write(join(root, "a.txt"), "stashed");
    git(root, "stash", "--quiet");
    write(join(root, "ignored"), "i");
    const { checkpoint, created } = bootstrap(root);
    expect({ checkpoint, created }).toEqual({ created: { repository: false, branch: true, commits: [] } });
    expect(git(root, "stash", "list")).toMatch(/^stash@/);
    expect(existsSync(join(root, "ignored"))).toBe(true);
  });

  it("[U26] without the artifact folder, which only this copy then ignores", () => {
    const root = newRepository();
    write(join(root, ".pi/pi-materia/cast-1/journal.jsonl"), "{}");
    write(join(root, ".pi/pi-materia.json"), "{}");
    expect(bootstrap(root).checkpoint?.files).toBe(1);
    expect(filesAt(root, "HEAD")).toEqual([".pi/pi-materia.json", "a.txt"]);
    bootstrap(root);
    const exclude = readFileSync(join(root, ".git/info/exclude"), "utf8").split("\n");
    expect(exclude.filter((line) => line.includes("materia"))).toEqual(["/.pi/pi-materia/"]);
    expect(git(root, "status", "--porcelain")).toBe("");
  });

  it("[U26] without repositories inside, which are named", () => {
    const root = newRepository();
    git(root, "init", "--quiet", "inner");
    write(join(root, "inner/x"), "x");
    write(join(root, "b.txt"), "b");
    const { left, checkpoint } = bootstrap(root);
    expect({ left, files: checkpoint?.files }).toEqual({ left: ["inner/"], files: 1 });
    expect(filesAt(root, "HEAD")).toEqual(["a.txt", "b.txt"]);
  });

  it("[U26] without the work inside a submodule, which is named", () => {
    const root = newRepository();
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", newRepository(), "inner");
    git(root, "commit", "--quiet", "--message", "submodule");
    write(join(root, "inner/a.txt"), "changed");
    const { left, checkpoint } = bootstrap(root);
    expect({ left, checkpoint }).toEqual({ left: ["inner"] });
    expect(readFileSync(join(root, "inner/a.txt"), "utf8")).toBe("changed");
  });

  it("[U24] in a worktree moves only that worktree", () => {
    const root = newRepository();
    const tree = join(newFolder(), "tree");
    git(root, "worktree", "add", "--quiet", tree);
    write(join(tree, "b.txt"), "b");
    expect(bootstrap(tree)).toMatchObject({ root: tree, checkpoint: { from: "tree" } });
    expect(git(root, "branch", "--show-current")).toBe("main");
  });
});

describe("the person's settings", () => {
  it("[U28] no hook runs, none can refuse", () => {
    const root = newRepository();
    for (const hook of ["pre-commit", "commit-msg", "post-checkout", "post-commit"]) {
      write(join(root, ".git/hooks", hook), `#!/bin/sh\ntouch ${hook}.ran\nexit 1\n`);
      chmodSync(join(root, ".git/hooks", hook), 0o755);
    }
    write(join(root, "a.txt"), "b");
    bootstrap(root);
    expect(git(root, "status", "--porcelain")).toBe("");
  });

  it("[U28] no signature is asked for", () => {
    const root = newRepository();
    git(root, "config", "commit.gpgSign", "true");
    git(root, "config", "gpg.program", "false");
    write(join(root, "a.txt"), "b");
    expect(bootstrap(root).checkpoint?.commits).toHaveLength(1);
  });

  it("[U28] the configured name is used", () => {
    const root = newRepository();
    write(join(root, "a.txt"), "b");
    expect(bootstrap(root).identity).toBeUndefined();
    expect(git(root, "log", "-1", "--format=%an <%ae>")).toBe("Ada <ada@example.com>");
  });

  it("[U28] without one a stand-in is, and the configuration stays", () => {
    const root = newRepository();
    git(root, "config", "--unset", "user.email");
    write(join(root, "a.txt"), "b");
    expect(bootstrap(root).identity).toBe("fallback");
    expect(git(root, "log", "-1", "--format=%an <%ae>")).toBe("Ada <pi-materia@localhost>");
    expect(git(root, "config", "--list", "--local")).not.toContain("user.email");
  });
});
