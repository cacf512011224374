import { realpathSync } from "node:fs";
import type { CastId } from "../../../core/model/ids.ts";
import { error, type Issue } from "../../../core/model/issue.ts";
import type { Workspace } from "./workspace.ts";

/** Who runs is among the newest: what is older and was set going again lately is rare. */
const MAX_CASTS_CHECKED = 50;

/**
 * [C32] Two casts in one working tree would each take the files of the other for its own. An agent of a cast that starts
 * another one is refused as well.
 */
export async function findBusyTreeIssue({ store, place }: Workspace, except?: CastId): Promise<Issue | undefined> {
  const ids = await store.listIds();
  for (const castId of ids.ok ? ids.value.slice(0, MAX_CASTS_CHECKED) : []) {
    const owner = castId === except ? undefined : await store.owner(castId);
    if (!owner) continue;
    const file = await store.readCastFile(castId);
    if (file.ok && resolveRealFolder(file.value.cwd) !== resolveRealFolder(place.cwd)) continue;
    const what = file.ok ? `: ${file.value.loadout.name}, begun ${file.value.startedAt}` : "";
    return error(
      "cast_is_running",
      castId,
      `process ${owner.pid} on ${owner.host} runs ${castId} in this working tree${what}`,
      `wait for it, stop it with "materia abort ${castId}", work in another folder (git worktree), or add --anyway`,
    );
  }
  return undefined;
}

function resolveRealFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
