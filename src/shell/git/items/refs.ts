import { rmSync } from "node:fs";
import { join } from "node:path";
import { itemGitRef } from "../../../core/model/ids.ts";
import type { Repository } from "../repository.ts";
import { stdoutParts, runGit, stdoutText } from "../run-git.ts";

export async function readRef(cwd: string, ref: string): Promise<string | undefined> {
  const answer = await runGit(["rev-parse", "--verify", "--quiet", ref], { cwd });
  return answer.ok ? stdoutText(answer) : undefined;
}

/** Answers whether it is kept. */
export function writeRef(repository: Repository, ref: string, object: string): Promise<boolean> {
  return retryWithoutLocks(repository, [ref], ["update-ref", "--no-deref", ref, object]);
}

export async function listItemRefs({ top }: Repository, castId: string): Promise<readonly string[]> {
  const list = () => runGit(["for-each-ref", "--format=%(refname)%00", itemGitRef(castId, "")], { cwd: top });
  const first = await list();
  // Killed, it said nothing; what it would have named stayed for ever.
  const answer = first.ok ? first : await list();
  return stdoutParts(answer).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

export async function deleteRefs(repository: Repository, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return;
  const input = refs.map((ref) => `delete ${ref}\n`).join("");
  await retryWithoutLocks(repository, refs, ["update-ref", "--no-deref", "--stdin"], input);
}

/** A git that was killed while it wrote these names left their locks; nobody but the owner of the cast writes them. */
async function retryWithoutLocks(
  { top, commonDir }: Repository,
  refs: readonly string[],
  args: readonly string[],
  input?: string,
): Promise<boolean> {
  const call = { cwd: top, ...(input === undefined ? {} : { input }) };
  if ((await runGit(args, call)).ok) return true;
  for (const ref of refs) rmSync(join(commonDir, `${ref}.lock`), { force: true });
  return (await runGit(args, call)).ok;
}
