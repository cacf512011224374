import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { UtilityOutcome, UtilityRequest } from "../../src/shell/ports.ts";
import { runUtility } from "../../src/shell/run/run-utility.ts";
import { scratchFolder } from "../harness/agents.ts";
import { utility } from "../harness/utility.ts";

const MEBIBYTE = 1024 * 1024;
const ECHO = `process.stdin.pipe(process.stdout);`;

async function resultOf(request: UtilityRequest): Promise<unknown> {
  const outcome = await runUtility(request);
  if (outcome.kind === "failed") throw new Error(outcome.reason);
  return JSON.parse(outcome.stdout);
}

async function reasonOf(request: UtilityRequest): Promise<string> {
  const outcome = await runUtility(request);
  return outcome.kind === "failed" ? outcome.reason : `exited: ${outcome.stdout}`;
}

describe("what a utility is given", () => {
  const place = { cwd: "/project", runDir: "/project/runs/1", request: "ünïcode 🜁\n", castId: "c", socketId: "s" };

  it("[U1] one JSON object on standard input, which then ends", async () => {
    const input = { ...place, materia: "M", params: { deep: [1, { a: null }] }, state: { vcs: { kind: "git" } } };
    expect(await resultOf(utility(ECHO, { input }).request)).toEqual(input);
  });

  it.each([
    ["[U2] the current item", { item: { title: "a", context: "" }, itemKey: "item-1", cursor: 0 }],
    ["[U2] null where there is none", { item: null, itemKey: null, cursor: null }],
  ])("%s", async (_rule, input) => {
    expect(await resultOf(utility(ECHO, { input }).request)).toEqual(input);
  });

  it("[U3] the arguments as they are, and the folder of the cast", async () => {
    const args = ["$HOME", "*", "; exit 7", "a  b", `"'`, ""];
    const command = [process.execPath, "utility.mjs", ...args];
    const { request } = utility(`console.log(JSON.stringify([process.cwd(), ...process.argv.slice(2)]))`, { command });
    expect(await resultOf(request)).toEqual([realpathSync(request.cwd), ...args]);
  });

  it("[U3] a program that stands on PATH is found there", async () => {
    const { request } = utility("console.log(1)", { command: ["node", "utility.mjs"] });
    expect(await resultOf(request)).toBe(1);
  });

  it("[S6] the usual four variables and those it lists, nothing else", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("LANG", "C.UTF-8");
    vi.stubEnv("TMPDIR", undefined);
    vi.stubEnv("SECRET_API_KEY", "hidden");
    vi.stubEnv("GIVEN", "a=b\nc");
    const { request } = utility(`console.log(JSON.stringify(process.env))`, {
      env: ["GIVEN", "NOT_SET", "constructor", "__proto__", "HOME"],
    });
    const { PATH, HOME } = process.env;
    expect(await resultOf(request)).toEqual({ PATH, HOME, LANG: "C.UTF-8", GIVEN: "a=b\nc" });
  });
});

describe("bundled utilities", () => {
  it("[U3] are run by name in the folder of the cast", async () => {
    const cwd = scratchFolder();
    const request: UtilityRequest = {
      materia: { type: "utility", script: "Detect-VCS" },
      input: { cwd, params: {}, state: {} },
      cwd,
      signal: new AbortController().signal,
    };
    expect(await resultOf(request)).toMatchObject({ state: { vcs: { kind: "none" } } });
  });

  it("[U3] are found from a bundle beside them", async () => {
    const home = scratchFolder();
    const root = fileURLToPath(new URL("../..", import.meta.url));
    mkdirSync(join(home, "utilities"));
    writeFileSync(join(home, "utilities", "detect-vcs.mjs"), `console.log("beside the bundle")`);
    writeFileSync(join(home, "package.json"), `{ "type": "module" }`);
    const output = { outDir: join(home, "dist"), emptyOutDir: false };
    const ssr = { noExternal: true as const };
    await build({
      root,
      configFile: false,
      logLevel: "silent",
      ssr,
      build: { ssr: "src/shell/run/run-utility.ts", ...output },
    });
    const { request } = utility(
      `const { runUtility } = await import(process.argv[2]);
      const materia = { type: "utility", script: "Detect-VCS" };
      const outcome = await runUtility({ materia, input: {}, cwd: ".", signal: new AbortController().signal });
      console.log(JSON.stringify(outcome.stdout));`,
      { command: [process.execPath, "utility.mjs", pathToFileURL(join(home, "dist", "run-utility.js")).href] },
    );
    expect(await resultOf(request)).toBe("beside the bundle\n");
  });
});

