import { expect, it } from "vitest";
import { castsIn, listing, newPlace, put, run, runProcess } from "../harness/cli.ts";

const main = (materia: string) => ({ entry: "Socket-1", sockets: { "Socket-1": { materia } } });
const conf = {
  activeLoadout: "Main",
  materia: {
    Make: { prompt: "Make." },
    Named: { prompt: "Make.", model: "nobody/nothing" },
    Echo: { type: "utility", command: ["echo", "hi"] },
  },
  loadouts: { Main: main("Make"), Named: main("Named"), Echo: main("Echo") },
};
const config = ["--config", "conf.json"];

it.each<[title: string, args: readonly string[], said: string]>([
  ["[A4] no model at all", ["cast", ...config, "x"], "missing_model"],
  ["[A4] a model that Pi does not know", ["cast", ...config, "--model", "nobody/nothing", "x"], "unknown_model"],
  ["[A4] a model without a key", ["cast", ...config, "--model", "anthropic/claude-opus-4-5", "x"], "missing_api_key"],
  ["[A4] the model of a materia", ["cast", ...config, "--loadout", "Named", "x"], "unknown_model"],
  ["[A4] the model of the settings", ["cast", "--config", "set.json", "x"], "at model\n"],
  ["[A4] in a link as well", ["link", ...config, "materia:Echo", "Make", "--", "x"], "missing_model"],
])("%s is refused before the cast exists, with every way out", async (_title, args, said) => {
  const cwd = newPlace({ "conf.json": conf, "set.json": { ...conf, model: "nobody/nothing" } });
  const before = listing(cwd);
  const { code, stdout, stderr } = await run(args, { cwd });
  expect({ code, stdout, after: listing(cwd) }).toEqual({ code: 2, stdout: "", after: before });
  for (const way of [said, "--rehearse", "--model", "/login"]) expect(stderr).toContain(way);
});

it("[A4] a model that was typed is not blamed on a materia that names another", async () => {
  const cwd = newPlace({ "conf.json": conf });
  const { stderr } = await run(
    ["cast", ...config, "--loadout", "Named", "--model", "anthropic/claude-sonet-4-5", "x"],
    {
      cwd,
    },
  );
  expect(stderr).toContain('did you mean "anthropic/claude-sonnet-4-5"');
  expect(stderr).toMatch(/at --model$/m);
  expect(stderr).not.toContain("materia.Named");
});

it.each<[title: string, text: string, problems: readonly string[]]>([
  ["[A14] a rehearsal that is no JSON", '{ "replies": ', ["line 1, column"]],
  ["[A14] a rehearsal without replies", "{}", ["replies"]],
  [
    "[A14] every wrong reply with its place",
    JSON.stringify({ replies: { Make: [{ text: 1 }, { text: "a", json: {} }], Other: {} }, onEmpty: "never" }),
    ["replies.Make.0.text", "replies.Other", "onEmpty"],
  ],
  ["[A14] a misspelt key", JSON.stringify({ replies: { Make: [{ txt: "a" }] } }), ["replies.Make.0"]],
  ["[A14] a list in place of an object", "[]", [""]],
])("%s is refused before the cast starts", async (_title, text, problems) => {
  const cwd = newPlace({ "conf.json": conf, "replies.json": text });
  const before = listing(cwd);
  const { code, stderr } = await run(["cast", ...config, "--rehearse", "replies.json", "x"], { cwd });
  expect({ code, after: listing(cwd) }).toEqual({ code: 2, after: before });
  for (const problem of problems) expect(stderr).toContain(problem);
  expect(stderr).toContain(`${cwd}/replies.json`);
});

it("[A14] the file is looked for where the command is typed", async () => {
  const cwd = newPlace({ "conf.json": conf });
  put(`${cwd}/../elsewhere`, { "replies.json": { replies: { Make: [{ text: "made" }] } } });
  const args = ["cast", "--cwd", cwd, "--config", `${cwd}/conf.json`, "--rehearse", "replies.json", "x"];
  const { code, stdout } = await run(args, { cwd, from: `${cwd}/../elsewhere` });
  expect([code, stdout]).toEqual([0, expect.stringContaining("made")]);
});

/** Ends the process with a special name as soon as anything of Pi is loaded. */
const WATCH = `import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => {
  const found = next(name, context);
  if (found.url.includes("@earendil-works")) { console.error("Pi was loaded"); process.exit(99); }
  return found;
} });`;

it("[C7] commands that run no agent never load Pi", async () => {
  const cwd = newPlace({
    "conf.json": conf,
    "watch.mjs": WATCH,
    "replies.json": { replies: { Make: [{ text: "made" }] } },
  });
  const env = { NODE_OPTIONS: `--import=${cwd}/watch.mjs` };
  const commands = [
    ["--help"],
    ["cast", ...config, "--loadout", "Echo", "x"],
    ["casts"],
    ["status"],
    ["show"],
    ["check", ...config],
    ["grid", ...config],
    ["loadout"],
    ["materia"],
    ["budget"],
    ["init"],
    ["link", "Nope", "--", "x"],
  ];
  const codes: (number | null)[] = [];
  for (const args of commands) codes.push((await runProcess(args, { cwd, env })).code);
  expect(codes).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  expect(castsIn(cwd)).toHaveLength(1);
  const agent = await runProcess(["cast", ...config, "--rehearse", "replies.json", "x"], { cwd, env });
  expect(agent.code).toBe(99);
});
