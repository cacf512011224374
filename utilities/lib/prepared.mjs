import { basename } from "node:path";
import { wantedBranch } from "./branch-name.mjs";
import { readArtifactDir } from "./utility.mjs";

/** What a bootstrap works with. */
export function placeOf(input, { kind, root }) {
  return {
    kind,
    root,
    artifactDir: readArtifactDir(input),
    castId: basename(input.runDir),
    wanted: wantedBranch(input),
    filters: input.params.filters === true,
  };
}

/** What a bootstrap has done, in words. */
export function describePrepared({ kind, root, branch, created, checkpoint, left, identity }) {
  const word = kind === "jj" ? "bookmark" : "branch";
  const sentences = [`The work is on the ${kind} ${word} ${branch} in ${root}.`];
  if (created.repository) sentences.push("The repository is new.");
  if (checkpoint) {
    const commits = checkpoint.commits.map((commit) => commit.slice(0, 12)).join(" and ");
    sentences.push(
      `Uncommitted work that was there${checkpoint.from ? ` on ${checkpoint.from}` : ""} is kept in ${commits}.`,
    );
  }
  if (left) sentences.push(`Not committed, because they are separate repositories: ${left.join(", ")}.`);
  if (identity) sentences.push("Git knows no user.name and user.email here: set them before committing.");
  return sentences.join(" ");
}
