// The step of the action: a cast with its story and outputs, a person's gate, or the review of edits of loadouts.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { addSummary, annotate, eventPayload, input, materia, readJson, setOutput } from "./runner.mjs";

const OUTCOMES = {
  0: "completed",
  1: "failed",
  2: "refused",
  3: "not_satisfied",
  4: "waiting",
  75: "paused",
  130: "aborted",
};

function runCast() {
  const mode = input("MODE");
  const isEarlier = mode !== "cast";
  if (isEarlier) restoreFiles(input("CAST_ID"));
  const options = [
    ["loadout", isEarlier ? "" : input("LOADOUT")],
    ["model", input("MODEL")],
    ["budget", mode === "continue" ? "" : input("BUDGET")],
    ["cost", mode === "continue" ? "" : input("COST")],
    ["rehearse", input("REHEARSE")],
  ].flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value]));
  const trust = input("TRUST") === "true" ? ["--trust"] : [];
  const words = isEarlier ? [mode, input("CAST_ID")] : ["cast"];
  const no = mode === "continue" && input("ANSWER") === "no" ? ["--reject"] : [];
  const { code, stdout } = materia([...words, ...no, ...options, ...trust, "--json", ...textAfter(mode)]);
  const events = stdout.split("\n").flatMap((line) => (line === "" ? [] : [readJson(line, {})]));
  const castId =
    events.find(({ type }) => type === "cast_started")?.castId ?? (isEarlier && code !== 2 ? input("CAST_ID") : "");
  const cost = events.findLast(({ totals }) => totals)?.totals.cost ?? 0;
  for (const [name, value] of Object.entries({
    "cast-id": castId,
    outcome: OUTCOMES[code] ?? "failed",
    "exit-code": code,
    cost,
    question: code === 4 ? questionOf(castId) : "",
  }))
    setOutput(name, value);
  if (castId === "") {
    for (const { message, hint } of events.flatMap(({ issues = [] }) => issues))
      annotate("error", hint ? `${message}\n${hint}` : message, { title: "Refused" });
    return code;
  }
  addSummary(materia(["show", castId, "--markdown"]).stdout);
  annotateEvents(events);
  keepCheckpoints(castId);
  return code;
}

function questionOf(castId) {
  return readJson(materia(["status", castId, "--json"]).stdout, {}).question ?? "It waits for an answer.";
}

/** Behind `--`: no text of an issue or a comment is read as an option. */
function textAfter(mode) {
  if (mode === "cast") return ["--", requestText()];
  return mode === "continue" && input("MESSAGE") !== "" ? ["--", input("MESSAGE")] : [];
}

/** The request of the workflow, or the issue of the event as it was then. Never an argument of a shell. */
function requestText() {
  if (input("REQUEST") !== "") return input("REQUEST");
  const { issue, pull_request: pull } = eventPayload();
  const { title, body } = issue ?? pull ?? {};
  if (typeof title === "string") return `${title}\n\n${body ?? ""}`.trim();
  throw new Error("there is no request: set the input, or run on an issue");
}

/** [CI3] What was sent back and what failed, at the file and line that the reason names first. */
function annotateEvents(events) {
  for (const event of events) {
    if (event.type === "handoff_accepted" && event.handoff?.satisfied === false)
      annotateReason("warning", "Sent back", String(event.handoff.context ?? "not satisfied"));
    if (event.type === "turn_failed") annotateReason("error", "Failed", String(event.message));
    if (event.type === "limit_reached")
      annotateReason("error", "Limit", `${event.limit} was reached at ${event.where.socket}`);
  }
}

function annotateReason(level, title, text) {
  const [, file, line] = /(?:^|[\s("'`])((?:[\w.-]+\/)*[\w.-]+\.\w+):(\d+)/.exec(text) ?? [];
  const isHere = file !== undefined && !file.startsWith("/") && existsSync(file);
  annotate(level, text.slice(0, 4_000), { title, ...(isHere ? { file, line } : {}) });
}

const bundleOf = (castId) => join(".pi/pi-materia", castId, "checkpoints.bundle");
const git = (...args) => execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Checkpoints are refs of this clone: a later job needs them beside the artifact. */
function keepCheckpoints(castId) {
  try {
    const refs = git("for-each-ref", "--format=%(refname)")
      .split("\n")
      .filter((ref) => ref.includes(castId));
    if (refs.length > 0) git("bundle", "create", bundleOf(castId), ...refs);
  } catch {
    annotate("notice", "the files of the cast are not part of its artifact: this is no git repository");
  }
}

/** A new runner has a clean checkout: the cast goes on with the files that it had. */
function restoreFiles(castId) {
  if (!/^[A-Za-z0-9][\w-]*$/.test(castId)) throw new Error("cast-id is not the id of a cast");
  if (!existsSync(bundleOf(castId))) return;
  // Only refs of this cast: an agent could have written others into the bundle.
  const refs = git("bundle", "list-heads", bundleOf(castId))
    .split("\n")
    .flatMap((line) => line.split(" ").slice(1))
    .filter((ref) => ref.startsWith("refs/") && ref.includes(castId));
  if (refs.length > 0) git("fetch", "--quiet", bundleOf(castId), ...refs.map((ref) => `+${ref}:${ref}`));
  if (git("status", "--porcelain", "--untracked-files=no") !== "") return;
  const { code, stdout } = materia(["restore", castId, "--here", "--json"]);
  if (code !== 0) annotate("notice", `the files of the cast were not restored: ${stdout.slice(0, 500)}`);
}

const mode = input("MODE");
if (mode === "review") await (await import("./review.mjs")).review();
else if (mode === "ask") await (await import("./gate.mjs")).ask();
else if (mode === "authorize") process.exitCode = await (await import("./gate.mjs")).authorize();
else if (["cast", "recast", "continue"].includes(mode)) process.exitCode = runCast();
else throw new Error(`mode is cast, recast, continue, ask, authorize or review, not "${mode}"`);
