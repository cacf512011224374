import { keepWork } from "./lib/maintain.mjs";
import { readCwd, runUtility } from "./lib/utility.mjs";
import { detectVcs } from "./lib/vcs.mjs";

await runUtility("Blackbelt-Maintain", (input) => keepWork(input, detectVcs(readCwd(input))));
