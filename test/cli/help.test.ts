import { dirname } from "node:path";
import { expect, it } from "vitest";
import { COMMANDS } from "../../src/core/command/command-table.ts";
import { COMMAND_GROUPS, RARE_COMMANDS } from "../../src/shell/commands/help.ts";
import { optionHelp } from "../../src/core/command/options.ts";
import { parseArgv, parseText } from "../../src/core/command/parse.ts";
import { castsIn, eventsOf, journalOf, newPlace, run, runProcess } from "../harness/cli.ts";

const ECHO = {
  materia: { Echo: { type: "utility", command: ["echo", "said"] } },
  loadouts: { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Echo" } } } },
  activeLoadout: "Main",
};

it("[C2] help lists every command with its usage, what it does and an example", async () => {
  const { code, stdout } = await run(["--help"], { cwd: newPlace() });
  expect(code).toBe(0);
  for (const { name, usage, does, example } of COMMANDS) {
    expect(stdout).toContain(usage);
    if (RARE_COMMANDS.includes(name)) continue;
    expect(stdout).toContain(does);
    expect(stdout).toContain(`materia ${example}`);
  }
  expect(stdout).toMatch(/^Exit codes: .* 74 .* 75 paused .* 130 aborted$/m);
});

it("[C51] help begins with eight commands of every day, and every command is in one group", () => {
  const names = COMMAND_GROUPS.flatMap(([, group]) => group);
  expect(COMMAND_GROUPS[0]?.[1]).toHaveLength(8);
  expect([...names, ...RARE_COMMANDS].toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
  expect(names.length).toBeLessThanOrEqual(36);
});

it.each<[title: string, args: readonly string[]]>([
  ["[C2] no words at all are a question for help", []],
  ["[C2] -h", ["-h"]],
  ["[C2] help", ["help"]],
])("%s", async (_title, args) => {
  const { code, stdout } = await run(args, { cwd: newPlace() });
  expect([code, stdout.split("\n")[0]]).toEqual([
    0,
    "materia runs repeatable agent work as graphs, on top of the Pi coding agent.",
  ]);
});

it("[C2] -h behind a command asks for its help, and runs nothing; in a longer prompt it is a word", async () => {
  const cwd = newPlace({ "conf.json": ECHO });
  const asked = await run(["cast", "-h"], { cwd });
  expect([asked.code, asked.stdout]).toEqual([0, expect.stringMatching(/^Usage {2}materia cast /)]);
  expect((await run(["cast", "--config", "conf.json", "add", "-h"], { cwd })).code).toBe(0);
  expect(journalOf(cwd, castsIn(cwd)[0] ?? "")[0]).toMatchObject({ request: "add -h" });
});

it("[C2] every command has its own help, which is not the beginning of it", async () => {
  const cwd = newPlace();
  const asked = await Promise.all(
    COMMANDS.map(({ name }) => run([name, "--help"], { cwd }).then(({ code, stdout }) => ({ code, stdout }))),
  );
  expect(asked.map(({ code, stdout }) => [code, stdout.split("\n")[0]])).toEqual(
    COMMANDS.map(({ usage }) => [0, `Usage  materia ${usage}`]),
  );
  expect(castsIn(cwd)).toEqual([]);
});

it.each(COMMANDS)("[C2] the options of $name have the values of its usage", ({ usage, options, meanings }) => {
  const texts = optionHelp(options, meanings).map(([option]) => option);
  const used = [...usage.matchAll(/(--[a-z-]+)(?: (?!FORMAT)([A-Z][A-Z,/|]*|\[URL\]))?/g)];
  const missing = used.filter(([, option = "", value]) => {
    const wanted = value === undefined ? option : `${option} ${value}`;
    return !texts.some((text) => text === wanted || (value === undefined && text.startsWith(`${option} `)));
  });
  expect(missing).toEqual([]);
});

it("[C2] the help of a command gives its meaning of an option", async () => {
  const { stdout } = await run(["init", "--help"], { cwd: newPlace() });
  expect(stdout).toMatch(/^ {2}--from FILE +convert this older configuration to the current form$/m);
});

it.each(COMMANDS.map(({ name, example }) => [`[C2] the example of ${name} can be typed as it stands`, example]))(
  "%s",
  (_title, example) => {
    const typed = parseText(example);
    expect(typed.ok).toBe(true);
    expect(parseArgv(example.split(" "))).toEqual(typed);
  },
);

it("[C2] the version is printed alone", async () => {
  const { code, stdout } = await runProcess(["--version"], { cwd: newPlace() });
  expect([code, /^\d+\.\d+\.\d+\n$/.test(stdout)]).toEqual([0, true]);
});

it.each<[title: string, args: readonly string[]]>([
  ["[C1] behind the command", ["casts", "--cwd", "project", "--artifacts", "kept", "--json", "--no-color"]],
  ["[C1] before the command", ["--cwd", "project", "--artifacts", "kept", "--json", "--no-color", "casts"]],
  ["[C1] on both sides, with = as well", ["--cwd=project", "--json", "casts", "--artifacts=kept"]],
])("%s", async (_title, args) => {
  const cwd = newPlace({ "conf.json": ECHO });
  const from = dirname(cwd);
  const common = ["--cwd", "project", "--config", "project/conf.json", "--artifacts", "kept"];
  expect((await run(["cast", ...common, "hi"], { cwd, from })).code).toBe(0);
  const { code, stdout } = await run(args, { cwd, from });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ loadout: "Main", request: "hi", status: "completed" }]);
});

it("[C1] behind a -- they are words of the prompt", async () => {
  const cwd = newPlace({ "conf.json": ECHO });
  const { code, stdout } = await run(["cast", "--config", "conf.json", "--json", "--", "use", "--json", "--cwd"], {
    cwd,
  });
  expect(code).toBe(0);
  expect(eventsOf(stdout)[0]).toMatchObject({ type: "cast_started", request: "use --json --cwd" });
});

it("[C41] what is suggested is typed as the program was: npx where npm found it", async () => {
  const cwd = newPlace({ "c.json": { materia: { E: { type: "utility", command: ["echo", "hi"] } } } });
  const env = { npm_command: "exec" };
  const typed = async (...words: readonly string[]) => (await run(words, { cwd, env })).stdout;
  expect(await typed("casts")).toContain('"npx materia cast <prompt>"');
  await typed("link", "--config", "c.json", "E", "--", "x");
  expect([await typed("status"), await typed("show")]).toEqual([
    expect.stringContaining("\nnpx materia link --from"),
    expect.stringContaining("  npx materia link --from"),
  ]);
  expect(await typed("init")).toContain("  npx materia check");
  const refused = await run(["status", "nobody"], { cwd, env });
  expect(refused.stderr).toContain('"npx materia casts" lists them');
});
