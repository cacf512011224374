// The review of a pull request that edits loadouts: no model and no key. One comment, updated in place.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import {
  addSummary,
  annotate,
  commentsOf,
  cutComment,
  eventPayload,
  github,
  input,
  isOwn,
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

/** Names and messages are those of the pull request: they make no table, link, picture or mention. */
const plain = (text) =>
  String(text)
    .replaceAll(/[\\|`<>*_[\]!#~]/g, "\\$&")
    .replaceAll(/@|:(?=\/\/)|www(?=\.)/gi, "$&<!-- -->")
    .replaceAll(/\s+/g, " ");
const count = (amount, noun) => `${amount} ${noun}${amount === 1 ? "" : "s"}`;

export function reviewText({ check, test, replay }, before) {
  const { issues = [], loadouts = [] } = check.data;
  const errors = issues.filter(({ severity }) => severity === "error");
  const warnings = issues.filter(({ severity }) => severity === "warning");
  const worst = new Map((before?.check.data.loadouts ?? []).map(({ name, worstCase }) => [name, worstCase]));
  const edited = loadouts.filter(({ name, file, worstCase }) => file !== null && worst.get(name) !== worstCase);
  const { tests = [] } = test.data;
  const failed = tests.filter(({ ok }) => !ok);
  const { casts = 0, different = [], refused = [] } = replay.data;
  const percent = coverageText(test);
  const changed =
    casts === 0
      ? "no past cast is recorded here"
      : `this edit changes ${different.length} of ${count(casts, "past cast")}`;
  const rows = [
    [
      "check",
      `${errors.length === 0 ? "no errors" : `**${count(errors.length, "error")}**`}, ${count(warnings.length, "warning")}`,
    ],
    ["tests", testsText(test)],
    ["coverage", percent],
    ["past casts", `${changed}${refused.length === 0 ? "" : `, ${refused.length} cannot be replayed`}`],
    ...edited.map(({ name, worstCase }) => [
      `worst case of ${plain(name)}`,
      `${worst.has(name) ? `${plain(worst.get(name))} → ` : "new: "}${plain(worstCase)}`,
    ]),
  ];
  return [
    "### Review of the loadouts",
    "",
    "| | |",
    "|---|---|",
    ...rows.filter(([, text]) => text !== null).map((row) => `| ${row.join(" | ")} |`),
    "",
    ...errors.slice(0, 20).map(({ code, message, file, path }) => {
      const place = [file === null ? "" : relative(process.cwd(), file), path].filter((part) => part !== "");
      return `- **${plain(code)}** ${plain(message)} (${plain(place.join(" "))})`;
    }),
    ...failed
      .slice(0, 20)
      .map(({ file, failures }) => `- **${plain(file)}** ${plain(failures.map(({ what }) => what).join(", "))}`),
    ...different
      .slice(0, 20)
      .map(
        ({ castId, differences }) => `- cast ${plain(castId)}: ${plain(differences[0]?.message ?? "goes differently")}`,
      ),
    "",
  ].join("\n");
}

function testsText({ code, data: { tests = [], issues = [] } }) {
  if (tests.length > 0) return `${tests.filter(({ ok }) => ok).length} of ${tests.length} pass`;
  return code === 2 ? plain(issues[0]?.message ?? "not run") : "none";
}

function coverageText({ data: { coverage = {} } }) {
  const covered = Object.values(coverage);
  if (covered.length === 0) return null;
  return `${Math.floor((100 * sum(covered, "taken")) / Math.max(1, sum(covered, "of")))} %`;
}

const sum = (rows, key) => rows.reduce((all, row) => all + row[key], 0);

/** Writes the comment, or updates the one of an earlier run. */
async function comment(text) {
  const { pull_request: pull } = eventPayload();
  if (input("TOKEN") === "" || !pull) return;
  const body = cutComment(text);
  // Never into the comment of somebody else, who could edit the review afterwards.
  const own = (await commentsOf(pull.number)).find((each) => isOwn(each) && each.body?.startsWith(MARK));
  if (own) await github("PATCH", `issues/comments/${own.id}`, { body });
  else await github("POST", `issues/${pull.number}/comments`, { body });
}
