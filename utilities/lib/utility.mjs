import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Runs one utility: a JSON object in, a JSON object out, or one sentence on standard error. */
export async function runUtility(name, work) {
  process.stdout.on("error", () => (process.exitCode = 1));
  try {
    const result = work(await readInput());
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}

export async function readInput() {
  return parseInput(await readAll(process.stdin));
}

/**
 * Ends the utility: what is wrong and where, then a way out.
 * @returns {never}
 */
export function refuse(problem, wayOut) {
  throw new Error(`${problem}; ${wayOut}`);
}

export function readCwd(input) {
  const cwd = readText(input, "cwd");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(cwd);
  return refuse(`the working folder ${cwd} does not exist`, "start the cast in a folder that does");
}

/** The folder of all casts is the one that holds the folder of this cast. */
export function readArtifactDir(input) {
  return realPathOf(dirname(resolve(readCwd(input), readText(input, "runDir"))));
}

/** A folder that is not there yet still has a real place: that of its nearest parent. */
function realPathOf(path) {
  try {
    return realpathSync(path);
  } catch (error) {
    if (error.code !== "ENOENT" || dirname(path) === path) throw error;
    return join(realPathOf(dirname(path)), basename(path));
  }
}

function readText(input, field) {
  const value = input[field];
  if (typeof value === "string" && value !== "") return value;
  return refuse(`the input has no text in "${field}"`, "run it as a utility of a cast, which fills it in");
}

function parseInput(text) {
  const wayOut =
    'run it as a utility of a cast, or give it one such as {"cwd": "/project", "runDir": "/project/.pi/pi-materia/cast-1"}';
  if (text.trim() === "") refuse("expected one JSON object on standard input and got nothing", wayOut);
  const input = parseJson(text, wayOut);
  if (!isObject(input)) refuse("standard input is JSON but not an object", wayOut);
  for (const field of ["params", "state"]) {
    if (!isObject((input[field] ??= {}))) refuse(`"${field}" in the input is not an object`, wayOut);
  }
  return input;
}

function parseJson(text, wayOut) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(`standard input is not JSON (${error.message})`, wayOut);
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function readAll(stream) {
  // A person at a terminal would wait for an answer that never comes.
  if (stream.isTTY) return "";
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
