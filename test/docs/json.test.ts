import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import * as v from "valibot";
import { COMMANDS } from "../../src/core/command/command-table.ts";
import { JSON_SHAPES, jsonText } from "../../scripts/json-shapes.ts";
import { envOf, newPlace, put, run } from "../harness/cli.ts";

const config = {
  activeLoadout: "Pair",
  materia: { Reviewer: { tools: "none", parse: "json", prompt: "Judge." }, Ask: { type: "person", question: "Good?" } },
  loadouts: {
    Pair: {
      entry: "Socket-1",
      sockets: {
        "Socket-1": { materia: "Build", edges: [{ when: "always", to: "Socket-2" }] },
        "Socket-2": {
          materia: "Reviewer",
          edges: [
            { when: "not_satisfied", to: "Socket-1", maxTraversals: 2 },
            { when: "satisfied", to: "end" },
          ],
        },
      },
    },
    Gate: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
  },
};
const write = (content: string) => ({
  tools: [{ name: "write", arguments: { path: "note.txt", content } }],
  text: "Wrote it.",
});
const replies = {
  replies: {
    Build: [write("hi\n"), write("hello\n")],
    Reviewer: [{ json: { satisfied: false, context: "say hello" } }, { json: { satisfied: true } }],
  },
};

let cwd: string;
const OPTIONS = ["--config", "pair.json"];

beforeAll(async () => {
  cwd = newPlace({ "pair.json": config, "replies.json": replies });
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd, env: envOf(cwd) });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "start");
  for (const loadout of ["Gate", "Pair"])
    await run(["cast", "--loadout", loadout, "--rehearse", "replies.json", ...OPTIONS, "Leave a note"], { cwd });
});

/** How each shape is shown; commands that need something else are shown by other tests. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  "<any command that is refused>": ["casts", "prune"],
  casts: ["casts"],
  "status <cast>": ["status", "last"],
  "show <cast>": ["show", "last"],
  "show <cast> <visit>": ["show", "last", "Socket-1#1"],
  "diff <cast>": ["diff", "last"],
  check: ["check"],
  "grid <loadout>": ["grid", "Full-Auto"],
  loadout: ["loadout"],
  materia: ["materia"],
  "materia <name>": ["materia", "Build"],
  "budget <cast>": ["budget", "last"],
  "restore <cast>": ["restore", "last", "--to", "../restored"],
  "open <cast> <visit>": ["open", "last", "Socket-1#1"],
  doctor: ["doctor"],
  "doctor <cast>": ["doctor", "last"],
  "record <cast> <file>": ["record", "last", "note.json"],
  test: ["test", "note.json"],
  "replay <cast>": ["replay", "last"],
  "replay --all": ["replay", "--all"],
  "fork <cast> --plan": ["fork", "last@Socket-1#2", "--plan"],
  "queue add <request>": ["queue", "add", "Leave another note"],
  "queue, queue remove, queue move": ["queue"],
  "queue run": ["queue", "run", "--cost", "0"],
  forecast: ["forecast", "Full-Auto"],
  stats: ["stats"],
  "compare <cast> <cast>": ["compare", "last", "last"],
  fuzz: ["fuzz", "Pair", "--casts", "20"],
  "export <cast>": ["export", "last"],
  "completion <shell>": ["completion", "bash"],
  "help <command>": ["help", "cast"],
};

it.each(Object.entries(CALLS))("[C55] %s prints its shape", async (command, words) => {
  const shape = JSON_SHAPES.find((each) => each.command === command);
  const hasConfig = words[0] !== "help" && words[0] !== "completion";
  const { stdout } = await run([...words, "--json", ...(hasConfig ? OPTIONS : [])], { cwd });
  const read = v.safeParse(shape?.schema ?? v.never(), JSON.parse(stdout));
  expect((read.issues ?? []).map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)).toEqual([]);
});

it("[C55] problems of an older configuration have the shape of all problems", async () => {
  put(cwd, { "older.json": { loadouts: { Old: { entry: "Socket-1", sockets: { "Socket-1": { empty: true } } } } } });
  const schema = JSON_SHAPES.find(({ command }) => command === "check")?.schema ?? v.never();
  const { stdout } = await run(["check", "older.json", "--json"], { cwd });
  expect(v.safeParse(schema, JSON.parse(stdout)).issues).toBeUndefined();
});

it("[C55] a cast prints one event a line, as watch does afterwards", async () => {
  const shape = JSON_SHAPES.find(({ command }) => command.startsWith("cast, link"));
  const { stdout } = await run(["watch", "last", "--json"], { cwd });
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => v.safeParse(shape?.schema ?? v.never(), JSON.parse(line)));
  expect(events.length).toBeGreaterThan(10);
  expect(events.every(({ success }) => success)).toBe(true);
});

it("[C55] an aborted cast and a new configuration print their shapes", async () => {
  const waiting = (await run(["casts", "--json"], { cwd })).stdout;
  const plain = { loadouts: { One: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Build" } } } } };
  const drafting = newPlace({ "draft.json": { replies: { Draft: [{ json: plain }] } } });
  const cast = (JSON.parse(waiting) as { castId: string; status: string }[]).find(({ status }) => status === "waiting");
  const shown = [
    ["abort <cast>", (await run(["abort", cast?.castId ?? "", "--json", ...OPTIONS], { cwd })).stdout],
    [
      "draft <words>",
      (await run(["draft", "--rehearse", "draft.json", "--json", "Build it"], { cwd: drafting })).stdout,
    ],
    ["init", (await run(["init", "--json"], { cwd: newPlace() })).stdout],
  ] as const;
  for (const [command, text] of shown) {
    const schema = JSON_SHAPES.find((each) => each.command === command)?.schema ?? v.never();
    expect(v.safeParse(schema, JSON.parse(text)).issues).toBeUndefined();
  }
});

it("[C55] docs/json.md is what the schemas say, and no command is missing", () => {
  expect(readFileSync(join(import.meta.dirname, "../../docs/json.md"), "utf8")).toBe(jsonText());
  const named = JSON_SHAPES.flatMap(({ command }) => command.split(", ").map((each) => each.split(" ")[0]));
  // These serve or run elsewhere, and print no such result.
  const others = ["ui", "demo", "worker", "fleet", "mcp", "take"];
  expect(COMMANDS.map(({ name }) => name).filter((name) => !named.includes(name) && !others.includes(name))).toEqual(
    [],
  );
});
