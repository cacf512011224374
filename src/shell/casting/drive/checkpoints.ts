import { openCheckpointSession, type CheckpointSession } from "../../git/cast-checkpoints.ts";
import type { CachedWorktree } from "../../git/known-tree.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { CastStore, OwnedCast } from "../../store/cast-store.ts";

/** The checkpoints of a cast that this process owns; nothing where they are turned off. */
export function openCastCheckpoints(
  store: CastStore,
  owned: OwnedCast,
  { castId, cwd, checkpoints }: Pick<CastFile, "castId" | "cwd" | "checkpoints">,
  known?: CachedWorktree,
): CheckpointSession | undefined {
  if (checkpoints !== true) return undefined;
  const { scratch, checkpointPolicy: keeping } = owned;
  const place = { castId, cwd, store: store.location, scratch, now: () => new Date(), cachedWorktree: known };
  if (!keeping) return openCheckpointSession(place);
  const files = openCheckpointSession({ ...place, maxBytes: keeping.maxBytes, requiresAllFiles: true });
  return {
    ...files,
    take: async (request) => {
      const taken = await files.take(request);
      keeping.onCheckpoint(taken && "problem" in taken ? taken.problem : undefined);
      return taken;
    },
  };
}
