import { basename, join } from "node:path";
import { appendPatterns, artifactPathIn, isIgnored, patternFor, readLines } from "./lib/ignore-file.mjs";
import { readArtifactDir, readCwd, refuse, runUtility } from "./lib/utility.mjs";
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
  const ignored = isIgnored(root, path);
  const added = [...(ignored ? [] : [pattern]), ...missingPatterns(root, askedPatterns(input), path)];
  if (added.length > 0) appendPatterns(file, added, basename(input.runDir));
  const more = added.filter((each) => each !== pattern);
  return {
    file,
    pattern,
    added: !ignored,
    ...(ignored && { reason: `${path} is already ignored` }),
    ...(more.length > 0 && { patterns: more }),
  };
}

/** [U46] Lines that the materia asks for besides. */
function askedPatterns({ params: { patterns = [] } }) {
  const isLine = (each) => typeof each === "string" && each.trim() !== "" && !/[\r\n\0]/.test(each);
  if (Array.isArray(patterns) && patterns.every(isLine)) return patterns;
  return refuse("params.patterns is not a list of lines for .gitignore", 'write it like ["build/", "*.log"]');
}

/** A plain path is asked of git; of anything else only the very line counts. */
function missingPatterns(root, patterns, artifactPath) {
  const there = readLines(join(root, ".gitignore"));
  return [...new Set(patterns)].filter((pattern) => {
    const path = pattern.replace(/^\/|\/$/g, "");
    const isPlain = !/[*?[\]!\\#]/.test(path);
    if (there.includes(pattern) || path === artifactPath) return false;
    return !(isPlain && isIgnored(root, path));
  });
}

function nothingToDo(reason) {
  return { file: null, pattern: null, added: false, reason };
}
