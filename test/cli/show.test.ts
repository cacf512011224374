import { existsSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { beforeAll, expect, it } from "vitest";
import { castsIn, newPlace, run } from "../harness/cli.ts";

const conf = {
  activeLoadout: "Main",
  materia: {
    Build: { prompt: "Build it.", tools: "coding" },
    Judge: { prompt: "Judge.", parse: "json" },
    Say: { type: "utility", command: ["sh", "-c", "echo printed; echo complained >&2"] },
  },
  loadouts: {
    Main: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Judge",
          edges: [
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 1 },
            { when: "satisfied", to: "Socket-3" },
          ],
        },
        "Socket-3": { materia: "Say" },
      },
    },
  },
};
const long = Array.from({ length: 9_000 }, (_, index) => `line ${index}`).join("\n");
const replies = {
  Build: [
    {
      tools: [
        { name: "write", arguments: { path: "a.txt", content: "a" } },
        { name: "read", arguments: { path: "none.txt" }, fails: true },
      ],
      text: `# Not a heading of ours\n\`\`\`\n${long}`,
    },
    { text: "again" },
  ],
  Judge: [{ json: { satisfied: false, context: "louder\n# and <b>bolder</b>" } }, { json: { satisfied: true } }],
};

let cwd = "";
let castId = "";
beforeAll(async () => {
  cwd = newPlace({ "c.json": conf, "r.json": { replies } });
  await run(["cast", "--config", "c.json", "--rehearse", "r.json", "do it"], { cwd });
  castId = castsIn(cwd)[0] ?? "";
});

const show = async (...words: readonly string[]) => (await run(["show", ...words], { cwd })).stdout;

it("[C39] the story names the model, and the tools of each visit with those that failed", async () => {
  const story = await show();
  expect(story).toContain("Model: none, the replies come from a file");
  expect(story).toMatch(/1 {2}Build \(Socket-1\).*\n {4}tools: write, read failed\n {4}# Not a heading of ours\n/);
  expect(story).not.toContain("line 8999");
});

it("[C39] --full shows every text whole, and each tool call with its input and output", async () => {
  const story = await show("--full");
  expect(story).toMatch(/1\. write {2}ok {2}a\.txt\n {4}2\. read {2}failed {2}none\.txt\n {7}\S/);
  expect(story).toContain("line 8999");
});

it.each([["last", "Socket-1#1"], ["Socket-1#1"], ["last@Socket-1#1"]])(
  "[C48] one visit: prompt, tool calls, reply and route",
  async (...words) => {
    const text = await show(...words);
    const parts = [
      / 1 {2}Build \(Socket-1\) {2}[\d.:]+/,
      /Model {3}none/,
      /Turns {3}1 turn, .* tokens in/,
      /Prompt\n│ # System\n│ Build it\./,
      /│ do it\n/,
      /Tool calls\n {2}1\. write {2}ok/,
      /2\. read {2}failed/,
      /Reply\n│ # Not a heading/,
      /What came of it/,
      /→ Socket-2 \(Judge\)/,
    ];
    const places = parts.map((part) => text.search(part));
    expect(places.filter((place) => place === -1)).toEqual([]);
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
  },
);

it("[C48] the last visit of a socket, a program, and an unknown visit", async () => {
  expect(await show(castId, "Socket-2")).toContain("said: satisfied");
  expect(await show(castId, "Socket-3")).toMatch(/Input\n[^]*Printed\n│ printed\n\nPrinted as errors\n│ complained/);
  const none = await run(["show", castId, "Socket-9"], { cwd });
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("one of Socket-1#1, Socket-2#1")]);
});

it("[C49] --json has visits under details, or one visit alone", async () => {
  const whole = JSON.parse(await show("--json")) as { readonly details: readonly unknown[] };
  expect(whole.details[0]).toMatchObject({
    socket: "Socket-1",
    visit: 1,
    model: "rehearsal/script",
    replies: [
      {
        tools: [
          { name: "write", failed: false },
          { name: "read", failed: true },
        ],
      },
    ],
  });
  expect(JSON.parse(await show("Socket-2#1", "--json"))).toMatchObject({
    castId,
    materia: "Judge",
    prompt: expect.stringContaining("Judge."),
    events: [
      { type: "visit_started" },
      { type: "handoff_accepted" },
      { type: "visit_completed" },
      { type: "edge_taken" },
    ],
  });
});

it("[C49] --markdown has only our headings, and texts are quoted", async () => {
  const headings = (text: string) =>
    marked.lexer(text).flatMap((token) => (token.type === "heading" ? [`${token.depth} ${token.text}`] : []));
  expect(headings(await show("--markdown", "--full"))).toEqual([
    `1 Cast ${castId}  ✓ completed`,
    "2 1. Build (Socket-1)",
    "2 2. Judge (Socket-2)",
    "2 3. Build (Socket-1), visit 2",
    "2 4. Judge (Socket-2), visit 2",
    "2 5. Say (Socket-3)",
  ]);
  expect(headings(await show("Socket-1#1", "--markdown")).slice(1)).toEqual([
    "2 Prompt",
    "2 Tool calls",
    "2 Reply",
    "2 What came of it",
  ]);
  expect(existsSync(join(cwd, "a.txt"))).toBe(true);
});

it("[C49] work items are a list below the line that counts them", async () => {
  const place = newPlace({
    "r.json": {
      replies: { Planner: [{ json: { workItems: ["one", "two"].map((title) => ({ title, context: "" })) } }] },
    },
  });
  await run(["link", "--rehearse", "r.json", "Planner", "--", "plan"], { cwd: place });
  const { stdout } = await run(["show", "--markdown"], { cwd: place });
  expect(stdout).toContain("\n- handed over 2 work items\n  1. one\n  2. two\n- ");
});