describe("how its answer is read", () => {
  it.each([
    ["[U4] text as it is", `"\\ufeff  a\\r\\n\\n"`, "\ufeff  a\r\n\n"],
    ["[U4] nothing at all", `""`, ""],
    ["[U4] bytes that are no text", `Buffer.from([0x61, 0xff, 0xe2, 0x82])`, "a\ufffd\ufffd"],
  ])("%s", async (_rule, printed, stdout) => {
    const { request } = utility(`process.stderr.write("a word\\n"); process.stdout.write(${printed});`);
    const whole: UtilityOutcome = { kind: "exited", stdout, stdoutCut: false, stderr: "a word\n" };
    expect(await runUtility(request)).toEqual(whole);
  });

  it.each([
    [
      "[U5] an exit code",
      `console.error("no such branch"); process.exitCode = 3;`,
      "exited with code 3: no such branch",
    ],
    ["[U5] silence", `process.exit(1)`, "exited with code 1, with nothing on standard error"],
    [
      "[U5] a signal",
      `process.kill(process.pid, "SIGKILL"); forever();`,
      "was ended by SIGKILL, with nothing on standard error",
    ],
    [
      "[U5] the beginning and the end of a long complaint",
      `console.error("cause\\n" + "x".repeat(5000) + "🜁".repeat(600) + "!"); process.exitCode = 1;`,
      `exited with code 1: cause\n${"x".repeat(494)}\n… [cut: 4707 characters] …\n${"🜁".repeat(499)}!`,
    ],
    [
      "[U5] a colourful complaint",
      `console.error("\\u001b[31mbad\\u001b[0m\\r\\nworse"); process.exitCode = 1;`,
      "exited with code 1: bad\nworse",
    ],
  ])("%s", async (_rule, source, ended) => {
    const command = ["node", "utility.mjs", "a b"];
    expect(await reasonOf(utility(source, { command }).request)).toBe(`\`node utility.mjs "a b"\` ${ended}`);
  });

  it("[U5] keeps what a failed program has said", async () => {
    const { request } = utility(`console.log("half"); console.error("why"); process.exitCode = 1;`);
    expect(await runUtility(request)).toMatchObject({ kind: "failed", stdout: "half\n", stderr: "why\n" });
  });
});

describe("a program that cannot be started", () => {
  it.each([
    ["[U5] no such program", ["no-such-program"], "there is no program no-such-program; is it installed and on PATH?"],
    ["[U5] no such file", ["./nowhere"], /^`.\/nowhere` could not be started: .\/nowhere does not exist in /],
    [
      "[U5] a file that may not be executed",
      ["./utility.mjs"],
      "./utility.mjs may not be executed; does it need chmod +x?",
    ],
    ["[U5] an empty name", [""], /^`""` could not be started: .*cannot be empty/],
    ["[U5] a NUL in an argument", ["node", "a\0b"], /could not be started: .*without null bytes/],
    ["[U5] arguments beyond every limit", ["node", "x".repeat(4_000_000)], /could not be started: spawn E2BIG/],
  ])("%s", async (_rule, command, reason) => {
    const { request } = utility("", { command });
    chmodSync(join(request.cwd, "utility.mjs"), 0o644);
    const expected = typeof reason === "string" ? `\`${command.join(" ")}\` could not be started: ${reason}` : reason;
    expect(await reasonOf(request)).toMatch(expected);
  });

  it("[U5] a folder that does not exist", async () => {
    const { request } = utility("", { command: ["node"], cwd: "/no/such/folder" });
    expect(await reasonOf(request)).toBe("`node` could not be started: the folder /no/such/folder does not exist");
  });

  it("[U5] a folder that is a file", async () => {
    const { request } = utility("", { command: ["node"] });
    const cwd = join(request.cwd, "utility.mjs");
    expect(await reasonOf({ ...request, cwd })).toBe(`\`node\` could not be started: the folder ${cwd} does not exist`);
  });

  it("[U5] a bundled utility that does not exist", async () => {
    const { request } = utility("");
    const reason = await reasonOf({ ...request, materia: { type: "utility", script: "Detect" } });
    expect(reason).toMatch(/^bundled utility "Detect" could not be started: no bundled utility .*Detect-VCS/);
  });
});

