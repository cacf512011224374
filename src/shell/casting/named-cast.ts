import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { join } from "node:path";
import { isOwnCast } from "../config/own-casts.ts";
import { castFolder, readCastFile } from "../store/cast-store.ts";
import { castIds, summaryOf } from "../store/casts.ts";
import type { CastSummary } from "../../core/view/casts.ts";
import { foreignIssue } from "./foreign.ts";
import type { Workspace } from "./workspace.ts";

/** [S10] As `castNamed`, to be run: without a name nobody but who began a cast means it. */
export function ownCastNamed(
  workspace: Workspace,
  castId: string | undefined,
  suits: (cast: CastSummary) => boolean,
): Result<string> {
  const { root, place } = workspace;
  const fileOf = (id: string) => readCastFile(join(root, id));
  const isOwn = ({ castId: id }: CastSummary): boolean => {
    const file = fileOf(id);
    return file.ok && isOwnCast(place.env, file.value);
  };
  const own = castNamed(root, castId, (cast) => suits(cast) && isOwn(cast));
  if (own.ok || castId !== undefined) return own;
  const other = castNamed(root, undefined, suits);
  const file = other.ok ? fileOf(other.value) : undefined;
  const foreign = file?.ok ? foreignIssue(workspace, file.value) : undefined;
  return foreign ? fail(foreign) : own;
}

/** The cast that was named, or the newest one; where only some will do, the newest of those. */
export function castNamed(
  root: string,
  castId: string | undefined,
  suits: (cast: CastSummary) => boolean = () => true,
): Result<string> {
  if (castId !== undefined) {
    const folder = castFolder(root, castId);
    return folder.ok ? ok(folder.value.castId) : folder;
  }
  const ids = castIds(root);
  for (const id of ids) {
    const summary = summaryOf(root, id);
    if (summary && suits(summary)) return ok(id);
  }
  return fail(
    ids.length === 0
      ? error("no_cast", root, "there are no casts here yet", `start one with "cast <prompt>"`)
      : error("no_cast", root, "no cast here stands so that this can be done", `"casts" says how each one stands`),
  );
}
