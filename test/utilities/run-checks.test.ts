import { describe, expect, it } from "vitest";
import { newFolder, newProgram, runIn, runRaw } from "./harness.ts";

const NPM = JSON.stringify({ scripts: { test: "vitest", lint: "eslint" } });

/** Programs that say how they were called. */
function programs(...names: readonly string[]): { readonly PATH: string } {
  const folders = names.map((name) => newProgram(name, `echo "ran ${name} $*"`));
  return { PATH: [...folders, process.env["PATH"]].join(":") };
}

describe("Run-Checks", () => {
  it.each<[rule: string, command: unknown, printed: string]>([
    ["[Q9] a list of words", ["echo", "a  b"], "Run-Checks: echo a  b (params.command)\na  b\n"],
    ["[Q9] a text for the shell", "echo a && echo b", "Run-Checks: sh -c echo a && echo b (params.command)\na\nb\n"],
  ])("%s", (_rule, command, stdout) => {
    expect(runIn("run-checks", { cwd: newFolder(), params: { command } })).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("[Q9] its answer is that of the command", () => {
    expect(runIn("run-checks", { cwd: newFolder(), params: { command: "exit 7" } }).code).toBe(7);
  });

  it.each<[rule: string, files: Readonly<Record<string, string>>, says: string]>([
    ["[Q9] a script of package.json", { "package.json": NPM }, 'npm run test (package.json has a script "test")'],
    ["[Q9] its lock file", { "package.json": NPM, "pnpm-lock.yaml": "" }, "pnpm run test ("],
    [
      "[Q9] not the stand-in of npm init",
      { "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1","check":"x"}}' },
      "npm run check (",
    ],
    ["[Q9] a package.json before a Makefile", { "package.json": NPM, Makefile: "test:\n" }, "npm run test ("],
    [
      "[Q9] a Makefile",
      { "package.json": "{}", Makefile: "test := 1\ncheck: a\n" },
      "make check (Makefile has a target",
    ],
    ["[Q9] cargo", { "Cargo.toml": "" }, "cargo test (there is a Cargo.toml)"],
    ["[Q9] go", { "go.mod": "" }, "go test ./... (there is a go.mod)"],
    ["[Q9] pytest", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, "python3 -m pytest (pyproject.toml"],
    ["[Q9] tests of Python", { "tests/test_a.py": "" }, "python3 -m pytest (there are test_*.py files in tests)"],
  ])("%s", (_rule, files, says) => {
    const env = programs("npm", "pnpm", "make", "cargo", "go", "python3");
    const { code, stdout } = runIn("run-checks", { cwd: newFolder(files) }, env);
    expect(code).toBe(0);
    expect(stdout).toContain(`Run-Checks: ${says}`);
    expect(stdout).toContain("\nran ");
  });

  it.each<[rule: string, params: object, says: string]>([
    ["[Q10] no with nothing to run", {}, "says how this project is checked; set params.command"],
    [
      "[Q10] no with a missing program",
      { command: ["no-such-program"] },
      "there is no program no-such-program; install it",
    ],
    ["[Q9] no with a command that is none", { command: 7 }, "params.command is neither a text nor a list of words"],
  ])("%s", (_rule, params, says) => {
    const { code, stderr } = runIn("run-checks", { cwd: newFolder(), params });
    expect(code).toBe(1);
    expect(stderr).toContain(says);
  });

  it("[Q10] tells what it runs that nobody watches", () => {
    const command = `cat; echo "[$CI $NO_COLOR]"`;
    expect(runIn("run-checks", { cwd: newFolder(), params: { command } }).stdout).toContain("\n[true 1]\n");
  });

  it("[Q1] has not answered where what it runs is killed", () => {
    const cwd = newFolder();
    expect(runIn("run-checks", { cwd, params: { command: "kill -9 $$" } }).code).toBeNull();
    expect(runRaw("run-checks", "").stderr).toContain("got nothing");
  });
});
