import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";

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
