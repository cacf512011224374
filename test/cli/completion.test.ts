import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { PROGRAM, envOf, newPlace, run } from "../harness/cli.ts";

const conf = {
  materia: { "My Role": { prompt: "Do." } },
  loadouts: { "Fix It": { entry: "Socket-1", sockets: { "Socket-1": { materia: "My Role" } } } },
};

function place(): string {
  return newPlace({ ".pi/pi-materia.json": conf });
}

async function offered(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout } = await run(["completion", "words", "--", ...words], { cwd });
  expect(code).toBe(0);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t")[0] ?? "");
}

it.each<[string, readonly string[], readonly string[]]>([
  ["commands", ["reca"], ["recast"]],
  ["options", ["cast", "--bud"], ["--budget"]],
  ["loadouts, as the shell will quote them", ["loadout", "fix"], ["Fix It"]],
  ["values of an option", ["cast", "--loadout", "Full"], ["Full-Auto"]],
  ["targets with their kind", ["link", "loadout:Te"], ["loadout:Test-Driven"]],
  ["shells", ["completion", ""], ["bash", "zsh", "fish"]],
  ["nothing of a prompt", ["link", "Build", "--", "f"], []],
  ["nothing where a file is meant", ["cast", "--config", ""], []],
])("[C34] %s are offered", async (_what, words, expected) => {
  expect(await offered(place(), ...words)).toEqual(expected);
});

it("[C34] casts are offered by their ids, and behind one its visits", async () => {
  const cwd = newPlace({ "conf.json": { materia: { E: { type: "utility", command: ["echo"] } } } });
  await run(["link", "--config", "conf.json", "E", "--", "x"], { cwd });
  const [castId = "", ...others] = await offered(cwd, "show", "");
  expect(others).toEqual([]);
  expect(await offered(cwd, "show", castId, "")).toEqual(["Socket-1#1"]);
  expect(await offered(cwd, "compare", castId, "")).toEqual([castId]);
});

it("[C34] another shell is refused", async () => {
  const { code, stderr } = await run(["completion", "bahs"], { cwd: place() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean "bash"?')]);
});

/** `materia` on PATH, as after an install. */
function environment(cwd: string): Record<string, string> {
  const bin = join(dirname(cwd), "tmp");
  writeFileSync(join(bin, "materia"), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(join(bin, "materia"), 0o755);
  return { ...envOf(cwd), PATH: `${bin}:${process.env["PATH"] ?? ""}` };
}

function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

const TRY = `source <(materia completion bash)
try() { COMP_LINE="$1"; COMP_POINT=\${#1}; _materia; printf '%s;' "\${COMPREPLY[@]}"; echo; }
try "materia reca"
try "materia loadout Fi"
try "materia link loadout:Te"
try "materia cast --loadout Pla"`;

it("[C34] bash completes with it", () => {
  const cwd = place();
  const told = execFileSync("bash", ["--norc", "-c", TRY], { cwd, env: environment(cwd), encoding: "utf8" });
  expect(told).toBe("recast;\nFix\\ It;\nTest-Driven;\nPlanning-Consult;\n");
});

it.skipIf(!has("fish"))("[C34] fish completes with it", () => {
  const cwd = place();
  const asked = "materia completion fish | source; complete -C 'materia reca'; complete -C 'materia loadout Fi'";
  const told = execFileSync("fish", ["--no-config", "-c", asked], { cwd, env: environment(cwd), encoding: "utf8" });
  expect(told).toMatch(/^recast\t.*\nFix It\t/);
});

it.skipIf(!has("zsh"))("[C34] zsh takes it", () => {
  const cwd = place();
  const asked = "autoload -U compinit; compinit -u -D; source <(materia completion zsh); print -r -- $_comps[materia]";
  expect(execFileSync("zsh", ["-f", "-c", asked], { cwd, env: environment(cwd), encoding: "utf8" })).toBe("_materia\n");
});
