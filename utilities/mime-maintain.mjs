import { keepWork } from "./lib/maintain.mjs";
import { readCwd, runUtility } from "./lib/utility.mjs";
import { detectGit } from "./lib/vcs.mjs";

await runUtility("Mime-Maintain", (input) => keepWork(input, detectGit(readCwd(input), "Blackbelt-Maintain")));
