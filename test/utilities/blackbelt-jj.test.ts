import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, newProgram, newRepository, resultOf, runIn } from "./harness.ts";

interface Scene {
  readonly content: "empty" | "changed";
  readonly all?: string;
  readonly nearest?: string;
  readonly here?: string;
}

const wanted = "materia/x";

/** A stand-in for jj that answers the questions and writes down the commands. */
function play(scene: Scene): { readonly commands: readonly string[]; readonly blackbelt: unknown } {
  const root = newFolder({ ".jj/x": "" });
  const log = join(newFolder({ log: "" }), "log");
  const path = newProgram(
    "jj",
    `shift 2
case "$*" in
  log*) printf 'c0ffee ${scene.content}' ;;
  "bookmark list -r @ "*) printf '${scene.here ?? ""}' ;;
  "bookmark list -r heads"*) printf '${scene.nearest ?? ""}' ;;
  "bookmark list "*) printf '${scene.all ?? ""}' ;;
  *) echo "$*" >> '${log}' ;;
esac`,
  );
  const result = resultOf("blackbelt-bootstrap", { cwd: root, request: "x" }, { PATH: `${path}:/usr/bin:/bin` });
  const commands = readFileSync(log, "utf8").split("\n").filter(Boolean);
  return { commands, blackbelt: (result as { state: { blackbelt: { root: string } } }).state.blackbelt };
}

describe("Blackbelt-Bootstrap with jj", () => {
  it.each<[rule: string, scene: Scene, commands: readonly string[]]>([
    ["[U31] an empty change is used", { content: "empty" }, ["bookmark create materia/x -r @"]],
    ["[U31] work is left in its change", { content: "changed" }, ["new", "bookmark create materia/x -r @"]],
    [
      "[U31] another bookmark is not moved",
      { content: "empty", all: "main\\n", nearest: "main\\n", here: "main\\n" },
      ["new", "bookmark create materia/x -r @"],
    ],
    [
      "[U22, U31] a taken name gets a number",
      { content: "empty", all: `${wanted}\\nmain\\n` },
      [`bookmark create ${wanted}-2 -r @`],
    ],
    ["[U32] our bookmark here is kept", { content: "empty", all: `${wanted}\\n`, nearest: wanted, here: wanted }, []],
    ["[U32] our bookmark below is kept", { content: "changed", all: wanted, nearest: wanted }, ["new"]],
    ["[U32] a numbered one too", { content: "empty", all: `${wanted}\\n${wanted}-2`, nearest: `${wanted}-2` }, []],
    [
      "[U32] a longer name is another",
      { content: "empty", all: `${wanted}-y`, nearest: `${wanted}-y` },
      [`bookmark create ${wanted} -r @`],
    ],
  ])("%s", (_rule, scene, commands) => {
    expect(play(scene).commands).toEqual(commands);
  });

  it("[U31] reports the change that holds the earlier work", () => {
    expect(play({ content: "changed" }).blackbelt).toEqual({
      kind: "jj",
      root: expect.any(String),
      branch: wanted,
      created: { repository: false, branch: true, commits: [] },
      checkpoint: { commits: ["c0ffee"] },
    });
  });

  it("[U32] refuses without jj, even where git would work", () => {
    const root = newRepository({ ".jj/x": "" });
    const before = readFileSync(join(root, ".git/HEAD"), "utf8");
    const ran = runIn("blackbelt-bootstrap", { cwd: root, request: "x" }, { PATH: newFolder() });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("jj was not found on PATH") });
    expect(readFileSync(join(root, ".git/HEAD"), "utf8")).toBe(before);
  });

  it("[U32] passes on what jj complains about", () => {
    const root = newFolder({ ".jj/x": "" });
    const PATH = newProgram("jj", 'echo "Error: The working copy is stale" >&2; exit 1');
    const ran = runIn("blackbelt-bootstrap", { cwd: root, request: "x" }, { PATH });
    expect(ran).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining("working copy is stale") });
    expect(existsSync(join(root, ".git"))).toBe(false);
  });
});
