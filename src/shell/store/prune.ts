import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import type { CastSummary } from "../../core/view/casts.ts";
import { castFolder } from "./cast-store.ts";
import { listCasts } from "./casts.ts";
import { claim } from "./ownership.ts";
import { isMissing, problemText } from "../system/problem.ts";

export interface PruneChoice {
  readonly keep?: number;
  readonly olderThanDays?: number;
}

/** The casts that are old by age, or beyond a number; never one that runs. With both given a cast must be old by both. */
export function prunable(root: string, { keep, olderThanDays }: PruneChoice, now: number): readonly CastSummary[] {
  const oldest = olderThanDays === undefined ? Infinity : now - olderThanDays * 86_400_000;
  return listCasts(root).filter((cast, index) => {
    if (cast.status === "running") return false;
    return (keep === undefined || index >= keep) && Date.parse(cast.endedAt ?? cast.startedAt) <= oldest;
  });
}

/** What is being removed stands under a name that is no cast's: a kill in the middle leaves no half of one. */
const REMOVED = ".removed-";

export function removeCasts(root: string, casts: readonly CastSummary[]): Result<number> {
  for (const cast of casts) {
    const folder = castFolder(root, cast.castId);
    if (!folder.ok) continue;
    // Claimed first: somebody may have resumed it since it was listed. On a full disk nobody can, and removing helps.
    const mine = claim(folder.value.runDir);
    if (mine.kind === "theirs") continue;
    try {
      renameSync(folder.value.runDir, join(root, `${REMOVED}${cast.castId}`));
    } catch (thrown) {
      return fail({
        ...error("cannot_remove", cast.castId, `it cannot be removed: ${problemText(thrown)}`),
        file: folder.value.runDir,
      });
    } finally {
      if (mine.kind === "mine") mine.release();
    }
  }
  return sweep(root);
}

function sweep(root: string): Result<number> {
  try {
    for (const name of readdirSync(root).filter((each) => each.startsWith(REMOVED)))
      rmSync(join(root, name), { recursive: true, force: true });
    return ok(0);
  } catch (thrown) {
    if (isMissing(thrown)) return ok(0);
    return fail({ ...error("cannot_remove", root, `not all could be removed: ${problemText(thrown)}`), file: root });
  }
}
