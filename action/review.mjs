// The review of a pull request that edits loadouts: no model and no key. One comment, updated in place.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  addSummary,
  annotate,
  commentsOf,
  cutComment,
  eventPayload,
  github,
  input,
  materia,
  readJson,
} from "./runner.mjs";

const MARK = "<!-- pi-materia review -->";

export async function review() {
  const now = report(process.cwd());
  const before = atBase(report);
  const text = reviewText(now, before);
  addSummary(text);
  process.stdout.write(materia(["check", "--format", "github"]).stdout);
  await comment(`${MARK}\n${text}`).catch(({ message }) =>
    // The token of a pull request from a fork may only read.
    annotate("notice", `the review is in the summary only: no comment could be written (${message})`),
  );
  process.exitCode = now.check.code === 0 && (now.test.code === 0 || wereNotRun(now.test)) ? 0 : 1;
}

/** No tests, or tests that only a trusted project may run, are no fault of the edit. The comment says it. */
const wereNotRun = ({ data: { issues = [] } }) =>
  issues.length > 0 && issues.every(({ code }) => code === "missing_tests" || code === "untrusted_project");

/** Tests and replays of a pull request run its own programs only where the workflow trusts it. */
function report(cwd) {
  const trust = input("TRUST") === "true" ? ["--trust"] : [];
  const run = (...args) => {
    const { code, stdout } = materia([...args, "--json"], { cwd });
    return { code, data: readJson(stdout, {}) };
  };
  return { check: run("check"), test: run("test", ...trust), replay: run("replay", "--all") };
}

function atBase(work) {
  const { pull_request: pull } = eventPayload();
  const base = input("BASE") || pull?.base?.sha;
  if (base === undefined || !/^[0-9A-Za-z][\w./-]*$/.test(base)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "materia-base-"));
  try {
    execFileSync("git", ["worktree", "add", "--quiet", "--detach", folder, base], { stdio: "ignore" });
    return work(folder);
  } catch {
    return undefined;
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  }
}

const cell = (text) =>
  String(text)
    .replaceAll(/[\\|`<>]/g, "\\$&")
    .replaceAll(/\s+/g, " ");

export function reviewText({ check, test, replay }, before) {
  const { issues = [], loadouts = [] } = check.data;
  const errors = issues.filter(({ severity }) => severity === "error");
  const worst = new Map((before?.check.data.loadouts ?? []).map(({ name, worstCase }) => [name, worstCase]));
  const edited = loadouts.filter(({ name, file, worstCase }) => file !== null && worst.get(name) !== worstCase);
  const { tests = [], coverage = {} } = test.data;
  const failed = tests.filter(({ ok }) => !ok);
  const covered = Object.values(coverage);
  const percent =
    covered.length === 0 ? null : Math.floor((100 * sum(covered, "taken")) / Math.max(1, sum(covered, "of")));
  const { casts = 0, different = [], refused = [] } = replay.data;
  return [
    "### Review of the loadouts",
    "",
    `| | |`,
    `|---|---|`,
    `| check | ${errors.length === 0 ? "no errors" : `**${errors.length} errors**`}, ${issues.length - errors.length} warnings |`,
    `| tests | ${tests.length === 0 ? (test.code === 2 ? cell(test.data.issues?.[0]?.message ?? "not run") : "none") : `${tests.length - failed.length} of ${tests.length} pass`} |`,
    ...(percent === null ? [] : [`| coverage | ${percent} % |`]),
    `| past casts | ${casts === 0 ? "none recorded here" : `this edit changes ${different.length} of ${casts}${refused.length === 0 ? "" : `, ${refused.length} cannot be replayed`}`} |`,
    ...edited.map(
      ({ name, worstCase }) =>
        `| worst case of ${cell(name)} | ${worst.has(name) ? `${cell(worst.get(name))} → ` : "new: "}${cell(worstCase)} |`,
    ),
    "",
    ...errors
      .slice(0, 20)
      .map(
        ({ code, message, file, path }) => `- **${cell(code)}** ${cell(message)} (${cell(file ?? "")} ${cell(path)})`,
      ),
    ...failed
      .slice(0, 20)
      .map(({ file, failures }) => `- **${cell(file)}** ${cell(failures.map(({ what }) => what).join(", "))}`),
    ...different
      .slice(0, 20)
      .map(({ castId, differences }) => `- cast ${cell(castId)}: ${cell(differences[0]?.message ?? "")}`),
    "",
  ].join("\n");
}

const sum = (rows, key) => rows.reduce((all, row) => all + row[key], 0);

/** Writes the comment, or updates the one of an earlier run. */
async function comment(text) {
  const { pull_request: pull } = eventPayload();
  if (input("TOKEN") === "" || !pull) return;
  const body = cutComment(text);
  const own = (await commentsOf(pull.number)).find((each) => each.body?.startsWith(MARK));
  if (own) await github("PATCH", `issues/comments/${own.id}`, { body });
  else await github("POST", `issues/${pull.number}/comments`, { body });
}
