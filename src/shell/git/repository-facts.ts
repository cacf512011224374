import type { RepositoryFacts } from "../../core/prompt/work-so-far.ts";
import { askGit, mayBeInRepository } from "./repository.ts";

const MAX_SUBJECTS = 10;
const MAX_MADE = 30;
const MAX_BYTES = 64 * 1024;

/** [P13, P16] The branch, its last subjects and the commits since the first checkpoint; undefined without a repository. */
export async function readRepositoryFacts(
  cwd: string,
  since: string | undefined,
): Promise<RepositoryFacts | undefined> {
  if (!mayBeInRepository(cwd)) return undefined;
  const log = async (...args: readonly string[]): Promise<readonly string[]> => {
    const call = { cwd, maxBytes: MAX_BYTES };
    const listed = await askGit(["log", "--no-show-signature", "--no-color", ...args, "--"], call);
    return listed?.split("\n").filter(Boolean) ?? [];
  };
  const [branch = null, subjects, made] = await Promise.all([
    askGit(["symbolic-ref", "--quiet", "--short", "HEAD"], { cwd }),
    log("--format=%s", "-n", String(MAX_SUBJECTS), "HEAD"),
    since === undefined ? [] : log("--reverse", "--format=%h %s", "-n", String(MAX_MADE), `${since}..HEAD`),
  ]);
  return branch === null && subjects.length === 0 ? undefined : { branch, made, subjects };
}
