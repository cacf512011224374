// The step of the action: a cast with its story and outputs, or the review of edits of loadouts.
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
  const isRecast = input("MODE") === "recast";
  if (isRecast) restoreCheckpoints(input("CAST_ID"));
  const options = [
    ["loadout", isRecast ? "" : input("LOADOUT")],
    ["model", input("MODEL")],
    ["budget", input("BUDGET")],
    ["cost", input("COST")],
    ["rehearse", input("REHEARSE")],
  ].flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value]));
  const trust = input("TRUST") === "true" ? ["--trust"] : [];
  const words = isRecast ? ["recast", input("CAST_ID")] : ["cast"];
  const request = isRecast ? [] : ["--", requestText()];
  const { code, stdout } = materia([...words, ...options, ...trust, "--json", ...request]);
  const events = stdout.split("\n").flatMap((line) => (line === "" ? [] : [readJson(line, {})]));
  const castId = events.find(({ type }) => type === "cast_started")?.castId ?? (isRecast ? input("CAST_ID") : "");
  const cost = events.findLast(({ totals }) => totals)?.totals.cost ?? 0;
  for (const [name, value] of Object.entries({
    "cast-id": castId,
    outcome: OUTCOMES[code] ?? "failed",
    "exit-code": code,
    cost,
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

function restoreCheckpoints(castId) {
  if (!/^[A-Za-z0-9][\w-]*$/.test(castId)) throw new Error("cast-id is not the id of a cast");
  if (existsSync(bundleOf(castId))) git("fetch", "--quiet", bundleOf(castId), "+refs/*:refs/*");
}

if (input("MODE") === "review") await (await import("./review.mjs")).review();
else process.exitCode = runCast();
