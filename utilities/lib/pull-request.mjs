import { commandAt, gitAt } from "./command.mjs";
import { countPending } from "./git-changes.mjs";
import { bookmarkOf, jjAt } from "./jj.mjs";
import { subjectOf } from "./maintain.mjs";
import { readHead } from "./prepare-git.mjs";
import { quietEnvironment, remoteGit } from "./remote-git.mjs";
import { refuse } from "./utility.mjs";

/**
 * [U44, U50] All that could be missing is looked for before anything is pushed, and said at once. Then the branch is pushed, never by
 * force and never the default one, and the pull request made where there is none.
 */
export function openPullRequest(input, { kind, root }, platform) {
  if (kind === "none") refuse(`${root} is under no version control`, "there is nothing to make a pull request of");
  const work = kind === "jj" ? workInJj(root, input) : workInGit(root, input);
  const git = remoteGit(root, work.gitDir);
  const target = targetOf(git, work, input);
  const wanted = { ...work, ...target, ...wordsOf(input, git, { ...work, ...target }) };
  const tool = commandAt(root, platform.program, [], quietEnvironment(work.gitDir));
  const found = target.base === undefined || work.branch === undefined ? {} : findRequest(tool, platform, wanted);
  const missing = [...work.missing, ...target.missing, ...(found.missing ?? [])];
  if (missing.length > 0) return notMade(wanted, missing);
  const { remote, branch, commit } = wanted;
  const pushed = git.run([
    "push",
    "--receive-pack=git-receive-pack",
    "--no-verify",
    remote,
    `${commit}:refs/heads/${branch}`,
  ]);
  if (pushed.code !== 0) return notMade(wanted, [`${remote} does not take the branch ${branch}: ${pushed.stderr}`]);
  if (found.url) return made(wanted, platform, found.url, "is there already and has the newest commits");
  const answer = tool.run(platform.create(wanted));
  const url = answer.code === 0 ? readAs(platform.made, answer) : undefined;
  if (url) return made(wanted, platform, url, "is made");
  const said = answer.stderr || answer.stdout?.toString("utf8").trim() || "nothing";
  return notMade(wanted, [`the branch ${branch} is pushed, but ${platform.program} did not make the request: ${said}`]);
}

function workInGit(root, { params }) {
  const git = gitAt(root);
  const { branch, commit } = readHead(git);
  const pending = countPending(git);
  return {
    branch,
    commit,
    missing: [
      ...(branch === undefined ? ["a branch: none is checked out (git switch --create NAME)"] : []),
      ...(commit === undefined ? ["a commit"] : []),
      ...(pending > 0
        ? [`a commit of ${pending} changed ${pending === 1 ? "file" : "files"} (Mime-Maintain makes one)`]
        : []),
    ],
    remoteHint: params.remote ?? (branch === undefined ? undefined : read(git, ["config", `branch.${branch}.remote`])),
  };
}

function workInJj(root, input) {
  const jj = jjAt(root);
  const branch = bookmarkOf(jj, input);
  if (branch === undefined) return { missing: ["a bookmark for the work (Blackbelt-Bootstrap makes one)"] };
  const ids = (set) =>
    jj.text(["log", "--no-graph", "-r", set, "-T", 'commit_id ++ "\\n"']).split("\n").filter(Boolean);
  const above = ids(`(${JSON.stringify(branch)}..@) & ~empty()`).length;
  return {
    branch,
    commit: ids(JSON.stringify(branch))[0],
    gitDir: jj.text(["git", "root"]),
    missing: above > 0 ? [`the newest work in the bookmark ${branch} (Blackbelt-Maintain moves it there)`] : [],
    remoteHint: input.params.remote,
  };
}

