import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve, sep } from "node:path";
import { MAX_FILE_BYTES, readRegularText } from "../system/files.ts";

/** A folder of its own for one test, gone afterwards. */
export interface ScratchFolder {
  /** Where the cast works. */
  readonly work: string;
  /** A user's configuration without anything in it. */
  readonly config: string;
  readonly remove: () => void;
}

/** [T8] A copy of the seed without its history and its casts; throws where it cannot be made. */
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
  // Inside a hook of git the environment names another repository.
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

/** The files of a folder that are asked about; null where there is none. What lies outside the folder is none. */
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
