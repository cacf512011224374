import { commandAt } from "./command.mjs";

export function jjAt(root) {
  return commandAt(root, "jj", ["--no-pager", "--color=never"]);
}

/** The bookmark of the work: the one a bootstrap made, else the nearest one below the working copy. */
export function bookmarkOf(jj, { state, params }) {
  const asked = params.branch ?? state.blackbelt?.branch;
  if (typeof asked === "string") return asked;
  return (
    jj.text(["bookmark", "list", "-r", "heads(::@ & bookmarks())", "-T", 'name ++ "\\n"']).split("\n")[0] || undefined
  );
}

/** [U49] jj records by itself; the change gets its words, the bookmark moves to it, and an empty one follows. */
export function keepInJj(jj, input, message) {
  const branch = bookmarkOf(jj, input);
  if (branch === undefined)
    return {
      problem: "Nothing was committed: there is no bookmark below the working copy; put Blackbelt-Bootstrap before it.",
    };
  const conflicts = jj.text(["log", "--no-graph", "-r", "@ & conflicts()", "-T", "commit_id"]);
  if (conflicts !== "") return { problem: "Nothing was committed: the working copy has unresolved conflicts." };
  if (jj.text(["log", "--no-graph", "-r", "@", "-T", 'if(empty, "empty", "changed")']) === "empty") return { branch };
  jj.text(["commit", "--message", message]);
  jj.text(["bookmark", "set", branch, "-r", "@-"]);
  return { branch, commit: jj.text(["log", "--no-graph", "-r", "@-", "-T", "commit_id"]) };
}
