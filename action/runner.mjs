// What a runner of GitHub gives: inputs, outputs, the summary, annotations and the payload of the event.
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";

/** The summary of a step may have 1 MiB. */
const MAX_SUMMARY_BYTES = 1_000_000;

export const input = (name) => process.env[`MATERIA_${name}`] ?? "";

/** Runs materia and returns what it printed; progress goes to the log. */
export function materia(args, options = {}) {
  const { status, stdout, error } = spawnSync("materia", args, {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  if (error) throw error;
  return { code: status ?? 1, stdout };
}

export function readJson(text, otherwise) {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** [CI2] A value of several lines cannot set another output: the delimiter is random. */
export function setOutput(name, value) {
  const delimiter = `end-${crypto.randomUUID()}`;
  appendFileSync(process.env.GITHUB_OUTPUT ?? "/dev/null", `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
}

export function addSummary(text) {
  const bytes = Buffer.from(text);
  const cut = bytes.length > MAX_SUMMARY_BYTES;
  const kept = cut
    ? `${bytes.subarray(0, MAX_SUMMARY_BYTES).toString("utf8")}\n\n… cut: the artifact has all of it.\n`
    : text;
  appendFileSync(process.env.GITHUB_STEP_SUMMARY ?? "/dev/null", `${kept}\n`);
}

const escapeData = (text) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text) => escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

export function annotate(level, message, properties = {}) {
  const place = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    .join(",");
  console.log(`::${level}${place === "" ? "" : ` ${place}`}::${escapeData(message)}`);
}

/** The payload: texts of the event as they were then, since people can edit them later. */
export function eventPayload() {
  const file = process.env.GITHUB_EVENT_PATH;
  return file === undefined ? {} : readJson(readFileSync(file, "utf8"), {});
}