describe("much output", () => {
  it.each([
    ["[U7] a mebibyte is whole", `"x".repeat(${MEBIBYTE})`, "x".repeat(MEBIBYTE), false],
    ["[U7] one byte more is cut", `"x".repeat(${MEBIBYTE + 1})`, "x".repeat(MEBIBYTE), true],
    ["[U7] two mebibytes are cut", `"x".repeat(${2 * MEBIBYTE})`, "x".repeat(MEBIBYTE), true],
    ["[U7] no character is split", `"x" + "🜁".repeat(${MEBIBYTE / 2})`, `x${"🜁".repeat(MEBIBYTE / 4 - 1)}`, true],
  ])("%s", async (_rule, printed, stdout, stdoutCut) => {
    const outcome = await runUtility(utility(`process.stdout.write(${printed});`).request);
    expect(outcome).toEqual({ kind: "exited", stdout, stdoutCut, stderr: "" });
  });

  it.each([
    ["[U7] a mebibyte of complaints is whole", `"x".repeat(${MEBIBYTE})`, "x".repeat(MEBIBYTE)],
    ["[U7] of more the end is kept", `"x".repeat(${3 * MEBIBYTE}) + "end"`, `${"x".repeat(MEBIBYTE - 3)}end`],
    ["[U7] its first character is whole", `"🜁".repeat(${MEBIBYTE}) + "!"`, `${"🜁".repeat(MEBIBYTE / 4 - 1)}!`],
  ])("%s", async (_rule, printed, stderr) => {
    const outcome = await runUtility(utility(`process.stderr.write(${printed});`).request);
    expect(outcome).toEqual({ kind: "exited", stdout: "", stdoutCut: false, stderr });
  });
});

describe("input that nobody reads", () => {
  const input = { state: "x".repeat(5 * MEBIBYTE) };

  it.each([
    ["[U8] by a program that ends at once", `console.log("done")`],
    ["[U8] by a program that closes it", `process.stdin.destroy(); setTimeout(() => console.log("done"), 20)`],
    [
      "[U8] by a program that reads the beginning",
      `process.stdin.once("data", () => { console.log("done"); process.exit(0); })`,
    ],
  ])("%s", async (_rule, source) => {
    const outcome = await runUtility(utility(source, { input }).request);
    expect(outcome).toEqual({ kind: "exited", stdout: "done\n", stdoutCut: false, stderr: "" });
  });
});

it("[U6] a time-out may be longer than any timer", async () => {
  const { request } = utility(`console.log("in time")`, { timeoutMs: Number.MAX_SAFE_INTEGER });
  expect(await runUtility(request)).toMatchObject({ kind: "exited", stdout: "in time\n" });
});

it("[U42] the idempotency key of a visit is in the environment of its program", async () => {
  const { request } = utility(`process.stdout.write(process.env.MATERIA_IDEMPOTENCY_KEY ?? "none");`);
  const idempotencyKey = "cast-1/Socket-1/2";
  expect(await runUtility({ ...request, idempotencyKey })).toMatchObject({ stdout: idempotencyKey });
});
