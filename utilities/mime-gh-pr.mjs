import { gitHub } from "./lib/platforms.mjs";
import { openPullRequest } from "./lib/pull-request.mjs";
import { readCwd, runUtility } from "./lib/utility.mjs";
import { detectGit } from "./lib/vcs.mjs";

await runUtility("Mime-GH-PR", (input) => openPullRequest(input, detectGit(readCwd(input), "Blackbelt-GH-PR"), gitHub));
