import { spawn } from "node:child_process";
import { projectChecks } from "./lib/project-checks.mjs";
import { readCwd, readInput, refuse } from "./lib/utility.mjs";

// A gate: its exit code is the answer, and what is printed here, or by what it runs, is the reason.
try {
  const input = await readInput();
  const cwd = readCwd(input);
  const { command, why } = chosen(input.params, cwd);
  console.log(`Run-Checks: ${command.join(" ")} (${why})`);
  end(command[0], await run(command, cwd));
} catch (error) {
  console.error(`Run-Checks: ${error.message}`);
  process.exitCode = 1;
}

/** [Q8, Q9] What the materia says, else what the project's own files say. */
function chosen({ command }, cwd) {
  const why = "params.command";
  if (typeof command === "string" && command.trim() !== "") return { command: ["sh", "-c", command], why };
  if (Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string" && word !== ""))
    return { command, why };
  if (command !== undefined)
    refuse("params.command is neither a text nor a list of words", 'write it like "npm test" or ["npm", "test"]');
  const wayOut = `set params.command of the materia, such as "npm test"`;
  return projectChecks(cwd) ?? refuse(`nothing in ${cwd} says how this project is checked`, wayOut);
}

function run([program, ...args], cwd) {
  const { promise, resolve } = Promise.withResolvers();
  // Runners that would watch files, ask, or paint, do none of it for a robot.
  const env = { CI: "true", NO_COLOR: "1", ...process.env };
  // In this process group, so that a time-out ends it too; nothing comes on its standard input.
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
  child.once("error", (error) => resolve({ error }));
  child.once("exit", (code, signal) => resolve({ code, signal }));
  return promise;
}

function end(program, { error, code, signal }) {
  if (error?.code === "ENOENT") refuse(`there is no program ${program}`, "install it, or set params.command");
  if (error) throw error;
  // [Q1] A check that was killed has not answered, and neither has this.
  if (signal) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}
