import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve, sep } from "node:path";
import { MAX_FILE_BYTES, readRegularText } from "../system/files.ts";

/** The temporary folder of one test. */
export interface ScratchFolder {
  /** The working folder of the cast. */
  readonly work: string;
  /** An empty configuration folder of the user. */
  readonly config: string;
  readonly remove: () => void;
}

/** [T8] A copy of the seed without its history and casts; throws when it cannot be created. */
export function openScratchFolder(seed: string | undefined, git: boolean): ScratchFolder {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "materia-test-")));
  const remove = (): void => rmSync(top, { recursive: true, force: true });
  try {
    const [work, config] = [join(top, "work"), join(top, "config")];
    mkdirSync(config);
    if (seed === undefined) mkdirSync(work);
    else cpSync(seed, work, { recursive: true, filter: (source) => isCopied(relative(seed, source)) });
    if (git) commitAll(work);
    return { work, config, remove };
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

function isCopied(path: string): boolean {
  return basename(path) !== ".git" && path !== join(".pi", "pi-materia");
}

function commitAll(work: string): void {
  // Inside a git hook the environment names another repository.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^GIT_(?!CONFIG)/.test(name)));
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-C", work, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  git("init", "--quiet", "--initial-branch=main");
  for (const [key, value] of [
    ["user.name", "Materia Test"],
    ["user.email", "test@example.invalid"],
    ["commit.gpgsign", "false"],
    ["core.hooksPath", "/dev/null"],
  ] as const)
    git("config", key, value);
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "The seed of a test");
}

/** The expected files of a folder; null for a missing file or one outside the folder. */
export function readExpectedFiles(folder: string, names: readonly string[]): ReadonlyMap<string, string | null> {
  return new Map(names.map((name) => [name, readInside(folder, name)]));
}

function readInside(folder: string, name: string): string | null {
  try {
    const path = realpathSync(resolve(folder, name));
    if (!path.startsWith(join(folder, sep))) return null;
    return readRegularText(path, MAX_FILE_BYTES.config);
  } catch {
    return null;
  }
}
