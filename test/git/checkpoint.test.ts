import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countChanges } from "../../src/shell/git/take-checkpoint.ts";
import { REF, checkpoint, git, namesIn, newRepository, personsView, scratch } from "./scratch.ts";

describe("[Y1] a checkpoint is the whole working tree as it is", () => {
  it("[Y1, Y12] new, changed and removed files are in it, ignored ones and the casts' own folder are not", async () => {
    const cwd = newRepository();
    writeFileSync(join(cwd, ".gitignore"), "ignored/\n");
    mkdirSync(join(cwd, "ignored"));
    mkdirSync(join(cwd, "casts"));
    for (const name of ["ignored/x", "casts/journal.jsonl", "casts.txt", "new.txt"])
      writeFileSync(join(cwd, name), "x\n");
    rmSync(join(cwd, "first.txt"));
    const taken = await checkpoint(cwd, "HEAD", [join(cwd, "casts")]);
    expect(taken).toMatchObject({ left: {} });
    expect(namesIn(cwd)).toEqual([".gitignore", "casts.txt", "new.txt"]);
  });

  it("[Y1] names of every kind are kept byte for byte", async () => {
    const cwd = newRepository();
    const names = [
      "a b",
      "tab\there",
      "line\nbreak",
      "\u0939\u093f\u0928\u094d\u0926\u0940",
      "-x",
      "quote\"'",
      "\\back",
      "*?[x]",
      "🦊",
    ];
    for (const name of names) writeFileSync(join(cwd, name), name);
    writeFileSync(Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from([0xff, 0xfe, 0x41])]), "no text");
    await checkpoint(cwd);
    expect(namesIn(cwd)).toHaveLength(names.length + 2);
    for (const name of names) expect(git(cwd, "cat-file", "-p", `${REF}:${name}`)).toBe(name.trim());
  });

  it("[Y13] all changed files are counted, and twenty are named", async () => {
    const cwd = newRepository();
    for (let index = 0; index < 21; index += 1) writeFileSync(join(cwd, `${index}.txt`), "x\n");
    await checkpoint(cwd);
    const changed = await countChanges(cwd, "HEAD", REF);
    expect([changed?.changed, changed?.added, changed?.names?.length]).toEqual([21, 21, 20]);
  });

  it("[Y1] links are kept as links and not followed, and a file may become a folder", async () => {
    const cwd = newRepository();
    symlinkSync("/etc/passwd", join(cwd, "out"));
    rmSync(join(cwd, "first.txt"));
    mkdirSync(join(cwd, "first.txt"));
    writeFileSync(join(cwd, "first.txt", "inside"), "x");
    await checkpoint(cwd);
    expect(git(cwd, "cat-file", "-p", `${REF}:out`)).toBe("/etc/passwd");
    expect(namesIn(cwd)).toEqual(["first.txt/inside", "out"]);
  });

  it("[Y1] bytes are stored as they are on the disk, regardless of settings for line ends and attributes", async () => {
    const cwd = newRepository();
    git(cwd, "config", "core.autocrlf", "true");
    writeFileSync(join(cwd, ".gitattributes"), "*.txt text=auto ident\n");
    writeFileSync(join(cwd, "first.txt"), "one\r\n$Id$\r\n");
    git(cwd, "commit", "-qam", "windows");
    writeFileSync(join(cwd, "other.txt"), "a\r\nb\n");
    await checkpoint(cwd);
    expect(git(cwd, "cat-file", "-p", `${REF}:first.txt`)).toBe("one\r\n$Id$");
    expect(git(cwd, "cat-file", "-p", `${REF}:other.txt`)).toBe("a\r\nb");
  });

  it("[Y1] an executable bit and a changed type are changes", async () => {
    const cwd = newRepository();
    chmodSync(join(cwd, "first.txt"), 0o755);
    await checkpoint(cwd);
    expect(git(cwd, "ls-tree", REF)).toMatch(/^100755/);
  });

  it("[Y1] nothing changed is the commit before, and the same change at the same moment the same commit", async () => {
    const cwd = newRepository();
    const head = git(cwd, "rev-parse", "HEAD");
    expect(await checkpoint(cwd)).toMatchObject({ commit: head });
    writeFileSync(join(cwd, "new.txt"), "x\n");
    const once = await checkpoint(cwd);
    expect(await checkpoint(cwd)).toEqual(once);
    expect(git(cwd, "log", "--format=%an %aI %s", "-1", REF)).toBe(
      "pi-materia 2026-01-02T03:04:05+00:00 Socket-1 visit 1",
    );
  });
});

