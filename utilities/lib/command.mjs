import { spawnSync } from "node:child_process";
import { refuse } from "./utility.mjs";

/** A program at a folder: `run` answers with its exit code, `text` and `bytes` refuse anything but 0. */
export function commandAt(cwd, program, options) {
  const run = (args, input) => spawn(cwd, program, { args: [...options, ...args], input });
  const bytes = (args, input) => {
    const done = run(args, input);
    if (done.code === 0) return done.stdout;
    if (done.code === "missing") {
      refuse(
        `${program} was not found on PATH, and ${cwd} needs it`,
        `install ${program}, or take this utility out of the loadout`,
      );
    }
    return refuse(
      `${program} ${args.find((arg) => !arg.startsWith("-"))} failed in ${cwd}: ${done.stderr}`,
      "no work was lost: mend that and recast",
    );
  };
  return { run, bytes, text: (args) => bytes(args).toString("utf8").trim() };
}

/** Without hooks and upkeep in the background: they would change, block or outlive the utility. */
export function gitAt(root, settings = []) {
  const quiet = ["core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false"];
  return commandAt(
    root,
    "git",
    [...quiet, ...settings].flatMap((setting) => ["-c", setting]),
  );
}

function spawn(cwd, program, { args, input }) {
  const done = spawnSync(program, args, {
    cwd,
    input: input ?? "",
    maxBuffer: Infinity,
    env: { ...process.env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0" },
  });
  if (done.error?.code === "ENOENT") return { code: "missing" };
  // A program that ends before it has read its input says why on standard error.
  if (done.error && done.error.code !== "EPIPE") throw done.error;
  return { code: done.status, stdout: done.stdout, stderr: done.stderr.toString("utf8").trim().slice(-1000) };
}
