import { freeName } from "./branch-name.mjs";
import { commandAt } from "./command.mjs";

/** [U31] jj records the working copy by itself; the work gets an empty change with a bookmark. */
export function prepareJj({ root, wanted }) {
  const jj = commandAt(root, "jj", ["--no-pager", "--color=never"]);
  const [commit, content] = jj
    .text(["log", "--no-graph", "-r", "@", "-T", 'commit_id ++ " " ++ if(empty, "empty", "changed")'])
    .split(" ");
  const names = (...where) => jj.text(["bookmark", "list", ...where, "-T", 'name ++ "\\n"']).split("\n");

  // A bookmark stays where it was put while changes grow above it: ours is the nearest one below.
  const ours = names("-r", "heads(::@ & bookmarks())").find((name) => isNumbered(name, wanted));
  const branch = ours ?? freeName(wanted, names());
  // Work in a change that has another bookmark would move that bookmark.
  const foreign = names("-r", "@").filter((name) => name !== "" && name !== branch);
  if (content === "changed" || foreign.length > 0) jj.text(["new"]);
  if (ours === undefined) jj.text(["bookmark", "create", branch, "-r", "@"]);
  return {
    kind: "jj",
    root,
    branch,
    created: { repository: false, branch: ours === undefined, commits: [] },
    ...(content === "changed" && { checkpoint: { commits: [commit] } }),
  };
}

function isNumbered(name, wanted) {
  return name === wanted || (name.startsWith(`${wanted}-`) && /^\d+$/.test(name.slice(wanted.length + 1)));
}
