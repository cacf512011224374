import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  lstatSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../harness/cli.ts";
import { SWEEP, isFull } from "../harness/sweep.ts";
import { castHere, commitsOf, journalOf, lastCast, materia, repositoryPlace, writes } from "./cast-place.ts";
import { git, personsView, scratch } from "./scratch.ts";

/** Everything below a folder that is kept: names, modes, links and bytes. */
function treeAt(folder: string, except: ReadonlySet<string> = new Set([".git", ".pi"])): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !except.has(name.split("/")[0] ?? ""))
    .toSorted()
    .map((name) => {
      const stats = lstatSync(join(folder, name));
      if (stats.isDirectory()) return `${name}/`;
      const bytes = stats.isSymbolicLink()
        ? readlinkSync(join(folder, name))
        : readFileSync(join(folder, name), "base64");
      return `${name} ${(stats.mode & 0o111).toString(8)} ${bytes}`;
    });
}

describe("[Y7] what was changed", () => {
  it("[Y7, Y14] show says it of every visit, diff of the cast, a visit and an item", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    const shown = (await materia(cwd, ["show"])).stdout;
    expect(shown).toContain("changed 2 files, +2 −0");
    const names = async (...args: readonly string[]) =>
      (await materia(cwd, ["diff", ...args, "--name-only"])).stdout.trim().split("\n");
    expect(await names()).toEqual(["b.txt", "src/a.txt", "touched.txt"]);
    expect(await names(lastCast(cwd), "Socket-1#2")).toEqual(["src/a.txt"]);
    expect(await names("Socket-1")).toEqual(["src/a.txt"]);
    expect(await names("Socket-2#1")).toEqual([""]);
    expect((await materia(cwd, ["diff", "--stat"])).stdout).toContain("3 files changed, 4 insertions(+)");
  });

  it("[Y14] a pipe gets git's own bytes, which can be applied elsewhere", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    const patch = (await materia(cwd, ["diff"])).stdout;
    const other = scratch();
    git(other, "init", "-q");
    writeFileSync(join(other, "patch"), patch);
    git(other, "apply", "patch");
    expect(readFileSync(join(other, "src/a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("[Y14] renames, modes and binary files are named", async () => {
    const command = "git mv first.txt renamed.txt; chmod +x .gitignore; printf '\\0\\1' > image.bin";
    const cwd = repositoryPlace({
      Make: [{ tools: [{ name: "bash", arguments: { command } }], text: "Done." }],
      Look: [{ json: { satisfied: true } }],
    });
    await castHere(cwd);
    const { stdout } = await materia(cwd, ["diff", "Socket-1#1"]);
    for (const part of ["rename to renamed.txt", "old mode 100644\nnew mode 100755", "Binary files"])
      expect(stdout).toContain(part);
    const { files } = JSON.parse((await materia(cwd, ["diff", "Socket-1#1", "--json"])).stdout) as { files: unknown };
    expect(files).toMatchObject([
      { path: ".gitignore", status: "modified" },
      { path: "image.bin", status: "added", added: null, removed: null },
      { path: "renamed.txt", from: "first.txt", status: "renamed" },
    ]);
  });

  it("[Y14] an unknown place is refused with the known ones", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    const refused = await materia(cwd, ["diff", "Socket-9#1"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("unknown_visit");
    expect(refused.stderr).toContain("one of Socket-1#1, Socket-1#2, Socket-3#1");
    expect((await materia(cwd, ["diff", "--stat", "--name-only"])).stderr).toContain("bad_option");
  });

  it("[Y14] a cloned project still shows it", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    const moved = join(cwd, "..", "moved");
    git(cwd, "clone", "-q", "--no-hardlinks", cwd, moved);
    expect((await run(["diff", "--artifacts", join(cwd, ".pi/pi-materia")], { cwd, from: moved })).code).toBe(0);
  });
});

describe("[Y8] going back", () => {
  it.runIf(isFull)("[Y8] every visit of the demo is restored byte for byte", SWEEP, async () => {
    const cwd = repositoryPlace();
    const ran = await run(["demo", "--json"], { cwd });
    expect(ran.code).toBe(0);
    const [, repository = ""] = /"(\/[^"]*slugline)/.exec(ran.stdout + ran.stderr) ?? [];
    expect(existsSync(repository)).toBe(true);
    const castId = lastCast(repository);
    const events = journalOf(repository, castId);
    const visits = events.flatMap((event) =>
      event.type === "visit_completed" && event.files && "commit" in event.files
        ? [{ ...event, commit: event.files.commit }]
        : [],
    );
    expect(visits.length).toBeGreaterThan(4);
    let to = "";
    for (const { socket, visit, commit } of visits) {
      to = join(cwd, "..", `restored-${socket}-${visit}`);
      const restored = await run(["restore", `${castId}@${socket}#${visit}`, "--to", to], { cwd: repository });
      expect(restored.stderr).toBe("");
      expect(git(to, "status", "--porcelain")).toBe("");
      expect(git(to, "write-tree")).toBe(git(repository, "rev-parse", `${commit}^{tree}`));
    }
    expect(treeAt(to)).toEqual(treeAt(repository));
  });

  it("[Y8] what lay there while a visit was over is what comes back", async () => {
    const command =
      "printf 'a\\r\\nb' > 'odd name\n.txt'; ln -s /etc/passwd out; chmod +x first.txt; rm .gitignore; cp -R . ../seen; rm -rf ../seen/.git ../seen/.pi";
    const cwd = repositoryPlace({
      Make: [{ tools: [{ name: "bash", arguments: { command } }], text: "Done." }],
      Look: [{ json: { satisfied: true } }],
    });
    git(cwd, "config", "core.autocrlf", "true");
    await castHere(cwd);
    const to = join(cwd, "..", "restored");
    expect((await materia(cwd, ["restore", `${lastCast(cwd)}@Socket-1#1`, "--to", to])).stderr).toBe("");
    expect(treeAt(to)).toEqual(treeAt(join(cwd, "..", "seen")));
  });

  it("[Y8] without a place it goes beside the repository and says how to be rid of it", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    const { stdout, code } = await materia(cwd, ["restore", "last"]);
    expect(code).toBe(0);
    expect(existsSync(`${cwd}-${lastCast(cwd)}/touched.txt`)).toBe(true);
    expect(stdout).toContain("git worktree remove");
    expect((await materia(cwd, ["restore", "last"])).stderr).toContain("folder_not_empty");
  });

  it("[Y15] --here works only without loss, and HEAD and index do not change", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    const [first] = commitsOf(journalOf(cwd));
    writeFileSync(join(cwd, "mine.txt"), "work\n");
    const refused = await materia(cwd, ["restore", `${lastCast(cwd)}@Socket-1#1`, "--here"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/dirty_worktree[^]*mine\.txt/);
    expect(existsSync(join(cwd, "touched.txt"))).toBe(true);
    git(cwd, "clean", "-fq", "mine.txt");
    const before = personsView(cwd).slice(1);
    expect((await materia(cwd, ["restore", `${lastCast(cwd)}@Socket-1#1`, "--here"])).stderr).toBe("");
    expect(existsSync(join(cwd, "touched.txt"))).toBe(false);
    expect(readFileSync(join(cwd, "src/a.txt"), "utf8")).toBe("one\n");
    expect(personsView(cwd).slice(1)).toEqual(before);
    expect(first).toBeDefined();
  });

  it.each(["ignored.txt", "ignored.txt/inside.txt"])(
    "[Y15] an ignored file in the place of %s is not overwritten",
    async (name) => {
      const cwd = repositoryPlace({
        Make: [writes({ [name]: "kept\n", ".gitignore": ".pi/pi-materia/\n" })],
        Look: [{ json: { satisfied: true } }],
      });
      await castHere(cwd);
      git(cwd, "checkout", "-q", ".gitignore");
      rmSync(join(cwd, "ignored.txt"), { recursive: true });
      writeFileSync(join(cwd, "ignored.txt"), "mine\n");
      git(cwd, "clean", "-fq", "touched.txt");
      const refused = await materia(cwd, ["restore", lastCast(cwd), "--here"]);
      expect(refused.stderr).toMatch(/path_occupied[^]*ignored\.txt/);
      expect(readFileSync(join(cwd, "ignored.txt"), "utf8")).toBe("mine\n");
    },
  );

  it("[Y8] refusals name what is wrong and leave nothing behind", async () => {
    const cwd = repositoryPlace();
    await castHere(cwd);
    mkdirSync(join(cwd, "../full/x"), { recursive: true });
    const refuse = async (...args: readonly string[]) => (await materia(cwd, ["restore", ...args])).stderr;
    expect(await refuse()).toContain("missing_cast_id");
    expect(await refuse("last", "--to", "../full")).toContain("folder_not_empty");
    expect(await refuse("last@Socket-8#1")).toContain("unknown_visit");
    expect(await refuse("last", "--to", "x", "--here")).toContain("bad_option");
    expect(git(cwd, "worktree", "list", "--porcelain").split("worktree ")).toHaveLength(2);
  });
});
