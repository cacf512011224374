import { readUnpushedTexts, pushNewBranch, listRemoteHeads } from "../../git/transfer/branches.ts";
import type { AllowedRemotes } from "../../git/transfer/restore-tree.ts";
import { createCastBranch } from "../../git/worktrees/own-worktree.ts";
import { createSecretFinder, tokenKindsIn } from "../../secrets/redact.ts";
import { errorText } from "../../system/files.ts";
import type { DeliveryOutcome, SecretFinding } from "../../../core/cast/summary.ts";

/** The result of a cast, in a repository that no agent has touched: agents cannot have changed its configuration. */
interface CastToDeliver {
  readonly castId: string;
  readonly top: string;
  readonly head: string;
  readonly ckpt: string;
  readonly remote: string | null;
  readonly remotes?: AllowedRemotes;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const MAX_FINDINGS = 20;

/** [B24, B62] Pushes the result as a separate branch, unless a secret is found in it. */
export async function pushResultBranch(result: CastToDeliver): Promise<DeliveryOutcome> {
  const { castId, top, head, ckpt, remote, remotes, env } = result;
  if (remote === null) return { problem: "it was submitted from a repository without a remote" };
  try {
    const made = await createCastBranch(top, castId, { head, ckpt });
    if (made.kind === "failed") return made;
    const { branch, commit } = made;
    const heads = await listRemoteHeads(top, remote, remotes);
    const ref = `refs/heads/${branch}`;
    // Another worker may have died between the push and its report.
    if (heads.get(ref) === commit) return { branch, commit };
    const found = await findSecrets(top, commit, [...heads.values()], env);
    if (found.length > 0) return { found };
    const problem = await pushNewBranch(top, remote, { ref, commit, remotes });
    return problem === undefined ? { branch, commit } : { problem };
  } catch (thrown) {
    return { problem: errorText(thrown) };
  }
}

async function findSecrets(
  top: string,
  commit: string,
  known: readonly string[],
  env: CastToDeliver["env"],
): Promise<SecretFinding[]> {
  const read = await readUnpushedTexts(top, commit, known);
  const finder = createSecretFinder(env);
  const found: SecretFinding[] = read.tooLarge.map((file) => ({ file, kind: "too much to look through" }));
  for await (const { name, text } of read.texts) {
    // Agents choose file names too.
    const file = finder.redact(name);
    const kinds = [...finder.namesIn(text).map((variable) => `the value of ${variable}`), ...tokenKindsIn(text)];
    found.push(...kinds.map((kind) => ({ file, kind })));
    if (found.length >= MAX_FINDINGS) break;
  }
  return found.slice(0, MAX_FINDINGS);
}
