import { error, fail, ok } from "../../../core/model/issue.ts";
import type { Result } from "../../../core/model/issue.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { CastSummary } from "../../../core/view/casts.ts";
import type { CastStore } from "../../store/cast-store.ts";
import { foreignIssue, ownLister } from "./foreign.ts";
import type { Workspace } from "./workspace.ts";

/** [S10] As `castNamed`, to be run: without a name nobody but who began a cast means it. */
export async function ownCastNamed(
  workspace: Workspace,
  named: string | undefined,
  suits: (cast: CastSummary) => boolean,
): Promise<Result<CastId>> {
  const { store } = workspace;
  const isOwn = ownLister(workspace);
  const own = await castNamed(store, named, async (cast) => suits(cast) && (await isOwn(cast)));
  if (own.ok || named !== undefined) return own;
  const other = await castNamed(store, undefined, suits);
  const file = other.ok ? await store.describe(other.value) : undefined;
  const foreign = file?.ok ? foreignIssue(workspace, file.value) : undefined;
  return foreign ? fail(foreign) : own;
}

/** The cast that was named, or the newest one; where only some will do, the newest of those. */
export async function castNamed(
  store: CastStore,
  named: string | undefined,
  suits: (cast: CastSummary) => boolean | Promise<boolean> = () => true,
): Promise<Result<CastId>> {
  if (named !== undefined) return store.find(named);
  const ids = await store.ids();
  if (!ids.ok) return ids;
  for (const id of ids.value) {
    const summary = await store.summary(id);
    if (summary && (await suits(summary))) return ok(id);
  }
  return fail(
    ids.value.length === 0
      ? error("no_cast", store.place, "there are no casts here yet", `start one with "cast <prompt>"`)
      : error(
          "no_cast",
          store.place,
          "no cast here stands so that this can be done",
          `"casts" says how each one stands`,
        ),
  );
}
