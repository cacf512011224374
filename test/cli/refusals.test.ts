import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { castsIn, listing, newPlace, run } from "../harness/cli.ts";

const conf = {
  artifactDir: "casts",
  materia: {
    Echo: { type: "utility", command: ["echo", "said"] },
    Judge: { prompt: "Judge.", tools: { type: "custom", tools: ["raed"] } },
    Broken: { prompt: 1 },
  },
  loadouts: {
    Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Echo" } } },
    Tools: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Judge" } } },
    Faulty: {
      entry: "Socket-9",
      sockets: { "Socket-1": { materia: "Ecko", edges: [{ when: "satisfied", to: "Socket-2" }] } },
    },
  },
};

let cwd: string;

beforeAll(() => {
  cwd = newPlace({ "conf.json": conf, "replies.json": { replies: {} }, "bad.json": '{ "a": 1,\n  "b": }' });
});

const config = ["--config", "conf.json"];
const rehearsed = ["--rehearse", "replies.json"];

/** Each refused with 2, with these codes at these places, and without a trace. */
it.each<[title: string, args: readonly string[], problems: readonly string[], hint?: string]>([
  ["[C3, C4] an unknown command", ["csat", "x"], ["unknown_command: csat"], 'did you mean "materia cast"?'],
  ["[C4] an unknown topic of help", ["help", "lnik"], ["unknown_command: lnik"], 'did you mean "materia link"?'],
  ["[C4] an unknown option", ["casts", "--jsn"], ["unknown_option: --jsn"], 'did you mean "--json"?'],
  ["[C4] an option of another command", ["casts", "--allow", "1"], ["unknown_option: --allow"]],
  [
    "[C4] all wrong options at once",
    ["recast", "--alow", "1", "--budget", "much", "--cost"],
    ["unknown_option: --alow", "bad_option: --budget", "bad_option: --cost"],
  ],
  ["[C4] a part of a whole number", ["recast", "--allow", "1.5"], ["bad_option: --allow"]],
  ["[C4] a negative number", ["recast", "--budget=-1"], ["bad_option: --budget=-1"]],
  ["[C4] a flag with a value", ["casts", "--json=yes"], ["bad_option: --json=yes"]],
  ["[C4] too many words", ["status", "a", "b"], ["too_many_words: b"], "usage: materia status [castId]"],
  ["[C4] a word where there is none", ["init", "here"], ["too_many_words: here"]],
  ["[C8] a cast without a prompt", ["cast", ...config], ["missing_prompt: cast"]],
  ["[C8] a cast with a blank prompt", ["cast", ...config, " \n"], ["missing_prompt: cast"]],
  ["[C4] an unknown loadout", ["cast", ...config, "--loadout", "Mian", "x"], ["unknown_target: loadout:Mian"]],
  ["[C4] an unknown loadout to choose", ["loadout", "Ful-Auto"], ["unknown_loadout: Ful-Auto"], '"Full-Auto"'],
  ["[C4] an unknown materia", ["materia", "Biuld"], ["unknown_materia: Biuld"]],
  ["[C4] a materia with problems", ["materia", ...config, "Broken"], ["bad_value: "]],
  ["[C4] an unknown graph", ["grid", "Full-Atuo"], ["unknown_target: loadout:Full-Atuo"]],
  [
    "[C4] every problem of a loadout",
    ["cast", ...config, "--loadout", "Faulty", "x"],
    ["unknown_materia: ", "unknown_socket: ", "unknown_socket: "],
    'did you mean "Echo"?',
  ],
  ["[C3] a folder that is not there", ["casts", "--cwd", "nowhere"], ["missing_folder: --cwd"]],
  ["[C3] a configuration that is not there", ["cast", "--config", "no.json", "x"], ["missing_file: "]],
  ["[C3] a configuration that is no JSON", ["cast", "--config", "bad.json", "x"], ["bad_json: "]],
  ["[C3] a rehearsal that is not there", ["cast", ...config, "--rehearse", "no.json", "x"], ["missing_file: "]],
  [
    "[C3] a tool that does not exist",
    ["cast", ...config, ...rehearsed, "--loadout", "Tools", "x"],
    ["unknown_tool: materia.Judge.tools"],
    'did you mean "read"?',
  ],
  ["[C4] an unknown durability", ["cast", ...config, "--durability", "soon", "x"], ["bad_option: --durability"]],
  ["[C3] no casts yet to look at", ["status"], ["missing_cast: "], 'start one with "materia cast <prompt>"'],
  ["[C3] nothing to resume", ["recast", ...config], ["missing_cast: "]],
  ["[C3] nothing to abort", ["abort"], ["missing_cast: "]],
  ["[C3] nobody waits", ["continue", "yes"], ["missing_cast: "]],
  ["[C3] a cast that is not there", ["show", "20260101-000000-abcdef"], ["unknown_cast: 20260101-000000-abcdef"]],
  ["[C3] a message behind an id that is not there", ["continue", "20260101-000000-abcdef", "yes"], ["unknown_cast: "]],
  ["[C4] prune without a measure", ["casts", "prune"], ["missing_option: prune"]],
])("%s", async (_title, args, problems, hint) => {
  const before = listing(cwd);
  const { code, stdout, stderr } = await run(args, { cwd });
  expect({ code, stdout, after: listing(cwd) }).toEqual({ code: 2, stdout: "", after: before });
  const found = [...stderr.matchAll(/^error (\w+): .*(?:\n {2}at (.*))?/gm)].map(([, what, at]) => `${what}: ${at}`);
  // Where a place is left open, only the code is compared.
  const cut = found.map((problem, index) =>
    problems[index]?.endsWith(": ") ? problem.replace(/: .*/, ": ") : problem,
  );
  expect(cut).toEqual(problems);
  expect(stderr).toContain(hint ?? "");
});

it.each(["../x", "..", "a/b", "a\\b", "", " ", ".", "-x", "_x", "a b", "é", "a\nb", `x${"y".repeat(300)}`])(
  "[C6] %j is no cast id",
  async (id) => {
    const before = listing(cwd);
    const { code, stderr } = await run(["show", id], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining("error bad_cast_id")]);
    expect(listing(cwd)).toEqual(before);
  },
);

it("[C6] an id is refused before the disk is looked at, even where its folder is a cast", async () => {
  const project = newPlace({ "conf.json": conf });
  expect((await run(["cast", ...config, "--loadout", "Main", "x"], { cwd: project })).code).toBe(0);
  const [castId = ""] = castsIn(project, "casts");
  renameSync(join(project, "casts", castId), join(project, "casts", "_x"));
  symlinkSync(join(project, "casts", "_x"), join(project, "casts", castId));
  symlinkSync(join(project, "casts"), join(project, "linked"));
  const asked = [
    await run(["show", ...config, "_x"], { cwd: project }),
    await run(["show", ...config, "--artifacts", "linked", castId], { cwd: project }),
  ];
  expect(asked.map(({ code, stderr }) => [code, /^error (\w+)/.exec(stderr)?.[1]])).toEqual([
    [2, "bad_cast_id"],
    [0, undefined],
  ]);
});
