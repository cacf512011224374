// Looks a patch through before a job with the right to write applies it: no model, nothing of it is run.
import { readFileSync } from "node:fs";

const MAX_BYTES = 1_000_000;
/** Files that decide what runs with more rights than the agent had. */
const GUARDED = [
  /^\.github\//,
  /^\.gitlab-ci\.yml$/,
  /^\.git\//,
  /^\.gitmodules$/,
  /^\.gitattributes$/,
  /^\.husky\//,
  /^\.pi\//,
  /(^|\/)\.npmrc$/,
];
const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:ghp|gho|ghs|github_pat)_\w{20,}/,
  /\bsk-[\w-]{20,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bxox[abp]-[\w-]{10,}/,
];

/** Why a patch must not be applied; empty if nothing speaks against it. */
export function patchProblems(text) {
  const problems = [];
  if (text.trim() === "") problems.push("the patch is empty: the cast changed no file");
  if (Buffer.byteLength(text) > MAX_BYTES) problems.push(`the patch has more than ${MAX_BYTES} bytes`);
  if (/^GIT binary patch$|^Binary files /m.test(text)) problems.push("it changes binary files");
  if (/^(?:new|old) (?:file )?mode (?:120000|160000)$/m.test(text)) problems.push("it makes links or submodules");
  for (const path of patchPaths(text)) {
    if (path.startsWith("/") || path.split("/").includes("..")) problems.push(`${path} is outside of the repository`);
    if (GUARDED.some((pattern) => pattern.test(path))) problems.push(`${path} decides what runs`);
  }
  const added = text.split("\n").filter((line) => line.startsWith("+"));
  for (const pattern of SECRETS)
    if (added.some((line) => pattern.test(line)))
      problems.push(`a line looks like a secret (${pattern.source.slice(0, 20)}…)`);
  return [...new Set(problems)];
}

function patchPaths(text) {
  const paths = new Set();
  for (const [, quoted, plain] of text.matchAll(
    /^(?:---|\+\+\+|rename (?:from|to)|copy (?:from|to)) (?:"((?:[^"\\]|\\.)*)"|(.+?))\t?$/gm,
  )) {
    // A quoted name may hide anything: it is not decoded, only refused.
    const path = quoted === undefined ? plain : `../${quoted}`;
    if (path !== "/dev/null") paths.add(path.replace(/^[ab]\//, ""));
  }
  return paths;
}

if (process.argv[1] === import.meta.filename) {
  const problems = patchProblems(readFileSync(process.argv[2] ?? "cast.patch", "utf8"));
  for (const problem of problems) console.log(`::error::${problem.replaceAll("%", "%25").replaceAll("\n", "%0A")}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
