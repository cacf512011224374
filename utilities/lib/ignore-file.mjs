import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { gitAt } from "./command.mjs";
import { refuse } from "./utility.mjs";

/** The artifact folder as a path among the files of a repository, or undefined when it is not there. */
export function artifactPathIn(root, artifactDir) {
  if (artifactDir === root) {
    refuse(
      `the artifact folder is the repository root ${root}, and to ignore it would be to ignore everything`,
      'set "artifactDir" to a folder below it',
    );
  }
  const path = relative(root, artifactDir);
  const [top] = path.split(sep);
  return isAbsolute(path) || ["..", ".git", ".jj"].includes(top) ? undefined : path.split(sep).join("/");
}

/** [U16] A line that means this folder and no other, for any characters in its name. */
export function patternFor(path) {
  if (/[\r\n]/.test(path)) {
    refuse(`no ignore file can name ${JSON.stringify(path)}`, 'set "artifactDir" to a folder without a line break');
  }
  return `/${escape(path)}/`;
}

/** [U17] Git knows every ignore file there is; where it cannot answer, plain lines are compared. */
export function isIgnored(root, path) {
  if (existsSync(join(root, ".git"))) {
    // Asked of something inside: `folder/*` ignores what a folder holds, not the folder.
    const answer = gitAt(root).run(["check-ignore", "--quiet", "--no-index", "--", `./${path}/cast/`]);
    if (answer.code === 0 || answer.code === 1) return answer.code === 0;
  }
  if (readLines(join(root, path, ".gitignore")).includes("*")) return true;
  const forms = equivalentForms(path);
  const decisive = readLines(join(root, ".gitignore")).findLast((line) => forms.has(line.replace(/^!/, "")));
  return decisive !== undefined && !decisive.startsWith("!");
}

/** [U18] Adds lines at the end; a crash leaves the old file or the new one, never a part of it. */
export function appendPatterns(file, patterns, castId) {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) {
    refuse(
      `${file} is not a plain file, so git does not read it`,
      `make it one, or ignore ${patterns.join(" ")} in .git/info/exclude`,
    );
  }
  const before = stat ? readFileSync(file) : Buffer.alloc(0);
  const newLine = before.includes("\r\n") ? "\r\n" : "\n";
  const joint = before.length === 0 || before.at(-1) === 0x0a ? "" : newLine;
  const added = Buffer.from(joint + patterns.map((pattern) => pattern + newLine).join(""));
  // Named for the cast: what a crash left behind goes away when the cast is resumed.
  replaceFile(file, { bytes: Buffer.concat([before, added]), mode: stat?.mode, temporary: `${file}.${castId}.tmp` });
}

function replaceFile(file, { bytes, mode, temporary }) {
  rmSync(temporary, { force: true });
  try {
    const handle = openSync(temporary, "wx");
    writeFileSync(handle, bytes);
    fsyncSync(handle);
    closeSync(handle);
    if (mode !== undefined) chmodSync(temporary, mode & 0o7777);
    renameSync(temporary, file);
  } catch (error) {
    refuse(
      `${file} cannot be written (${error.message})`,
      "make its folder writable, or ignore the artifact folder yourself",
    );
  } finally {
    rmSync(temporary, { force: true });
  }
}

function equivalentForms(path) {
  const names = path.split("/").map(escape);
  const anywhere = names.flatMap((name) => [name, `${name}/`, `**/${name}`, `**/${name}/`, `**/${name}/**`]);
  const anchored = names
    .map((_, index) => names.slice(0, index + 1).join("/"))
    .flatMap((parent) => [parent, `/${parent}`])
    .flatMap((parent) => [parent, `${parent}/`, `${parent}/*`, `${parent}/**`]);
  return new Set([...anywhere, ...anchored]);
}

function escape(path) {
  return path.replace(/[\\*?[]/g, "\\$&");
}

export function readLines(file) {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return [];
  return readFileSync(file, "utf8")
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, "").replace(/(?<!\\) +$/, ""));
}
