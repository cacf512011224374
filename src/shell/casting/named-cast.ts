import { error, fail, ok } from "../../core/model/issue.ts";
import type { Result } from "../../core/model/issue.ts";
import { castFolder } from "../store/cast-store.ts";
import { castIds, summaryOf } from "../store/casts.ts";
import type { CastSummary } from "../../core/view/casts.ts";

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
