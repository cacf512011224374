import { beforeAll, expect, it } from "vitest";
import { castFile, castsIn, jsonOf, listing, newPlace, put, readText, run } from "../harness/cli.ts";

const conf = {
  activeLoadout: "Do",
  materia: {
    Ask: { prompt: "Ask.", interactive: true },
    Do: { type: "utility", command: ["echo", "done"] },
  },
  loadouts: {
    Talk: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ask" } } },
    Do: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Do" } } },
  },
};
const config = ["--config", "conf.json"];
const talk = [...config, "--loadout", "Talk", "--rehearse", "replies.json"];
const replies = { replies: { Ask: [{ text: "What?" }, { text: "I see." }] }, onEmpty: "repeat-last" };

let cwd: string;
let ids: readonly string[];

beforeAll(async () => {
  cwd = newPlace({
    "conf.json": conf,
    "replies.json": replies,
    "request.md": "\ufeffFirst line\n\nकाम करो\n",
    empty: " \n",
  });
  await run(["cast", ...config, "one"], { cwd });
  await run(["cast", ...config, "two"], { cwd });
  ids = castsIn(cwd);
});

const shown = async (...args: readonly string[]) => run(["show", ...config, "--json", ...args], { cwd });
const requestOf = (stdout: string): unknown => (JSON.parse(stdout) as { request: unknown }).request;
const requestOfNewest = (project: string): unknown =>
  (jsonOf(castFile(project, castsIn(project).at(-1) ?? "", "cast.json")) as { request: unknown }).request;

it("[C28] a cast is named by its id, by the beginning of one and by last", async () => {
  const [one = "", two = ""] = ids;
  const beginning = one.slice(0, one.split("").findIndex((letter, at) => letter !== two[at]) + 1);
  const asked = await Promise.all([shown(one), shown(beginning), shown("last"), shown()]);
  expect(asked.map(({ stdout }) => requestOf(stdout))).toEqual(["one", "one", "two", "two"]);
});

it("[C28] what several ids begin with names none, and the refusal names them", async () => {
  const { code, stderr } = await run(["status", ...config, "20"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain("error ambiguous_cast: 2 casts begin with");
  for (const id of ids) expect(stderr).toContain(id);
});

it("[C28] a link goes on from the newest cast", async () => {
  const { code } = await run(["link", ...config, "--from", "last", "materia:Do", "--", "three"], { cwd });
  expect(code).toBe(0);
  expect(jsonOf(castFile(cwd, castsIn(cwd).at(-1) ?? "", "cast.json"))).toMatchObject({ fromCastId: ids[1] });
});

it("[C50] recast without an id does not skip the newest cast", async () => {
  const broken = { ...conf, materia: { ...conf.materia, Do: { type: "utility", command: ["false"] } } };
  const project = newPlace({ "conf.json": conf, "broken.json": broken });
  await run(["cast", "--config", "broken.json", "fails"], { cwd: project });
  await run(["cast", ...config, "works"], { cwd: project });
  const before = listing(project);
  const { code, stderr } = await run(["recast", ...config], { cwd: project });
  expect([code, listing(project)]).toEqual([2, before]);
  expect(stderr).toContain("the newest cast is completed");
  expect(stderr).toContain(`recast ${castsIn(project)[0]}`);
});

it.each(["20191115", "20191115-", "20191115-10", "20191115-101010-ab"])(
  "[C47] %j as the first word of an answer is never sent to an agent by accident",
  async (word) => {
    const project = newPlace({ "conf.json": conf, "replies.json": replies });
    await run(["cast", ...talk, "hello"], { cwd: project });
    const journal = castFile(project, castsIn(project)[0] ?? "", "journal.jsonl");
    const before = readText(journal);
    const { code, stderr } = await run(["continue", ...config, word, "go", "on"], { cwd: project });
    expect([code, readText(journal)]).toEqual([2, before]);
    expect(stderr).toMatch(/error unknown_cast.*continue -- …/s);
  },
);

it("[C47] a number that cannot be a cast id is an answer", async () => {
  const project = newPlace({ "conf.json": conf, "replies.json": replies });
  await run(["cast", ...talk, "hello"], { cwd: project });
  expect((await run(["continue", ...config, "8080"], { cwd: project })).code).toBe(4);
  expect(readText(castFile(project, castsIn(project)[0] ?? "", "journal.jsonl"))).toContain('"text":"8080"');
});

it("[C28, C47] the beginning of an id and last name the cast that waits, and behind the delimiter all is message", async () => {
  const project = newPlace({ "conf.json": conf, "replies.json": replies });
  await run(["cast", ...talk, "hello"], { cwd: project });
  const [castId = ""] = castsIn(project);
  await run(["continue", ...config, castId.slice(0, 4), "first"], { cwd: project });
  await run(["continue", ...config, "last", "second"], { cwd: project });
  await run(["continue", ...config, "--", "last", "third"], { cwd: project });
  const said = readText(castFile(project, castId, "journal.jsonl")).matchAll(
    /"type":"person_answered".*?"text":"([^"]*)"/g,
  );
  expect([...said].map(([, text]) => text)).toEqual(["first", "second", "last third"]);
});

