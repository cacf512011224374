import { azureDevOps } from "./lib/platforms.mjs";
import { openPullRequest } from "./lib/pull-request.mjs";
import { readCwd, runUtility } from "./lib/utility.mjs";
import { detectGit } from "./lib/vcs.mjs";

await runUtility("Mime-ADO-PR", (input) =>
  openPullRequest(input, detectGit(readCwd(input), "Blackbelt-ADO-PR"), azureDevOps),
);
