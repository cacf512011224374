// Looks a patch through before a job with the right to write applies it: no model, nothing of it is run.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const MAX_BYTES = 1_000_000;
/** Files that decide what runs with more rights than the agent had, in whichever case. */
const GUARDED = [
  /^\.(?:github|gitlab|circleci|buildkite|forgejo|gitea|woodpecker|husky|pi|vscode|devcontainer)\//i,
  /(?:^|\/)CODEOWNERS$/i,
  /^(?:\.gitlab-ci|\.travis|azure-pipelines|bitbucket-pipelines|\.pre-commit-config|\.?lefthook)\.(?:yml|yaml)$/i,
  /^Jenkinsfile$/i,
  /(?:^|\/)\.git(?:modules|attributes)$/i,
  /(?:^|\/)(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|\.pnpmfile\.c?js|\.envrc)$/i,
];
const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:ghp|gho|ghs|github_pat)_\w{20,}/,
  /\bsk-[\w-]{20,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bxox[abp]-[\w-]{10,}/,
];

/** Why a patch must not be applied to the HEAD of a repository; empty if nothing speaks against it. */
export function patchProblems(file, repository = process.cwd()) {
  const text = readFileSync(file, "utf8");
  if (text.trim() === "") return ["the patch is empty: the cast changed no file"];
  if (Buffer.byteLength(text) > MAX_BYTES) return [`the patch has more than ${MAX_BYTES} bytes`];
  const scratch = mkdtempSync(join(tmpdir(), "materia-patch-"));
  try {
    return problemsOnceApplied(resolve(file), repository, join(scratch, "index"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * git applies the patch to an index of its own, and what is inspected is the result. A patch can name a path in many
 * ways, and only git knows which of them it takes.
 */
function problemsOnceApplied(file, repository, index) {
  const git = (...args) =>
    execFileSync("git", args, {
      cwd: repository,
      encoding: "utf8",
      env: { ...process.env, GIT_INDEX_FILE: index },
      maxBuffer: 256 * 1024 * 1024,
      stdio: ["ignore", "pipe", "pipe"],
    });
  const change = (...how) => git("diff-index", "--cached", "--no-renames", ...how, "HEAD");
  git("read-tree", "HEAD");
  try {
    git("apply", "--cached", "--whitespace=nowarn", file);
  } catch ({ stderr }) {
    return [`git does not apply it: ${String(stderr).trim().split("\n")[0]}`];
  }
  const problems = [];
  const fields = change("--raw", "-z").split("\0").slice(0, -1);
  if (fields.length === 0) problems.push("the patch is empty: it changes no file");
  for (let at = 0; at < fields.length; at += 2) {
    const [before, after] = fields[at].slice(1).split(" ");
    const path = fields[at + 1];
    if ([before, after].some((mode) => mode === "120000" || mode === "160000"))
      problems.push(`${path} is a link or a submodule`);
    if (GUARDED.some((pattern) => pattern.test(path))) problems.push(`${path} decides what runs`);
  }
  if (
    change("--numstat", "-z")
      .split("\0")
      .some((row) => row.startsWith("-"))
  )
    problems.push("it changes binary files");
  const added = change("--patch", "--text", "--no-ext-diff", "--no-textconv")
    .split("\n")
    .filter((line) => line.startsWith("+"));
  for (const pattern of SECRETS)
    if (added.some((line) => pattern.test(line)))
      problems.push(`a line looks like a secret (${pattern.source.slice(0, 20)}…)`);
  return problems;
}

// With links resolved: a working folder behind a link must not end this program before it has looked.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  const problems = patchProblems(process.argv[2] ?? "cast.patch");
  for (const problem of problems)
    console.log(`::error::${problem.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
