// What a runner of GitHub gives: inputs, outputs, the summary, annotations and the payload of the event.
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";

/** The summary of a step may have 1 MiB. */
const MAX_SUMMARY_BYTES = 1_000_000;

export const input = (name) => process.env[`MATERIA_${name}`] ?? "";

/** [CI2] With these an agent could set variables, paths and outputs of later steps, or speak for the workflow. */
const HIDDEN = /^(?:GITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY)|MATERIA_TOKEN|ACTIONS_.*TOKEN.*)$/;
const shownEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !HIDDEN.test(name)));

/** Runs materia and returns what it printed; progress goes to the log, in which it begins no command of the runner. */
export function materia(args, options = {}) {
  const token = `end-${crypto.randomUUID()}`;
  // The same stream as the progress: the two keep their order. A command may stand anywhere in a line, as ##[…].
  process.stderr.write(`::stop-commands::${token}\n`);
  const { status, stdout, error } = spawnSync("materia", args, {
    encoding: "utf8",
    env: shownEnv,
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  process.stderr.write(`\n::${token}::\n`);
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

/** A request to the API of GitHub for this repository. */
export async function github(method, path, sent) {
  const { GITHUB_API_URL: api = "https://api.github.com", GITHUB_REPOSITORY: repository } = process.env;
  const response = await fetch(`${api}/repos/${repository}/${path}`, {
    method,
    headers: { authorization: `Bearer ${input("TOKEN")}`, accept: "application/vnd.github+json" },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

/** The comments of an issue or pull request, oldest first. */
export async function commentsOf(number) {
  const comments = [];
  for (let page = 1; ; page += 1) {
    const more = await github("GET", `issues/${number}/comments?per_page=100&page=${page}`);
    comments.push(...more);
    if (more.length < 100) return comments;
  }
}

/** Whether a workflow of this repository wrote a comment: nobody else has this account. */
export const isOwn = ({ user }) => user?.login === "github-actions[bot]";

/** A comment may have 65,536 characters. */
export const cutComment = (body) => (body.length > 60_000 ? `${body.slice(0, 60_000).toWellFormed()}\n\n… cut.` : body);

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
