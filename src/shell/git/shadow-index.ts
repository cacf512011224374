import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { GIT_GROUP, gitFolder, gitUserFor, readFileOf } from "../process/tools-user.ts";
import { type Repository, expectSuccess, stdoutParts, runGit, type GitResult, type GitOptions } from "./repository.ts";
import { readOrEmpty } from "./repository-programs.ts";
import { ignoreLocalErrors, valueOr } from "../system/files.ts";

/**
 * A second set of git's own files for the same working tree and objects: a private index, and none of the repository's
 * configuration. It touches nothing of the person's. No filter or watcher of the repository runs, and bytes are stored as
 * they are on the disk.
 */
export type ShadowIndex = Awaited<ReturnType<typeof openEmptyShadow>>;

export interface ShadowOptions {
  /** Absolute paths of folders that are not part of the work, such as the folder of casts. */
  readonly exclude?: readonly string[];
  /** The folder of the shadow; existing files are replaced. A new temporary folder if unset. */
  readonly folder?: string;
  /** The repository's settings and tracked attribute files, if they were just read. */
  readonly settings?: GitSettings;
  readonly attributes?: readonly string[];
  readonly maxBytes?: number | undefined;
}

export async function openShadowIndex(repository: Repository, options: ShadowOptions): Promise<ShadowIndex> {
  const settings = options.settings ?? (await readGitSettings(repository));
  const shadow = await openEmptyShadow(repository, repository.top, { ...options, settings });
  copyUserIndex(shadow);
  shadow.bytes.differ = convertsBytes(shadow, settings, options.attributes ?? (await listAttributeFiles(shadow)));
  if (shadow.bytes.differ) await dropConvertedEntries(shadow);
  return shadow;
}

function makeTemporaryFolder(inside = tmpdir()): string {
  mkdirSync(inside, { recursive: true });
  return mkdtempSync(join(inside, "materia-files-"));
}