describe("[Y2] nothing of the person's is touched", () => {
  it("[Y2] HEAD, branch, index and stash are as they were, with work in every state", async () => {
    const cwd = newRepository();
    writeFileSync(join(cwd, "stashed.txt"), "s\n");
    git(cwd, "stash", "-u", "-q");
    writeFileSync(join(cwd, "staged.txt"), "staged\n");
    git(cwd, "add", "staged.txt");
    writeFileSync(join(cwd, "staged.txt"), "and changed again\n");
    writeFileSync(join(cwd, "untracked.txt"), "u\n");
    const before = personsView(cwd);
    await checkpoint(cwd);
    expect(personsView(cwd)).toEqual(before);
    expect(git(cwd, "cat-file", "-p", `${REF}:staged.txt`)).toBe("and changed again");
    expect(existsSync(join(cwd, ".git", "index.lock"))).toBe(false);
  });

  it("[Y2] no hook, filter or watcher of the repository runs", async () => {
    const cwd = newRepository();
    const trap = join(cwd, "..", `trap-${Math.random()}`);
    const script = `#!/bin/sh\ntouch '${trap}'\ncat\n`;
    for (const hook of ["pre-commit", "post-index-change", "reference-transaction", "post-commit"]) {
      writeFileSync(join(cwd, ".git", "hooks", hook), script, { mode: 0o755 });
    }
    writeFileSync(join(cwd, ".git", "evil"), script, { mode: 0o755 });
    git(cwd, "config", "core.fsmonitor", join(cwd, ".git", "evil"));
    git(cwd, "config", "filter.evil.clean", join(cwd, ".git", "evil"));
    git(cwd, "config", "filter.evil.process", join(cwd, ".git", "evil"));
    writeFileSync(join(cwd, ".gitattributes"), "* filter=evil\n");
    writeFileSync(join(cwd, "new.txt"), "x\n");
    expect(await checkpoint(cwd)).toMatchObject({ commit: expect.any(String) });
    expect(existsSync(trap)).toBe(false);
    expect(namesIn(cwd)).toContain("new.txt");
  });

  it("[Y2] a ref that an agent moved or a killed git left locked is the cast's again", async () => {
    const cwd = newRepository();
    writeFileSync(join(cwd, "new.txt"), "x\n");
    git(cwd, "update-ref", REF, "HEAD");
    mkdirSync(join(cwd, ".git", "refs", "materia"), { recursive: true });
    writeFileSync(join(cwd, ".git", `${REF}.lock`), "");
    const taken = await checkpoint(cwd);
    expect(taken).toMatchObject({ commit: git(cwd, "rev-parse", REF) });
  });
});

