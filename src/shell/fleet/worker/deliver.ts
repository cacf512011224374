import type { Delivery, SecretFound } from "../../../core/view/text/delivery.ts";
import { makeBranch } from "../../git/packs/branch.ts";
import { newTexts } from "../../git/packs/new-texts.ts";
import { pushNew, remoteHeads } from "../../git/packs/push.ts";
import { secretFinder } from "../../secrets/redact.ts";
import { shapesIn } from "../../secrets/shapes.ts";
import { problemText } from "../../system/problem.ts";

/** The result of a cast, in a repository that no agent has touched: its configuration is not theirs. */
interface CastToDeliver {
  readonly castId: string;
  readonly top: string;
  readonly head: string;
  readonly ckpt: string;
  readonly remote: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const MOST_FOUND = 20;

/** [B24] Pushed as a branch of its own, unless something in it looks like a secret. */
export async function deliver({ castId, top, head, ckpt, remote, env }: CastToDeliver): Promise<Delivery> {
  if (remote === null) return { problem: "it was submitted from a repository without a remote" };
  try {
    const made = await makeBranch(top, castId, { head, ckpt });
    if (made.kind === "failed") return made;
    const { branch, commit } = made;
    const heads = await remoteHeads(top, remote);
    if (heads.kind === "failed") return heads;
    const ref = `refs/heads/${branch}`;
    // Another worker may have died between the push and the word of it.
    if (heads.commits.get(ref) === commit) return { branch, commit };
    const found = await secretsIn(top, commit, [...heads.commits.values()], env);
    if (found.length > 0) return { found };
    const problem = await pushNew(top, remote, { ref, commit });
    return problem === undefined ? { branch, commit } : { problem };
  } catch (thrown) {
    return { problem: problemText(thrown) };
  }
}

async function secretsIn(
  top: string,
  commit: string,
  known: readonly string[],
  env: CastToDeliver["env"],
): Promise<readonly SecretFound[]> {
  const read = await newTexts(top, commit, known);
  if (read.kind === "failed") throw new Error(read.problem);
  const finder = secretFinder(env);
  const found: SecretFound[] = read.tooLarge.map((file) => ({ file, kind: "too much to look through" }));
  for await (const { name, text } of read.texts) {
    // A name is written by agents as well.
    const file = finder.redact(name);
    const kinds = [...finder.namesIn(text).map((variable) => `the value of ${variable}`), ...shapesIn(text)];
    found.push(...kinds.map((kind) => ({ file, kind })));
    if (found.length >= MOST_FOUND) break;
  }
  return found.slice(0, MOST_FOUND);
}
