import { describePrepared, placeOf } from "./lib/prepared.mjs";
import { prepareGit } from "./lib/prepare-git.mjs";
import { prepareJj } from "./lib/prepare-jj.mjs";
import { readCwd, runUtility } from "./lib/utility.mjs";
import { detectVcs } from "./lib/vcs.mjs";

await runUtility("Blackbelt-Bootstrap", (input) => {
  const place = placeOf(input, detectVcs(readCwd(input)));
  const blackbelt = place.kind === "jj" ? prepareJj(place) : prepareGit(place);
  return { state: { blackbelt }, context: describePrepared(blackbelt) };
});
