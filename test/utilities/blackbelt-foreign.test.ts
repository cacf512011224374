import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, newFolder, newProgram, newRepository, resultOf, runIn, write } from "./harness.ts";

const request = "Add a search box";

/** A program that leaves a mark when it is run, and hands its input on. */
function trap(): { readonly program: string; readonly sprung: () => boolean } {
  const mark = join(newFolder(), "sprung");
  return { program: join(newProgram("trap", `echo x >> ${mark}; cat`), "trap"), sprung: () => existsSync(mark) };
}

describe("a repository with its own programs", () => {
  it.each<[rule: string, key: string]>([
    ["[U40] a file-system monitor", "core.fsmonitor"],
    ["[U40] an external diff", "diff.external"],
    ["[U40] a pager", "core.pager"],
  ])("%s is not run", (_rule, key) => {
    const root = newRepository();
    const { program, sprung } = trap();
    git(root, "config", key, program);
    write(join(root, "b.txt"), "b\n");
    resultOf("blackbelt-bootstrap", { cwd: root, request });
    resultOf("ignore-artifacts", { cwd: root });
    expect(sprung()).toBe(false);
  });

  it.each(["[U40] clean", "[U40] process"])(
    "%s: a filter is not run, and work that needs it is left alone",
    (title) => {
      const root = newRepository({ ".gitattributes": "*.big filter=odd=name\n", "a.txt": "a\n" });
      const { program, sprung } = trap();
      git(root, "config", `filter.odd=name.${title.slice(6)}`, program);
      git(root, "config", "filter.odd=name.required", "true");
      write(join(root, "x.big"), "big\n");
      const { code, stderr } = runIn("blackbelt-bootstrap", { cwd: root, request });
      expect([code, stderr, sprung()]).toEqual([1, expect.stringContaining('the filter "odd=name"'), false]);
      expect(git(root, "branch", "--show-current")).toBe("main");
      write(join(root, ".git", "info", "exclude"), "*.big\n");
      write(join(root, "b.txt"), "b\n");
      expect(resultOf("blackbelt-bootstrap", { cwd: root, request })).toMatchObject({
        state: { blackbelt: { branch: "materia/add-a-search-box" } },
      });
      expect(sprung()).toBe(false);
    },
  );

  it("[U40] with a word of the person the filter is run", () => {
    const root = newRepository({ ".gitattributes": "*.big filter=mine\n" });
    const { program, sprung } = trap();
    git(root, "config", "filter.mine.clean", program);
    write(join(root, "x.big"), "big\n");
    resultOf("blackbelt-bootstrap", { cwd: root, request, params: { filters: true } });
    expect(sprung()).toBe(true);
  });

  it("[U40] a filter of the person's own configuration is used", () => {
    const root = newRepository({ ".gitattributes": "*.big filter=mine\n" });
    const { program, sprung } = trap();
    const own = join(newFolder({ config: `[filter "mine"]\n\tclean = ${program}\n` }), "config");
    write(join(root, "x.big"), "big\n");
    resultOf("blackbelt-bootstrap", { cwd: root, request }, { GIT_CONFIG_GLOBAL: own });
    expect(sprung()).toBe(true);
  });

  it("[U40] nor is what a submodule brings", () => {
    const inner = newRepository({ ".gitattributes": "*.txt filter=deep\n", "a.txt": "a\n" });
    const root = newRepository();
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", inner, "sub");
    git(root, "commit", "--quiet", "--all", "--message", "sub");
    const { program, sprung } = trap();
    const sub = join(root, "sub");
    for (const key of ["filter.deep.clean", "core.fsmonitor"]) git(sub, "config", key, program);
    write(join(sub, "a.txt"), "changed\n");
    expect(resultOf("blackbelt-bootstrap", { cwd: root, request })).toMatchObject({
      state: { blackbelt: { left: ["sub"] } },
    });
    expect(sprung()).toBe(false);
  });

  it("[U27] one whose files lie elsewhere is refused", () => {
    const root = newRepository();
    const elsewhere = newFolder({ "private.txt": "p\n" });
    git(root, "config", "core.worktree", elsewhere);
    const { code, stderr } = runIn("blackbelt-bootstrap", { cwd: root, request });
    expect([code, stderr]).toEqual([1, expect.stringContaining(elsewhere)]);
  });
});

it("[U41] variables that point git elsewhere, or at a program, do not reach it", () => {
  const root = newRepository();
  const other = newRepository({ "other.txt": "o\n" });
  const { program, sprung } = trap();
  write(join(root, "b.txt"), "b\n");
  const before = git(other, "for-each-ref");
  resultOf(
    "blackbelt-bootstrap",
    { cwd: root, request },
    {
      GIT_DIR: join(other, ".git"),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, ".git", "index"),
      GIT_EXTERNAL_DIFF: program,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: program,
    },
  );
  expect([git(other, "for-each-ref"), sprung()]).toEqual([before, false]);
  expect(git(root, "branch", "--show-current")).toBe("materia/add-a-search-box");
});