/** [U45] The remote, and the branch there that the work shall go into. */
function targetOf(git, { branch, commit, remoteHint }, { params }) {
  const remotes = git.text(["remote"]).split("\n").filter(Boolean);
  const remote = remoteHint ?? (remotes.includes("origin") ? "origin" : remotes.length === 1 ? remotes[0] : undefined);
  if (remote === undefined || !remotes.includes(remote))
    return {
      missing: [
        remotes.length === 0
          ? "a remote (git remote add origin ADDRESS)"
          : `a remote: "params": { "remote": … } is one of ${remotes.join(", ")}`,
      ],
    };
  const heads = git.run(["ls-remote", "--upload-pack=git-upload-pack", "--symref", remote, "HEAD"]);
  if (heads.code !== 0) return { remote, missing: [`a way to ${remote}: ${heads.stderr}`] };
  const [, standard] = /^ref: refs\/heads\/(\S+)\s+HEAD/m.exec(heads.stdout.toString("utf8")) ?? [];
  const base = typeof params.base === "string" ? params.base : standard;
  if (base === undefined)
    return { remote, missing: [`the branch to go into: ${remote} names none, so say it with "params": { "base": … }`] };
  const isDefault = branch !== undefined && (branch === base || branch === standard);
  return {
    remote,
    base,
    missing: [
      ...(isDefault ? [`a separate branch: ${branch} is the target of the pull request and is never pushed to`] : []),
      ...(isDefault || commit === undefined ? [] : newWork(git, { remote, base, commit })),
    ],
  };
}

/** Whether there is anything that the other side does not have. */
function newWork(git, { remote, base, commit }) {
  const [there] = git
    .text(["ls-remote", "--upload-pack=git-upload-pack", "--heads", remote, `refs/heads/${base}`])
    .split(/\s/);
  if (!there) return [`the branch ${base} on ${remote}`];
  // A commit that is not here holds work of others: ours is new in any case.
  const isHere = git.run(["cat-file", "-e", `${there}^{commit}`]).code === 0;
  return isHere && git.text(["rev-list", "--count", `${there}..${commit}`]) === "0"
    ? [`work that ${base} does not have`]
    : [];
}

function findRequest(tool, platform, wanted) {
  const { program, install, logIn } = platform;
  const answer = tool.run(platform.find(wanted));
  if (answer.code === "missing") return { missing: [`the program ${program}: ${install}`] };
  if (answer.code !== 0) return { missing: [`an answer of ${program} (${answer.stderr}): ${logIn}`] };
  return { url: readAs(platform.found, answer) };
}

function readAs(reader, { stdout }) {
  try {
    const url = reader(stdout.toString("utf8"));
    return typeof url === "string" && url !== "" ? url : undefined;
  } catch {
    return undefined;
  }
}

function wordsOf({ params, request, castId }, git, { base, remote, commit }) {
  const title = subjectOf(params.title) || subjectOf(request) || `Work of cast ${castId}`;
  const range = base && commit && read(git, ["rev-parse", "--quiet", "--verify", `refs/remotes/${remote}/${base}`]);
  const subjects = range
    ? git.text(["log", "--no-merges", "--max-count=50", "--format=- %s", `${range}..${commit}`])
    : "";
  const asked = typeof request === "string" ? request.slice(0, 4000) : "";
  return { title, body: [asked, subjects, `Cast: ${castId}`].filter((part) => part.trim() !== "").join("\n\n") };
}

function made({ remote, branch, base }, { name }, url, how) {
  const pullRequest = { made: true, url, branch, base, remote };
  return { satisfied: true, context: `The pull request on ${name} ${how}: ${url}`, state: { pullRequest } };
}

function notMade({ branch, base, remote }, missing) {
  const pullRequest = { made: false, missing, branch: branch ?? null, base: base ?? null, remote: remote ?? null };
  return {
    satisfied: false,
    context: `No pull request was made. Missing: ${missing.join("; ")}.`,
    state: { pullRequest },
  };
}

function read(git, args) {
  const done = git.run(args);
  return done.code === 0 ? done.stdout.toString("utf8").trim() || undefined : undefined;
}