it("[C29] the request is read from standard input", async () => {
  const { code } = await run(["cast", ...config, "-"], { cwd, stdin: "line one\nline two" });
  expect([code, requestOfNewest(cwd)]).toEqual([0, "line one\nline two"]);
});

it("[C29] the request is read from a file, relative to where the command is typed", async () => {
  const { code } = await run(["link", ...config, "materia:Do", "--", "@request.md"], { cwd });
  expect([code, requestOfNewest(cwd)]).toEqual([0, "First line\n\nकाम करो\n"]);
});

it("[C29] an answer is read from a file", async () => {
  const project = newPlace({ "conf.json": conf, "replies.json": replies, "answer.md": "by file" });
  await run(["cast", ...talk, "hello"], { cwd: project });
  await run(["continue", ...config, "last", "@answer.md"], { cwd: project });
  expect(readText(castFile(project, castsIn(project)[0] ?? "", "journal.jsonl"))).toContain("by file");
});

it.each([
  ["a sentence", ["@alice should look at it"], "@alice should look at it"],
  ["behind the delimiter", ["--", "@alice"], "@alice"],
  ["a dash behind the delimiter", ["--", "-"], "-"],
  ["a dash among words", ["-", "a", "list"], "- a list"],
])("[C29] %s is taken as it stands, and so recorded that it can be typed again", async (_what, words, text) => {
  const { code } = await run(["cast", ...config, ...words], { cwd, stdin: "not this" });
  expect([code, requestOfNewest(cwd)]).toEqual([0, text]);
  const { command } = jsonOf(castFile(cwd, castsIn(cwd).at(-1) ?? "", "cast.json")) as { command: string };
  expect(command.endsWith(text === "- a list" || text.includes(" ") ? text : `-- ${text}`)).toBe(true);
});

it.each<[string, readonly string[], string, string]>([
  ["no such file", ["@nowhere.md"], "", "missing_file"],
  ["a folder", ["@.pi"], "", "unreadable_file"],
  ["an empty file", ["@empty"], "", "missing_prompt"],
  ["nothing on standard input", ["-"], " \n", "missing_prompt"],
  ["too much on standard input", ["-"], "x".repeat(1024 * 1024 + 1), "file_too_large"],
])("[C29] %s is refused without a trace", async (_what, words, stdin, code) => {
  const before = listing(cwd);
  const ran = await run(["cast", ...config, ...words], { cwd, stdin });
  expect([ran.code, ran.stderr.includes(`error ${code}`), listing(cwd)]).toEqual([2, true, before]);
});

it.each<[string, readonly string[], string]>([
  ["a wrong word", ["csat", "--json"], "unknown_command"],
  ["a wrong option", ["casts", "--json", "--jsn"], "unknown_option"],
  ["a cast that is not there", ["show", "--json", "20260101-000000-abcdef"], "unknown_cast"],
  ["a cast without a request", ["cast", "--json", "--config", "conf.json"], "missing_prompt"],
  ["an untrusted project", ["cast", "--json", "--cwd", "untrusted", "x"], "untrusted_project"],
])("[C30] %s is refused as JSON on standard output", async (_what, args, code) => {
  put(cwd, { "untrusted/.pi/pi-materia.json": conf });
  const ran = await run(args, { cwd });
  const { issues } = JSON.parse(ran.stdout) as { issues: readonly Record<string, unknown>[] };
  expect([ran.code, issues.map((issue) => issue["code"])]).toEqual([2, [code]]);
  expect(Object.keys(issues[0] ?? {})).toEqual(["severity", "code", "file", "path", "message", "hint"]);
  expect(ran.stderr).toContain(`error ${code}`);
});

it.each([["--json"], ["help", "--json"], ["help", "cast", "--json"], ["--version", "--json"]])(
  "[C30] %j is JSON too",
  async (...args) => {
    expect(JSON.parse((await run(args, { cwd })).stdout)).toBeTypeOf("object");
  },
);

it.each([
  ["continue", "no cast here waits for an answer"],
  ["recast", "no cast here failed, was paused, aborted or interrupted"],
  ["abort", "no cast here is running, waiting or interrupted"],
])("[C31] %s says what it was looking for and how the newest cast stands", async (command, text) => {
  const { code, stderr } = await run([command, ...config], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain(text);
  expect(stderr).toContain(`the newest, ${castsIn(cwd).at(-1)}, is completed`);
});