describe("[Y4] what cannot be kept is counted or said, and fails nothing", () => {
  it("[Y4] a huge untracked file and a repository inside are left out", async () => {
    const cwd = newRepository();
    writeFileSync(join(cwd, "huge.bin"), "");
    truncateSync(join(cwd, "huge.bin"), 51 * 1024 * 1024);
    mkdirSync(join(cwd, "inner"));
    git(join(cwd, "inner"), "init", "-q");
    writeFileSync(join(cwd, "inner", "x"), "x");
    writeFileSync(join(cwd, "small.txt"), "x");
    expect(await checkpoint(cwd)).toMatchObject({ left: { large: 1, nested: 1 } });
    expect(namesIn(cwd)).toEqual(["first.txt", "small.txt"]);
  });

  it("[Y4] a huge file that is tracked is kept", async () => {
    const cwd = newRepository();
    writeFileSync(join(cwd, "huge.bin"), "");
    truncateSync(join(cwd, "huge.bin"), 51 * 1024 * 1024);
    git(cwd, "add", "-A");
    git(cwd, "commit", "-qm", "huge");
    appendFileSync(join(cwd, "huge.bin"), "more");
    expect(await checkpoint(cwd)).toMatchObject({ left: {} });
    expect(git(cwd, "cat-file", "-s", `${REF}:huge.bin`)).toBe(String(51 * 1024 * 1024 + 4));
  });

  it("[Y4] a store that takes nothing, and a repository that is gone, are said", async () => {
    const cwd = newRepository();
    writeFileSync(join(cwd, "new.txt"), "x\n");
    const objects = join(cwd, ".git", "objects");
    const head = git(cwd, "rev-parse", "HEAD");
    renameSync(objects, `${objects}-away`);
    writeFileSync(objects, "");
    expect(await checkpoint(cwd, head).catch(() => ({ kind: "failed" }))).toMatchObject({ kind: "failed" });
    expect(readFileSync(join(cwd, "new.txt"), "utf8")).toBe("x\n");
  });

  it("[Y4, Y12] what git-lfs keeps elsewhere stays a pointer", async () => {
    const cwd = newRepository();
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n";
    writeFileSync(join(cwd, "asset.bin"), pointer);
    git(cwd, "add", "-A");
    git(cwd, "commit", "-qm", "pointer");
    writeFileSync(join(cwd, ".gitattributes"), "*.bin filter=lfs\n");
    writeFileSync(join(cwd, "new.txt"), "x");
    await checkpoint(cwd);
    expect(git(cwd, "cat-file", "-p", `${REF}:asset.bin`)).toBe(pointer.trim());
  });
});

describe("[Y3] repositories in every state", () => {
  it("[Y3] in the middle of a conflict the files are kept as they lie there, and the conflict stays", async () => {
    const cwd = newRepository();
    git(cwd, "checkout", "-qb", "other");
    writeFileSync(join(cwd, "first.txt"), "theirs\n");
    git(cwd, "commit", "-qam", "theirs");
    git(cwd, "checkout", "-q", "main");
    writeFileSync(join(cwd, "first.txt"), "ours\n");
    git(cwd, "commit", "-qam", "ours");
    expect(() => git(cwd, "merge", "-q", "other")).toThrow("merge");
    const before = personsView(cwd);
    await checkpoint(cwd);
    expect(git(cwd, "cat-file", "-p", `${REF}:first.txt`)).toContain("<<<<<<<");
    expect(personsView(cwd)).toEqual(before);
  });

  it("[Y3] in a folder below the top the whole tree is kept", async () => {
    const cwd = newRepository();
    mkdirSync(join(cwd, "deep", "er"), { recursive: true });
    writeFileSync(join(cwd, "deep", "er", "x"), "x");
    await checkpoint(join(cwd, "deep"));
    expect(namesIn(cwd)).toEqual(["deep/er/x", "first.txt"]);
  });

  it("[Y3] a linked working tree keeps its own files", async () => {
    const cwd = newRepository();
    const linked = join(scratch(), "linked");
    git(cwd, "worktree", "add", "-q", linked);
    writeFileSync(join(linked, "there.txt"), "x");
    await checkpoint(linked);
    expect(namesIn(linked)).toEqual(["first.txt", "there.txt"]);
    expect(git(cwd, "status", "--porcelain")).toBe("");
  });

  it("[Y3, Y12] a submodule is the commit that it stands at", async () => {
    const inner = newRepository();
    const cwd = newRepository();
    git(cwd, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub");
    git(cwd, "commit", "-qm", "sub");
    writeFileSync(join(cwd, "sub", "inside.txt"), "x");
    writeFileSync(join(cwd, "new.txt"), "x");
    await checkpoint(cwd);
    expect(git(cwd, "ls-tree", REF, "sub")).toContain(`160000 commit ${git(inner, "rev-parse", "HEAD")}`);
  });

  it("[Y3] other object ids are taken as they are", async () => {
    const cwd = newRepository("--object-format=sha256");
    writeFileSync(join(cwd, "new.txt"), "x");
    expect(await checkpoint(cwd)).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
