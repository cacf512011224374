import { gitHub } from "./lib/platforms.mjs";
import { openPullRequest } from "./lib/pull-request.mjs";
import { readCwd, runUtility } from "./lib/utility.mjs";
import { detectVcs } from "./lib/vcs.mjs";

await runUtility("Blackbelt-GH-PR", (input) => openPullRequest(input, detectVcs(readCwd(input)), gitHub));
