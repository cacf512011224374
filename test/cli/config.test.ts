import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { schemaText } from "../../scripts/schema-text.ts";
import { listing, newPlace, put, readText, run, userFolder } from "../harness/cli.ts";

interface Problem {
  readonly severity: string;
  readonly code: string;
  readonly file: string | null;
  readonly path: string;
  readonly message: string;
  readonly hint: string | null;
}

function problemsIn(stdout: string): readonly Problem[] {
  return (JSON.parse(stdout) as { issues: readonly Problem[] }).issues;
}

async function check(cwd: string, ...args: readonly string[]) {
  const { code, stdout } = await run(["check", "--json", ...args], { cwd });
  return { code, problems: problemsIn(stdout) };
}

const echo = { Echo: { type: "utility", command: ["echo", "said"] } };
const main = { Main: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Echo" } } } };

it("[F5] without any file everything works", async () => {
  expect(await check(newPlace())).toEqual({ code: 0, problems: [] });
});

it.each<[title: string, args: readonly string[], env: Readonly<Record<string, string>>]>([
  ["[F5] a file named by --config that does not exist is an error with its path", ["--config", "no.json"], {}],
  ["[F5] so is one named by MATERIA_CONFIG", [], { MATERIA_CONFIG: "no.json" }],
])("%s", async (_title, args, env) => {
  const cwd = newPlace();
  const [checked, cast] = await Promise.all([
    run(["check", "--json", ...args], { cwd, env }),
    run(["cast", ...args, "x"], { cwd, env }),
  ]);
  expect([checked.code, problemsIn(checked.stdout)]).toMatchObject([
    1,
    [{ code: "missing_file", file: `${cwd}/no.json` }],
  ]);
  expect([cast.code, cast.stderr]).toEqual([2, expect.stringContaining(`${cwd}/no.json`)]);
});

it.each<[title: string, file: (cwd: string) => string]>([
  ["[F5] a project file that cannot be read is an error with its path", (cwd) => join(cwd, ".pi/pi-materia.json")],
  ["[F5] a user file that cannot be read is an error with its path", (cwd) => join(userFolder(cwd), "materia.json")],
])("%s", async (_title, file) => {
  const cwd = newPlace();
  // A folder of that name: even an administrator cannot read it as a file.
  mkdirSync(file(cwd), { recursive: true });
  const { code, problems } = await check(cwd);
  expect([code, problems]).toMatchObject([1, [{ code: "unreadable_file", file: file(cwd) }]]);
});

it.each<[title: string, text: string, path: string]>([
  ["[F6] a missing value", '{\n  "materia": {\n    "A": ,\n  }\n}', "line 3, column 10"],
  ["[F6] a file that breaks off", '{ "materia": {', "line 1, column 15"],
  ["[F6] no JSON at all", "hello", "line 1, column 1"],
  ["[F6] nothing at all", "", "line 1, column 1"],
])("%s is reported with file, line and column", async (_title, text, path) => {
  const cwd = newPlace({ ".pi/pi-materia.json": text });
  const { code, problems } = await check(cwd);
  expect(code).toBe(1);
  expect(problems[0]).toMatchObject({ severity: "error", code: "bad_json", file: `${cwd}/.pi/pi-materia.json`, path });
});

it("[F7] a file of 10 MB is refused with its size, at once", async () => {
  const cwd = newPlace({ "big.json": `{ "a": "${"x".repeat(10_000_000)}" }` });
  const [checked, cast] = await Promise.all([
    check(cwd, "big.json"),
    run(["cast", "--config", "big.json", "x"], { cwd }),
  ]);
  expect(checked).toMatchObject({ code: 1, problems: [{ code: "file_too_large", file: `${cwd}/big.json` }] });
  expect([cast.code, cast.stderr]).toEqual([2, expect.stringContaining("9.5 MB")]);
});

it("[F12] the published schema is what the validating schemas generate", () => {
  expect(readFileSync(new URL("../../schema/pi-materia.schema.json", import.meta.url), "utf8")).toBe(schemaText());
});

it("[F13, S5] init writes a commented configuration in which the check finds nothing, and trusts it", async () => {
  const cwd = newPlace();
  const wrote = await run(["init"], { cwd });
  expect([wrote.code, wrote.stdout]).toEqual([0, expect.stringContaining("Wrote .pi/pi-materia.json")]);
  expect(readText(join(cwd, ".pi/pi-materia.json"))).toContain("//");
  expect(await check(cwd)).toEqual({ code: 0, problems: [] });
  put(cwd, { "replies.json": { replies: { Build: [{ text: "done" }], Reviewer: [{ json: { satisfied: true } }] } } });
  const cast = await run(["cast", "--rehearse", "replies.json", "Fix the typo"], { cwd });
  expect([cast.code, cast.stdout]).toEqual([0, expect.stringContaining("Fix-And-Review")]);
});

it("[F13] where the file exists it is left alone, and nothing else is written", async () => {
  const cwd = newPlace({ ".pi/pi-materia.json": "// mine\n{}" });
  const before = listing(cwd);
  const { code, stderr } = await run(["init"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("exists")]);
  expect(listing(cwd)).toEqual(before);
});

it("[C19, C42] check prints every problem with its place, the worst case of each sound loadout, and exits with 1", async () => {
  const loop = { sockets: ["Socket-2"], consumes: { from: "Socket-1", output: "workItems" } };
  const cwd = newPlace({
    "conf.json": {
      limts: {},
      materia: { ...echo, Plan: { prompt: "Plan.", generator: true }, Make: { prompt: "{{nothing}}" } },
      loadouts: {
        ...main,
        Items: {
          entry: "Socket-1",
          sockets: {
            "Socket-1": { materia: "Plan", edges: [{ when: "always", to: "Socket-2" }] },
            "Socket-2": { materia: "Make", advance: {}, edges: [{ when: "always", to: "Socket-2" }] },
          },
          loops: { items: loop },
        },
        Broken: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Ehco" } } },
      },
    },
  });
  const [text, data] = await Promise.all([run(["check", "conf.json"], { cwd }), check(cwd, "conf.json")]);
  expect([text.code, data.code]).toEqual([1, 1]);
  expect(data.problems.map(({ severity, code, path, hint }) => `${severity} ${code} ${path} ${hint ?? ""}`)).toEqual(
    expect.arrayContaining([
      'warning unknown_key limts did you mean "limits"?',
      'error unknown_materia loadouts.Broken.sockets.Socket-1.materia did you mean "Echo"?',
      expect.stringMatching(/^warning unknown_variable loadouts\.Items\.sockets\.Socket-2/),
    ]),
  );
  for (const problem of data.problems) {
    expect(Object.keys(problem)).toEqual(["severity", "code", "file", "path", "message", "hint"]);
    expect(problem.file).toBe(`${cwd}/conf.json`);
  }
  expect(text.stdout).toContain("Main: at most 0 turns");
  expect(text.stdout).toContain("Items: at most 1 + n turns (n work items)");
  expect(text.stdout).not.toContain("Broken: ");
  expect(text.stdout).toMatch(/1 error, \d+ warnings?\.\n$/);
});

it("[C19] warnings alone exit with 0", async () => {
  const cwd = newPlace({ "conf.json": { limts: {} } });
  expect(await check(cwd, "conf.json")).toMatchObject({ code: 0, problems: [{ severity: "warning" }] });
});
