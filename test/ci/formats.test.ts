import { expect, it } from "vitest";
import { newPlace, run } from "../harness/cli.ts";

const config = `{
  "materia": { "Twice": { "prompt": "x", "colour": "red" } },
  "loadouts": {
    "A": {
      "entry": "Socket-1",
      "sockets": { "Socket-1": { "materia": "Biuld" } }
    }
  }
}`;

it("[C56] problems are annotations at their lines, and no name begins another command of the runner", async () => {
  const hostile = config.replace("Biuld", "a%\\n::set-output name=x::y, z:");
  const cwd = newPlace({ "a.json": config, "b.json": hostile });
  const plain = await run(["check", "a.json", "--format", "github"], { cwd });
  expect(plain.code).toBe(1);
  expect(plain.stdout.split("\n")).toContainEqual(
    expect.stringMatching(/^::error file=a\.json,line=6,title=unknown_materia::there is no materia "Biuld"%0A/),
  );
  const { stdout } = await run(["check", "b.json", "--format", "github"], { cwd });
  for (const line of stdout.trim().split("\n")) expect(line).toMatch(/^::(error|warning|notice) [^\n]*::/);
  expect(stdout).not.toMatch(/^::set-output/m);
});

it("[C56] GitLab and SARIF get the same problems with paths, lines and levels", async () => {
  const cwd = newPlace({ "a.json": config });
  const gitlab = JSON.parse((await run(["check", "a.json", "--format", "gitlab"], { cwd })).stdout) as object[];
  expect(gitlab).toContainEqual(
    expect.objectContaining({
      check_name: "unknown_materia",
      severity: "major",
      location: { path: "a.json", lines: { begin: 6 } },
    }),
  );
  const sarif = JSON.parse((await run(["check", "a.json", "--format", "sarif"], { cwd })).stdout) as {
    runs: { results: { ruleId: string; level: string }[] }[];
  };
  expect(sarif.runs[0]?.results.map(({ ruleId, level }) => `${level} ${ruleId}`)).toContain("error unknown_materia");
  expect(sarif.runs[0]?.results).toHaveLength(gitlab.length);
});

const line = {
  materia: { Writer: { prompt: "Write.", tools: "none" } },
  loadouts: { Line: { entry: "Socket-1", sockets: { "Socket-1": { materia: "Writer" } } } },
};

it("[C56] a failed test and a replay that goes differently are findings too", async () => {
  const test = {
    cast: { loadout: "Line", request: "x" },
    config: "line.json",
    replies: { Writer: [{ text: "a" }] },
    expect: { outcome: "failed" },
  };
  const cwd = newPlace({
    "line.json": line,
    "bad.test.json": test,
    "replies.json": { replies: { Writer: [{ text: "a" }] } },
  });
  const tested = await run(["test", "bad.test.json", "--trust", "--format", "github"], { cwd });
  expect([tested.code, tested.stdout]).toEqual([
    1,
    expect.stringMatching(/^::error file=bad\.test\.json,title=test_failed::outcome/),
  ]);
  await run(["cast", "--loadout", "Line", "--config", "line.json", "--rehearse", "replies.json", "x"], { cwd });
  const same = await run(["replay", "--config", "line.json", "--format", "github"], { cwd });
  expect([same.code, same.stdout]).toEqual([0, ""]);
});

it("[C56] an unknown format is refused", async () => {
  const refused = await run(["check", "--format", "xml"], { cwd: newPlace() });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("github, gitlab, sarif")]);
});
