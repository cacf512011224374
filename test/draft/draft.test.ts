import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/core/model/json.ts";
import { castsIn, envOf, newPlace, put, run } from "../harness/cli.ts";

const sound = {
  materia: { Review: { tools: "readOnly", parse: "json", prompt: "Judge the change." } },
  loadouts: {
    "Write-And-Judge": {
      description: "Writes and judges.",
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Review",
          edges: [
            { when: "satisfied", to: "end" },
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
          ],
        },
      },
    },
  },
};
const spoilt = (from: string, to: string): JsonObject =>
  JSON.parse(JSON.stringify(sound).replace(from, to)) as JsonObject;
const unknown = spoilt('"materia":"Review"', '"materia":"Reviewer","retry":3');
const endless = spoilt(',"maxTraversals":2', "");

const replies = (...drafts: readonly (JsonObject | string)[]): JsonObject => ({
  replies: {
    Draft: drafts.map((draft) => (typeof draft === "string" ? { text: draft } : { json: draft })),
    Build: [{ tools: [{ name: "write", arguments: { path: "a.txt", content: "hi" } }], text: "done" }],
    Review: [{ json: { satisfied: true } }],
  },
});

const draft = (cwd: string, ...args: readonly string[]) => run(["draft", "--rehearse", "r.json", ...args], { cwd });

it("[YD4, YD5] a draft that was refused twice is sound the third time, and is printed with its bill", async () => {
  const cwd = newPlace({ "r.json": replies("Sure, I will.", unknown, endless, sound) });
  const { code, stdout, stderr } = await draft(cwd, "Write it and judge it");
  expect(code).toBe(0);
  expect(stdout).toContain("Write-And-Judge  Build → Review\nat most 6 turns · likely ");
  expect(stdout).toContain("runs: any command (Build) · may write files: Build");
  expect(stdout).toContain('"Socket-2": {');
  expect(stderr).toMatch(
    /Round 1: 1 problem.*bad_draft.*Round 2: 3 problems.*unknown_key.*Reviewer.*Round 3: .*unbounded_cycle/s,
  );
  expect([existsSync(join(cwd, ".pi")), readdirSync(join(dirname(cwd), "tmp"))]).toEqual([false, []]);
});

it("[YD4] after four rounds the last problems are the refusal, and nothing was written", async () => {
  const cwd = newPlace({ "r.json": replies(unknown, unknown, unknown, endless, sound) });
  const { code, stdout } = await draft(cwd, "--save", "X", "--json", "Write it");
  const { issues } = JSON.parse(stdout) as { issues: readonly object[] };
  expect([code, issues]).toMatchObject([
    2,
    [
      { code: "draft_failed", hint: expect.stringContaining("--model") },
      { code: "unbounded_cycle", severity: "error" },
    ],
  ]);
  expect(existsSync(join(cwd, ".pi"))).toBe(false);
});

it.each<[title: string, words: string, said: JsonObject | string, issue: object]>([
  [
    "[YD4] what no loadout can do",
    "Water my plants",
    { cannot: "a loadout has no hands", nearest: "write a reminder" },
    { code: "cannot_draft", message: "a loadout has no hands", hint: "write a reminder" },
  ],
  ["[YD4] an empty text", " ", sound, { code: "missing_prompt" }],
  ["[YD4] more than 20,000 characters", "x".repeat(20_001), sound, { code: "bad_option" }],
])("%s is refused", async (_title, words, said, issue) => {
  const cwd = newPlace({ "r.json": replies(said) });
  const { code, stdout } = await draft(cwd, "--json", words);
  expect([code, JSON.parse(stdout)]).toMatchObject([2, { issues: [issue] }]);
});

it.each([
  ["10,000 characters", "ab ".repeat(3_334)],
  ["Hindi", "हर TODO को ठीक करो"],
])("[YD4] a description: %s", async (_title, words) => {
  const cwd = newPlace({ "r.json": replies(sound) });
  const { code, stdout } = await draft(cwd, "--json", words);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { name: "Write-And-Judge", rounds: 1, saved: null, bill: { shape: "Build → Review" } },
  ]);
});

