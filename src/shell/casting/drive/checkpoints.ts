import { openCheckpoints, type OpenCheckpoints } from "../../git/cast-checkpoints.ts";
import type { KnownTree } from "../../git/known-tree.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { CastStore, OwnedCast } from "../../store/cast-store.ts";

/** The checkpoints of a cast that this process owns; nothing where they are turned off. */
export function checkpointsOf(
  store: CastStore,
  owned: OwnedCast,
  { castId, cwd, checkpoints }: Pick<CastFile, "castId" | "cwd" | "checkpoints">,
  known?: KnownTree,
): OpenCheckpoints | undefined {
  if (checkpoints !== true) return undefined;
  const { scratch, keeping } = owned;
  const place = { castId, cwd, store: store.place, scratch, now: () => new Date(), known };
  if (!keeping) return openCheckpoints(place);
  const files = openCheckpoints({ ...place, mostBytes: keeping.mostBytes, isWhole: true });
  return {
    ...files,
    take: async (request) => {
      const taken = await files.take(request);
      keeping.onTaken(taken && "problem" in taken ? taken.problem : undefined);
      return taken;
    },
  };
}
