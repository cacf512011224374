import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { commitAll } from "../git/scratch.ts";
import { castsIn, journalOf, newPlace, put, readText, run } from "../harness/cli.ts";
import { SWEEP, sampleCases } from "../harness/sweep.ts";

const fixtures = fileURLToPath(new URL("../fixtures/older", import.meta.url));
const workItems = [
  { title: "feat: one", context: "first" },
  { title: "feat: two", context: "second" },
];
const replies = {
  replies: {
    "Auto-Plan": [{ json: { workItems } }],
    "Auto-Architect": [{ json: { workItems } }],
    "Interactive-Plan": [{ text: "Which?" }, { json: { workItems } }],
    Build: [{ text: "built" }],
    "Auto-Eval": [{ json: { satisfied: false, context: "not yet" } }, { json: { satisfied: true, context: "fine" } }],
    Maintain: [{ json: { satisfied: true, context: "kept" } }],
    Narrate: [{ text: "The story." }],
  },
  onEmpty: "repeat-last",
};

function place(): string {
  const cwd = newPlace({ "replies.json": replies });
  cpSync(fixtures, join(cwd, "older"), { recursive: true });
  return cwd;
}

const loadouts = [
  ["older/config/default.json", "Full-Auto", "The story."],
  ["older/config/default.json", "Planning-Consult", "kept"],
  ["older/examples/graph-semantics-loadout.json", "Graph Semantics Example", "kept"],
  ["older/config/default.json", "Hojo-Consult", "The story."],
] as const;

it.each(sampleCases(loadouts, 2))("[M10] %s: %s runs from start to end under a rehearsal", SWEEP, async (...row) => {
  const [file, loadout, last] = row;
  const cwd = place();
  const options = ["--config", file, "--rehearse", "replies.json"];
  const begun = await run(["cast", ...options, "--loadout", loadout, "x"], { cwd });
  const done = begun.code === 4 ? await run(["continue", ...options, "last"], { cwd }) : begun;
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(last)]);
  const events = journalOf(cwd, castsIn(cwd).at(-1) ?? "");
  expect(events.filter(({ type }) => type === "cursor_advanced")).toHaveLength(2);
});

const item = (name: string) => [
  { tools: [{ name: "write", arguments: { path: `${name}.txt`, content: name } }], text: "built" },
];
const parallelReplies = {
  replies: {
    "Parallel-Plan": [{ json: { workItems } }],
    "Parallel-Plan-Interactive": [{ text: "Which?" }, { json: { workItems } }],
    "Build@WI-1": item("one"),
    "Build@WI-2": item("two"),
    "Auto-Eval": [{ json: { satisfied: true, context: "fine" } }],
    "Integration-Review": [{ json: { satisfied: true, context: "whole" } }],
    Narrate: [{ text: "The story." }],
  },
  onEmpty: "repeat-last",
};

it.each<[loadout: string, where: string, prepare: (cwd: string) => void]>([
  ["Parallel-Experimental", "in a folder without a repository", () => undefined],
  ["Parallel-Interactive", "in a repository", (cwd) => commitAll(cwd)],
])(
  "[M7, M10] %s works on its items at once %s, in trees of git, and runs from start to end under a rehearsal",
  async (loadout, _where, prepare) => {
    const cwd = place();
    put(cwd, { "replies.json": parallelReplies });
    prepare(cwd);
    const env = {
      GIT_AUTHOR_NAME: "T",
      GIT_AUTHOR_EMAIL: "t@e.org",
      GIT_COMMITTER_NAME: "T",
      GIT_COMMITTER_EMAIL: "t@e.org",
    };
    const options = ["--config", "older/config/default.json", "--rehearse", "replies.json"];
    const begun = await run(["cast", ...options, "--loadout", loadout, "x"], { cwd, env });
    const done = begun.code === 4 ? await run(["continue", ...options, "last"], { cwd, env }) : begun;
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("The story.")]);
    const events = journalOf(cwd, castsIn(cwd).at(-1) ?? "");
    expect(events.find(({ type }) => type === "loop_forked")).toMatchObject({ lanes: 2, base: expect.any(String) });
    const merged = events.filter(({ type }) => /^(item_merged|loop_joined)$/.test(type)).map(({ type }) => type);
    expect(merged).toEqual(["item_merged", "item_merged", "loop_joined"]);
    expect([readText(join(cwd, "one.txt")), readText(join(cwd, "two.txt"))]).toEqual(["one", "two"]);
  },
);

it("[M1] check says once for the file that it is read as the older form, and exits with 0", async () => {
  const cwd = place();
  const { code, stdout } = await run(["check", "older/examples/graph-semantics-loadout.json"], { cwd });
  expect(code).toBe(0);
  expect(stdout.match(/has the format of pi-materia 0\.1/g)).toHaveLength(1);
  expect(stdout).toContain("No errors, 1 warning.");
});

it("[M8] init --from writes the project's configuration, whose programs are found from its new place", async () => {
  const cwd = place();
  const from = "older/examples/graph-semantics-loadout.json";
  const written = await run(["init", "--from", from], { cwd });
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining(`from ${join(cwd, from)}`)]);
  expect(readText(join(cwd, ".pi/pi-materia.json"))).toContain('"../older/config/utilities/detect-vcs.mjs"');
  expect((await run(["check"], { cwd })).stdout).not.toContain("reads as");
  // [S5] What was just written is trusted.
  expect((await run(["cast", "--rehearse", "replies.json", "x"], { cwd })).code).toBe(0);
});

it("[M8] a file with errors is written, lists them, and ends with 1", async () => {
  const cwd = newPlace();
  const script = { kind: "bundled", name: "nowhere.mjs", runtime: "node" };
  put(cwd, { "old.json": { materia: { Lost: { type: "utility", script } } } });
  const { code, stdout } = await run(["init", "--from", "old.json"], { cwd });
  expect([code, existsSync(join(cwd, ".pi/pi-materia.json"))]).toEqual([1, true]);
  expect(stdout).toContain('error unknown_script: there is no bundled utility "nowhere.mjs"');
});

it.each([
  ["a file that is not there", "nowhere.json", "missing_file"],
  ["a file that is no JSON", "broken.json", "bad_json"],
])("[M8] %s is refused without a trace", async (_what, file, code) => {
  const cwd = newPlace();
  put(cwd, { "broken.json": '{ "a": ' });
  const ran = await run(["init", "--from", file], { cwd });
  expect([ran.code, ran.stderr.includes(`error ${code}`), existsSync(join(cwd, ".pi"))]).toEqual([2, true, false]);
});
