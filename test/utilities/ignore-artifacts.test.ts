import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SWEEP, sampleCases } from "../harness/sweep.ts";
import { git, newFolder, newRepository, resultOf, runIn, write } from "./harness.ts";

const noPrograms = { PATH: "/nowhere" };
const pattern = "/.pi/pi-materia/";

function ignore(cwd: string, more: object = {}, extra: Readonly<Record<string, string>> = {}): unknown {
  return resultOf("ignore-artifacts", { cwd, ...more }, extra);
}

function wrote(root: string, line = pattern): unknown {
  return { state: { artifactIgnore: { file: join(root, ".gitignore"), pattern: line, added: true } } };
}

function kept(root: string): unknown {
  const reason = ".pi/pi-materia is already ignored";
  return { state: { artifactIgnore: { file: join(root, ".gitignore"), pattern, added: false, reason } } };
}

function nothing(reason: string): unknown {
  return { state: { artifactIgnore: { file: null, pattern: null, added: false, reason } } };
}

function read(root: string): string {
  return readFileSync(join(root, ".gitignore"), "utf8");
}

describe("what Ignore-Artifacts adds", () => {
  it("[U15] creates the file, once", () => {
    const root = newRepository();
    write(join(root, ".pi/pi-materia/cast-1/journal.jsonl"), "{}");
    expect(ignore(root)).toEqual(wrote(root));
    expect(ignore(root)).toEqual(kept(root));
    expect(read(root)).toBe(`${pattern}\n`);
    expect(git(root, "status", "--porcelain")).toBe("?? .gitignore");
  });

  it("[U15] the file is at the root, wherever the cast runs", () => {
    const root = newRepository({ "sub/a.txt": "" });
    expect(ignore(join(root, "sub"))).toEqual(wrote(root, "/sub/.pi/pi-materia/"));
  });

  it("[U15] jj reads .gitignore too", () => {
    const root = newFolder({ ".jj/x": "" });
    expect(ignore(root, {}, noPrograms)).toEqual(wrote(root));
    expect(ignore(root, {}, noPrograms)).toEqual(kept(root));
  });

  it("[U16] a name full of wildcards means only itself", () => {
    const root = newRepository();
    const runDir = join(root, "#a *[b]?\\ /cast-1");
    write(join(runDir, "journal.jsonl"), "{}");
    write(join(root, "#a xb/other.txt"), "{}");
    expect(ignore(root, { runDir })).toEqual(wrote(root, "/#a \\*\\[b]\\?\\\\ /"));
    expect(ignore(root, { runDir })).toMatchObject({ state: { artifactIgnore: { added: false } } });
    expect(ignore(root, { runDir }, noPrograms)).toMatchObject({ state: { artifactIgnore: { added: false } } });
    expect(git(root, "status", "--porcelain", "-uall")).toBe('?? "#a xb/other.txt"\n?? .gitignore');
  });

  it.each<[rule: string, before: string, after: string]>([
    ["[U18] a file without a final line end", "dist", `dist\n${pattern}\n`],
    ["[U18] an empty file", "", `${pattern}\n`],
    ["[U18] a CRLF file", "dist\r\nout", `dist\r\nout\r\n${pattern}\r\n`],
    ["[U18] a comment that only mentions it", "# .pi/\n", `# .pi/\n${pattern}\n`],
    [
      "[U17] a rule that was taken back",
      ".pi/pi-materia/\n!.pi/pi-materia/\n",
      `.pi/pi-materia/\n!.pi/pi-materia/\n${pattern}\n`,
    ],
    ["[U17] a sibling", ".pi/pi-materia2\n.pi/x\n", `.pi/pi-materia2\n.pi/x\n${pattern}\n`],
  ])("%s", (_rule, before, after) => {
    for (const extra of [{}, noPrograms]) {
      const root = newRepository({ ".gitignore": before });
      expect(ignore(root, {}, extra)).toEqual(wrote(root));
      expect(read(root)).toBe(after);
    }
  });

  it("[U18] keeps bytes that are no UTF-8, and the mode", () => {
    const root = newRepository();
    const file = join(root, ".gitignore");
    writeFileSync(file, Buffer.from("café\n", "latin1"));
    chmodSync(file, 0o640);
    ignore(root);
    expect(readFileSync(file)).toEqual(Buffer.from(`café\n${pattern}\n`, "latin1"));
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it("[U18] replaces the file as a whole, and what a crash left of an earlier try", () => {
    const root = newRepository({ ".gitignore": "dist\n" });
    const held = openSync(join(root, ".gitignore"), "r");
    write(join(root, ".gitignore.cast-1.tmp"), "di");
    ignore(root);
    // Who opened the old file still reads it whole.
    expect(readFileSync(held, "utf8")).toBe("dist\n");
    closeSync(held);
    expect(read(root)).toBe(`dist\n${pattern}\n`);
    expect(readdirSync(root).toSorted()).toEqual([".git", ".gitignore"]);
  });
});

describe("when there is nothing to add", () => {
  const spellings = [
    ".pi/pi-materia",
    ".pi/pi-materia/",
    "/.pi/pi-materia",
    "/.pi/pi-materia/",
    "/.pi/pi-materia/  ",
    ".pi/pi-materia/*",
    ".pi/pi-materia/**",
    ".pi",
    ".pi/",
    "/.pi/",
    "/.pi/*",
    "pi-materia/",
    "**/pi-materia",
    "\uFEFF.pi/",
    "!.pi/\r\n.pi/\r",
  ];

  it("[U17] every usual spelling counts, with git and without", SWEEP, () => {
    const root = newRepository();
    for (const line of sampleCases(spellings, 6)) {
      write(join(root, ".gitignore"), `${line}\n`);
      expect(ignore(root), `with git: ${line}`).toEqual(kept(root));
      expect(ignore(root, {}, noPrograms), `without: ${line}`).toEqual(kept(root));
      expect(read(root)).toBe(`${line}\n`);
    }
  });

  it("[U17] with git, any pattern in any ignore file counts", () => {
    const glob = newRepository({ ".gitignore": ".p[a-i]/*mat*\n" });
    expect(ignore(glob)).toEqual(kept(glob));
    const local = newRepository();
    write(join(local, ".git/info/exclude"), ".pi\n");
    expect(ignore(local)).toEqual(kept(local));
    expect(readdirSync(local).includes(".gitignore")).toBe(false);
  });

  it("[U17] the folder's own ignore file counts, in git and in jj", () => {
    for (const root of [newRepository(), newFolder({ ".jj/x": "" })]) {
      write(join(root, ".pi/pi-materia/.gitignore"), "*\n");
      for (const extra of [{}, noPrograms]) expect(ignore(root, {}, extra)).toEqual(kept(root));
      expect(readdirSync(root).includes(".gitignore")).toBe(false);
    }
  });

  it("[U19] no version control", () => {
    const cwd = newFolder();
    expect(ignore(cwd)).toEqual(nothing(`${cwd} is under no version control`));
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("[U19] an artifact folder outside the repository, or in version control's own folder", () => {
    const root = newRepository();
    const outside = newFolder();
    for (const artifacts of [outside, `${root}-2`, join(root, ".git/materia")]) {
      const reason = `${artifacts} lies outside the files of the repository ${root}`;
      expect(ignore(root, { runDir: join(artifacts, "cast-1") })).toEqual(nothing(reason));
    }
  });

  it("[U19] an artifact folder in another repository", () => {
    const root = newRepository({ "inner/.git/HEAD": "" });
    const artifacts = join(root, "inner/artifacts");
    const reason = `${artifacts} belongs to the repository ${join(root, "inner")}`;
    expect(ignore(root, { runDir: join(artifacts, "cast-1") })).toEqual(nothing(reason));
  });

  it("[U19] an artifact folder that a link puts outside", () => {
    const root = newRepository();
    const outside = newFolder();
    symlinkSync(outside, join(root, ".pi"));
    expect(ignore(root)).toEqual(nothing(`${outside}/pi-materia lies outside the files of the repository ${root}`));
  });
});

describe("what Ignore-Artifacts refuses", () => {
  it("[U20] the root as artifact folder", () => {
    const root = newRepository();
    const ran = runIn("ignore-artifacts", { cwd: root, runDir: join(root, "cast-1") });
    expect(ran).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining('set "artifactDir" to a folder below'),
    });
  });

  it("[U20] a folder with a line break in its name", () => {
    const root = newRepository();
    const ran = runIn("ignore-artifacts", { cwd: root, runDir: join(root, "a\nb/cast-1") });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("without a line break") });
  });

  it("[U20] an ignore file that git would not read", () => {
    const linked = newRepository({ shared: "dist\n" });
    symlinkSync("shared", join(linked, ".gitignore"));
    const folder = newRepository();
    mkdirSync(join(folder, ".gitignore"));
    for (const cwd of [linked, folder]) {
      const ran = runIn("ignore-artifacts", { cwd });
      expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("is not a plain file") });
    }
    expect(readFileSync(join(linked, "shared"), "utf8")).toBe("dist\n");
  });
});

describe("what the materia asks for besides", () => {
  it("[U46] lines are added where they are missing, once", () => {
    const root = newRepository({ ".gitignore": "build\n" });
    const params = { patterns: [".pi/pi-materia/", "build/", "*.log", "*.log"] };
    expect(ignore(root, { params })).toEqual({
      state: { artifactIgnore: { file: join(root, ".gitignore"), pattern, added: true, patterns: ["*.log"] } },
    });
    expect(ignore(root, { params })).toEqual(kept(root));
    expect(read(root)).toBe(`build\n${pattern}\n*.log\n`);
  });

  it.each([["x"], [["a\nb"]], [[1]], [[""]]])("[U46] %j is no list of lines", (patterns) => {
    const root = newRepository();
    expect(runIn("ignore-artifacts", { cwd: root, params: { patterns } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("params.patterns"),
    });
  });
});
