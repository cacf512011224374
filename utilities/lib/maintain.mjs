import { gitAt, foreignFilters } from "./command.mjs";
import { commitWork, conflictIn, refuseFiltered } from "./git-changes.mjs";
import { jjAt, keepInJj } from "./jj.mjs";
import { fallbackIdentity, readHead, refuseElsewhere, unfinishedIn } from "./prepare-git.mjs";
import { refuse } from "./utility.mjs";

/** [U43] What the work has changed becomes one commit; the answer says whether that worked. */
export function keepWork(input, { kind, root }) {
  if (kind === "none") refuse(`${root} is under no version control`, "put a bootstrap before it in the loadout");
  const message = messageOf(input);
  const kept = kind === "jj" ? keepInJj(jjAt(root), input, message) : keepInGit(root, input, message);
  if (kept.problem) return { satisfied: false, context: kept.problem };
  const { commit, branch } = kept;
  const context = commit
    ? `Committed ${commit.slice(0, 12)} on ${branch}: ${message.split("\n")[0]}`
    : "Nothing has changed, so nothing was committed.";
  return { satisfied: true, context, state: { lastCommit: { kind, root, branch, commit: commit ?? null } } };
}

function keepInGit(root, { params }, message) {
  const plain = gitAt(root);
  refuseElsewhere(plain, root);
  const unfinished = unfinishedIn(plain);
  if (unfinished)
    return {
      problem: `Nothing was committed: ${unfinished[1]} is in progress in ${root}; end it with ${unfinished[2]}.`,
    };
  const conflict = conflictIn(plain);
  if (conflict)
    return {
      problem: `Nothing was committed: ${conflict} in ${root} has an unresolved conflict; resolve it and git add it.`,
    };
  const { branch } = readHead(plain);
  if (branch === undefined && !isLinkedTree(plain))
    refuse(`no branch is checked out in ${root}, so a commit would be lost`, "git switch to a branch, then recast");
  const filters = params.filters === true;
  if (!filters) refuseFiltered(plain, root, foreignFilters(root));
  const git = gitAt(root, { settings: [...fallbackIdentity(plain), "commit.gpgSign=false"], filters });
  return { branch: branch ?? "no branch", commit: commitWork(git, message)?.commit };
}

/** The item's title, or what was asked; what the item is about stands below it. */
function messageOf({ item, request, castId }) {
  const title = subjectOf(item?.title) || subjectOf(request) || "work of a cast";
  const body = item?.title && typeof item.context === "string" ? clean(item.context).slice(0, 2000).trim() : "";
  return [title, "", ...(body === "" ? [] : [body, ""]), `Cast: ${castId}`, ""].join("\n");
}

export function subjectOf(text) {
  const [first = ""] = clean(typeof text === "string" ? text : "")
    .trim()
    .split("\n");
  return first.length > 100 ? `${first.slice(0, 99)}…` : first;
}

function clean(text) {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ");
}

/** A separate tree beside the main one, as a parallel item has: its maker also takes its commits. */
function isLinkedTree(git) {
  const [own, common] = git
    .text(["rev-parse", "--absolute-git-dir", "--path-format=absolute", "--git-common-dir"])
    .split("\n");
  return own !== common;
}
