import { readCwd, runUtility } from "./lib/utility.mjs";
import { detectVcs } from "./lib/vcs.mjs";

await runUtility("Detect-VCS", (input) => ({ state: { vcs: detectVcs(readCwd(input)) } }));
