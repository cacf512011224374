import { describePrepared, placeOf } from "./lib/prepared.mjs";
import { prepareGit } from "./lib/prepare-git.mjs";
import { readCwd, runUtility } from "./lib/utility.mjs";
import { detectGit } from "./lib/vcs.mjs";

await runUtility("Mime-Bootstrap", (input) => {
  const mime = prepareGit(placeOf(input, detectGit(readCwd(input), "Blackbelt-Bootstrap")));
  return { state: { mime }, context: describePrepared(mime) };
});
