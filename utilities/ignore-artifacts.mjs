import { basename, join } from "node:path";
import { appendPatterns, artifactPathIn, isIgnored, patternFor } from "./lib/ignore-file.mjs";
import { readArtifactDir, readCwd, runUtility } from "./lib/utility.mjs";
import { detectVcs } from "./lib/vcs.mjs";

await runUtility("Ignore-Artifacts", (input) => ({ state: { artifactIgnore: ignoreArtifacts(input) } }));

function ignoreArtifacts(input) {
  const artifactDir = readArtifactDir(input);
  const { kind, root } = detectVcs(readCwd(input));
  if (kind === "none") return nothingToDo(`${root} is under no version control`);

  const path = artifactPathIn(root, artifactDir);
  if (path === undefined) return nothingToDo(`${artifactDir} lies outside the files of the repository ${root}`);
  const owner = detectVcs(artifactDir).root;
  if (owner !== root) return nothingToDo(`${artifactDir} belongs to the repository ${owner}`);

  const file = join(root, ".gitignore");
  const pattern = patternFor(path);
  if (isIgnored(root, path)) return { file, pattern, added: false, reason: `${path} is already ignored` };
  appendPatterns(file, [pattern], basename(input.runDir));
  return { file, pattern, added: true };
}

function nothingToDo(reason) {
  return { file: null, pattern: null, added: false, reason };
}
