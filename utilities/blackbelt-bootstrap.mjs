import { basename } from "node:path";
import { wantedBranch } from "./lib/branch-name.mjs";
import { prepareGit } from "./lib/prepare-git.mjs";
import { prepareJj } from "./lib/prepare-jj.mjs";
import { readArtifactDir, readCwd, runUtility } from "./lib/utility.mjs";
import { detectVcs } from "./lib/vcs.mjs";

await runUtility("Blackbelt-Bootstrap", (input) => {
  const artifactDir = readArtifactDir(input);
  const { kind, root } = detectVcs(readCwd(input));
  const place = {
    kind,
    root,
    artifactDir,
    castId: basename(input.runDir),
    wanted: wantedBranch(input),
    filters: input.params.filters === true,
  };
  const blackbelt = kind === "jj" ? prepareJj(place) : prepareGit(place);
  return { state: { blackbelt }, context: describe(blackbelt) };
});

function describe({ kind, root, branch, created, checkpoint, left, identity }) {
  const word = kind === "jj" ? "bookmark" : "branch";
  const sentences = [`The work is on the ${kind} ${word} ${branch} in ${root}.`];
  if (created.repository) sentences.push("The repository is new.");
  if (checkpoint) {
    const commits = checkpoint.commits.map((commit) => commit.slice(0, 12)).join(" and ");
    sentences.push(
      `Uncommitted work that was there${checkpoint.from ? ` on ${checkpoint.from}` : ""} is kept in ${commits}.`,
    );
  }
  if (left) sentences.push(`Not committed, being repositories of their own: ${left.join(", ")}.`);
  if (identity) sentences.push("Git knows no user.name and user.email here: set them before committing.");
  return sentences.join(" ");
}