it.each(["__proto__", " x ", "a\tb", "x".repeat(101)])(
  "[YD9] --save refuses %j, a name that no configuration may have",
  async (name) => {
    const cwd = newPlace({ "r.json": replies(sound) });
    const { code, stdout } = await draft(cwd, "--save", name, "--json", "Write it");
    expect([code, JSON.parse(stdout)]).toMatchObject([2, { issues: [{ code: "bad_name" }] }]);
    expect(existsSync(join(cwd, ".pi"))).toBe(false);
  },
);

it("[YD9] --save keeps comments and order, and gives no trust", async () => {
  const before =
    '{\n  // ours\n  "activeLoadout": "Full-Auto",\n  "loadouts": {\n    // first\n    "Z": { "entry": "Socket-1", "sockets": { "Socket-1": { "materia": "Build" } } }\n  }\n}\n';
  const cwd = newPlace({ "r.json": replies(sound), ".pi/pi-materia.json": before });
  expect((await draft(cwd, "--save", "Mine", "Write it")).code).toBe(0);
  const text = readFileSync(join(cwd, ".pi/pi-materia.json"), "utf8");
  expect(text).toMatch(/^\{\n {2}\/\/ ours\n[^]*\/\/ first\n {4}"Z"[^]*"Mine": \{[^]*"Review": \{/);
  expect((await run(["check", "--bill", "--loadout", "Mine"], { cwd })).stdout).toContain("Mine  Build → Review");
  const cast = await run(["cast", "--loadout", "Mine", "--rehearse", "r.json", "--json", "x"], { cwd });
  expect([cast.code, JSON.parse(cast.stdout)]).toMatchObject([2, { issues: [{ code: "untrusted_project" }] }]);
});

it("[YD9] a name that exists is refused before the agent is asked; a materia that the file has since when it is written", async () => {
  const cwd = newPlace({ "r.json": replies(sound) });
  const named = await draft(cwd, "--save", "Full-Auto", "--json", "Write it");
  expect([named.code, JSON.parse(named.stdout), named.stderr]).toMatchObject([
    2,
    { issues: [{ code: "bad_name" }] },
    expect.not.stringContaining("Drafting"),
  ]);
  const { saveDraft } = await import("../../src/shell/commands/draft.ts");
  put(cwd, { ".pi/pi-materia.json": { materia: { Review: { prompt: "Other." } } } });
  const saved = saveDraft({ cwd, env: envOf(cwd) }, { name: "Write-And-Judge", config: sound }, "Mine");
  expect(saved).toMatchObject({ ok: false, issues: [{ code: "file_changed" }] });
  expect(readFileSync(join(cwd, ".pi/pi-materia.json"), "utf8")).not.toContain("Mine");
});

it("[YD8] --from changes a loadout of the project or of a file, which may keep its name", async () => {
  const cwd = newPlace({
    "r.json": replies(sound),
    "old.json": { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } },
  });
  expect((await draft(cwd, "--from", "old.json", "Add a judge")).code).toBe(0);
  expect((await draft(cwd, "--from", "Full-Auto", "Add a judge")).code).toBe(0);
  const none = await draft(cwd, "--from", "nothing.json", "--json", "Add a judge");
  expect([none.code, JSON.parse(none.stdout)]).toMatchObject([2, { issues: [{ code: "missing_file" }] }]);
  put(cwd, {
    ".pi/pi-materia.json": {
      loadouts: { "Write-And-Judge": { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } },
    },
  });
  expect((await draft(cwd, "--json", "Write it")).code).toBe(2);
  expect((await draft(cwd, "--from", "Write-And-Judge", "--save", "Write-And-Judge", "Add a judge")).code).toBe(0);
});

it("[YD10] --cast without anybody to ask only drafts; with --yes the draft is cast and not saved", async () => {
  const cwd = newPlace({ "r.json": replies(sound) });
  const asked = await draft(cwd, "--cast", "Say hi", "Write it");
  expect([asked.code, asked.stderr, castsIn(cwd)]).toEqual([0, expect.stringContaining("it was not cast"), []]);
  const done = await draft(cwd, "--cast", "Say hi", "--yes", "Write it");
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("✓ completed  Write-And-Judge")]);
  expect([castsIn(cwd).length, existsSync(join(cwd, ".pi/pi-materia.json"))]).toEqual([1, false]);
});
