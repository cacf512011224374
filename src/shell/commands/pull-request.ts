import { execFile } from "node:child_process";
import * as v from "valibot";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { oneLine } from "../../core/model/text.ts";
import { pushResultBranch } from "../fleet/worker/push-result.ts";
import { askGit, runGit, stdoutText } from "../git/repository.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { TakenCast } from "./take.ts";
import { currentBranch } from "../git/refs.ts";

/** [YT11] Pushes the branch of a cast, and opens a pull request into the current branch. Returns its address. */
export async function openPullRequest({ place }: Workspace, taken: TakenCast): Promise<Result<string>> {
  const { cwd, env } = place;
  const { castId, branch, commit } = taken;
  const into = (await currentBranch(cwd))?.replace(/^refs\/heads\//, "");
  if (into === undefined)
    return failWith("no_pull_request", branch, "no branch is checked out", "switch to the branch that it belongs on");
  const remote = await findRemote(cwd, into);
  if (remote === undefined) {
    const message = "the repository has no remote to push to";
    return failWith("no_pull_request", branch, message, 'add one with "git remote add"');
  }
  const host = /(?:dev\.azure|visualstudio)\.com/.test(remote.url) ? AZURE : GITHUB;
  const hint = `install ${host.program}, or push it yourself: git push ${remote.name} ${branch}`;
  if ((await run(host.program, ["--version"], place)).kind === "missing")
    return failWith("no_pull_request", host.program, `${host.program} is not installed`, hint);
  const pushed = await pushResultBranch({ castId, top: cwd, head: commit, ckpt: commit, remote: remote.url, env });
  if ("found" in pushed) {
    const found = pushed.found.map(({ file, kind }) => `${file}: ${kind}`).join(", ");
    return failWith("no_pull_request", branch, `it contains secrets, so it is not pushed: ${oneLine(found, 300)}`);
  }
  if ("problem" in pushed)
    return failWith("no_pull_request", branch, `it cannot be pushed: ${oneLine(pushed.problem, 300)}`, hint);
  const opened = await run(host.program, host.words({ ...taken, into }), place);
  if (opened.kind === "ran") return ok(host.address(opened.text));
  const why = opened.kind === "failed" ? opened.problem : "it is not installed";
  const message = `the branch is pushed, but ${host.program} opened no pull request: ${why}`;
  return failWith("no_pull_request", branch, message);
}

async function findRemote(cwd: string, branch: string): Promise<{ name: string; url: string } | undefined> {
  const configured = stdoutText(await runGit(["config", "--get", `branch.${branch}.remote`], { cwd }));
  const [first = ""] = stdoutText(await runGit(["remote"], { cwd })).split("\n");
  for (const name of [configured, "origin", first].filter((each) => each !== "" && each !== ".")) {
    const url = await askGit(["remote", "get-url", "--", name], { cwd });
    if (url !== undefined) return { name, url };
  }
  return undefined;
}

type PullRequest = TakenCast & { readonly into: string };

/** Each value follows its option in the same word: no text can become an option. */
const GITHUB = {
  program: "gh",
  words: ({ branch, into, title, castId }: PullRequest) => [
    "pr",
    "create",
    `--head=${branch}`,
    `--base=${into}`,
    `--title=${title}`,
    `--body=${bodyText(castId)}`,
  ],
  address: (text: string) => text.trim().split("\n").at(-1) ?? "",
};

const AzureAnswer = v.object({ pullRequestId: v.number(), repository: v.object({ webUrl: v.string() }) });

const AZURE = {
  program: "az",
  words: ({ branch, into, title, castId }: PullRequest) => [
    "repos",
    "pr",
    "create",
    `--source-branch=${branch}`,
    `--target-branch=${into}`,
    `--title=${title}`,
    `--description=${bodyText(castId)}`,
    "--output=json",
  ],
  address: (text: string) => {
    try {
      const { pullRequestId, repository } = v.parse(AzureAnswer, JSON.parse(text));
      return `${repository.webUrl}/pullrequest/${pullRequestId}`;
    } catch {
      return oneLine(text, 200);
    }
  },
};

function bodyText(castId: string): string {
  return `The work of the cast ${castId}.`;
}

type ProgramOutcome =
  | { readonly kind: "ran"; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly problem: string };

const TIMEOUT_MS = 120_000;

function run(program: string, words: readonly string[], { cwd, env }: Workspace["place"]): Promise<ProgramOutcome> {
  return new Promise((settle) => {
    const how = { cwd, env: { ...env, GH_PROMPT_DISABLED: "1" }, timeout: TIMEOUT_MS, maxBuffer: 1024 * 1024 };
    const child = execFile(program, words, how, (thrown, stdout, stderr) => {
      if (!thrown) return settle({ kind: "ran", text: stdout });
      if (thrown.code === "ENOENT") return settle({ kind: "missing" });
      settle({ kind: "failed", problem: oneLine(stderr.trim() || thrown.message, 300) });
    });
    child.stdin?.end();
  });
}