/** A shadow without files, for any working tree of the repository. */
export async function openEmptyShadow(
  repository: Repository,
  workTree: string,
  { exclude = [], folder: asked, settings, maxBytes }: ShadowOptions = {},
) {
  // [B86] Another user's git cannot enter the folder of a cast.
  const isForeign = gitUserFor(workTree) !== undefined;
  const folder = isForeign ? makeTemporaryFolder(gitFolder()) : (asked ?? makeTemporaryFolder());
  // A killed owner may have left it; its lock would block this one.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const excluded = exclude.flatMap((path) => pathBelow(workTree, path));
  writeShadowFiles(folder, repository, settings ?? (await readGitSettings(repository)), excluded);
  if (isForeign) openToGitAlone(folder);
  const env = {
    GIT_DIR: folder,
    GIT_WORK_TREE: workTree,
    GIT_OBJECT_DIRECTORY: join(repository.commonDir, "objects"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const lastWritten: { tree?: string } = {};
  return {
    repository,
    folder,
    /** git on the shadow's index and the real working tree. */
    git: (args: readonly string[], call: Omit<GitOptions, "cwd"> = {}): Promise<GitResult> =>
      runGit(args, { ...call, cwd: workTree, env: { ...env, ...call.env } }),
    /** Paths that no checkpoint includes, as prefixes from the top. */
    excluded,
    /** [B35] At most this many bytes of changed files are read; more are a problem, reported before the read. */
    maxBytes,
    /** The last tree that was written, so that an unchanged tree is not written again. */
    lastWritten,
    /** True if git would store some file in other bytes than those on the disk. */
    bytes: { differ: false },
    close: (): void => {
      // The next owner removes it, or it goes with the cast.
      ignoreLocalErrors(() => rmSync(folder, { recursive: true, force: true }));
    },
  };
}

export async function writeFilesOf(
  repository: Repository,
  folder: string,
  commit: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const shadow = await openEmptyShadow(repository, folder);
  try {
    expectSuccess(await shadow.git(["read-tree", "--reset", "-u", commit], { env }));
  } finally {
    shadow.close();
  }
}

/** [B86] Programs of casts cannot enter it: the top belongs to root, and only git has its group. */
function openToGitAlone(folder: string): void {
  for (const name of [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    const path = join(folder, name);
    chownSync(path, 0, GIT_GROUP);
    chmodSync(path, statSync(path).isDirectory() ? 0o770 : 0o660);
  }
}

const READ_SETTINGS = [
  "core\\.(filemode|symlinks|ignorecase|precomposeunicode|excludesfile|attributesfile|autocrlf|eol)",
  "filter\\..*",
];
const COPIED_SETTINGS = ["filemode", "symlinks", "ignorecase", "precomposeunicode"];

export type GitSettings = ReadonlyMap<string, string>;

export async function readGitSettings({ top }: Repository): Promise<GitSettings> {
  const answer = await runGit(["config", "--null", "--get-regexp", `^(${READ_SETTINGS.join("|")})$`], { cwd: top });
  return new Map(
    stdoutParts(answer).map((entry) => {
      const [name = "", ...value] = entry.split("\n");
      return [name.toLowerCase(), value.join("\n")];
    }),
  );
}

function writeShadowFiles(
  folder: string,
  repository: Repository,
  settings: GitSettings,
  leftOut: readonly string[],
): void {
  for (const name of ["refs", "info", "objects"]) mkdirSync(join(folder, name));
  const isSha1 = repository.objectFormat === "sha1";
  const excludesFile = settings.get("core.excludesfile");
  const lines = [
    "[core]",
    `repositoryformatversion = ${isSha1 ? 0 : 1}`,
    "bare = false",
    "autocrlf = false",
    "safecrlf = false",
    ...COPIED_SETTINGS.flatMap((name) =>
      settings.has(`core.${name}`) ? `${name} = ${settings.get(`core.${name}`)}` : [],
    ),
    ...(excludesFile === undefined ? [] : [`excludesFile = "${excludesFile.replace(/["\\]/g, "\\$&")}"`]),
    ...(isSha1 ? [] : ["[extensions]", `objectFormat = ${repository.objectFormat}`]),
  ];
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(folder, "config"), `${lines.join("\n")}\n`);
  // Bytes are stored as they are on the disk: no conversion of line ends, keywords or encodings.
  writeFileSync(join(folder, "info", "attributes"), "* -text -ident !eol !filter !working-tree-encoding -diff\n");
  const excludes = join(repository.commonDir, "info", "exclude");
  const own = valueOr(() => readFileOf(gitUserFor(repository.top), excludes).bytes.toString("utf8"), "");
  const ours = leftOut.map((path) => `/${path.replace(/[\\*?[\]!# ]/g, "\\$&")}`);
  writeFileSync(join(folder, "info", "exclude"), `${own}\n${ours.join("\n")}\n`);
}

/** Copies the person's index, so that only changed files are read; the time of the index matters too. */
function copyUserIndex({ folder, repository: { top, gitDir } }: ShadowIndex): void {
  const user = gitUserFor(top);
  try {
    for (const name of readdirSync(gitDir).filter((each) => each === "index" || each.startsWith("sharedindex."))) {
      const { bytes, stats } = readFileOf(user, join(gitDir, name));
      writeFileSync(join(folder, name), bytes);
      utimesSync(join(folder, name), stats.atime, stats.mtime);
    }
    if (user) openToGitAlone(folder);
  } catch {
    // Files are read one by one instead: slower, with the same result.
  }
}

export const LIST_ATTRIBUTE_FILES = ["ls-files", "-z", "--", ":(top,glob)**/.gitattributes"] as const;

async function listAttributeFiles(shadow: ShadowIndex): Promise<readonly string[]> {
  const tracked = await shadow.git(LIST_ATTRIBUTE_FILES);
  if (tracked.ok || tracked.code !== 128) return stdoutParts(tracked);
  // An unreadable index: all files are read one by one.
  rmSync(join(shadow.folder, "index"), { force: true });
  return stdoutParts(await shadow.git(LIST_ATTRIBUTE_FILES));
}

const CONVERTING_ATTRIBUTE = /(^|\s)[-!]?(text|eol|crlf|ident|filter|working-tree-encoding)\b/m;

function convertsBytes({ repository }: ShadowIndex, settings: GitSettings, tracked: readonly string[]): boolean {
  const autocrlf = settings.get("core.autocrlf") ?? "false";
  if (autocrlf !== "false" || settings.has("core.eol") || settings.has("core.attributesfile")) return true;
  const files = [
    ...tracked.map((name) => join(repository.top, name)),
    join(repository.top, ".gitattributes"),
    join(repository.commonDir, "info", "attributes"),
    join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git", "attributes"),
    "/etc/gitattributes",
  ];
  return files.some((file) => CONVERTING_ATTRIBUTE.test(readOrEmpty(file)));
}

/** Drops their entries, so that they are read from the disk; files of git-lfs stay pointers. */
async function dropConvertedEntries({ git, repository }: ShadowIndex): Promise<void> {
  const listed = await git(["ls-files", "-z"]);
  if (!listed.ok || listed.stdout.length === 0) return;
  const answer = await runGit(["check-attr", "-z", "--stdin", "filter"], { cwd: repository.top, input: listed.stdout });
  const fields = answer.stdout.toString("latin1").split("\0");
  const converted: string[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    if (fields[at + 2] !== "lfs") converted.push(`${fields[at]}\0`);
  }
  await git(["update-index", "-z", "--force-remove", "--stdin"], { input: Buffer.from(converted.join(""), "latin1") });
}

/** [V47] `git add` without a look into submodules, where git would run programs that their configuration names. Their commits are staged alone. */
export async function stageFiles(
  git: ShadowIndex["git"],
  flags: readonly string[],
  paths: readonly string[] = [":/"],
): Promise<GitResult> {
  // In latin1, which preserves the bytes of any name.
  const entries = (await git(["ls-files", "-z", "--stage"])).stdout.toString("latin1").split("\0");
  const links = entries.flatMap((entry) =>
    entry.startsWith("160000 ") ? `${entry.slice(entry.indexOf("\t") + 1)}\0` : [],
  );
  const others = Buffer.from(links.map((link) => `:(top,exclude,literal)${link}`).join(""), "latin1");
  const input = Buffer.concat([Buffer.from(paths.map((path) => `${path}\0`).join("")), others]);
  const added = await git(["add", ...flags, "--pathspec-from-file=-", "--pathspec-file-nul"], { input });
  if (!added.ok || links.length === 0) return added;
  return git(["update-index", "-z", "--remove", "--stdin"], { input: Buffer.from(links.join(""), "latin1") });
}

/** The path below a folder, as git writes it; none if it is elsewhere. */
export function pathBelow(top: string, path: string): readonly string[] {
  const below = relative(top, path);
  return below === "" || below.startsWith("..") ? [] : [below.split(sep).join("/")];
}
