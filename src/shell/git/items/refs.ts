import { itemRef } from "../../../core/model/ids.ts";
import { partsOf, runGit, textOf } from "../run-git.ts";

export async function readRef(cwd: string, ref: string): Promise<string | undefined> {
  const answer = await runGit(["rev-parse", "--verify", "--quiet", ref], { cwd });
  return answer.ok ? textOf(answer) : undefined;
}

/** Answers whether it is kept. */
export async function keepRef(cwd: string, ref: string, object: string): Promise<boolean> {
  return (await runGit(["update-ref", "--no-deref", ref, object], { cwd })).ok;
}

export async function listRefs(cwd: string, castId: string): Promise<readonly string[]> {
  const answer = await runGit(["for-each-ref", "--format=%(refname)%00", itemRef(castId, "")], { cwd });
  return partsOf(answer).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

export async function dropRefs(cwd: string, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return;
  await runGit(["update-ref", "--no-deref", "--stdin"], { cwd, input: refs.map((ref) => `delete ${ref}\n`).join("") });
}
