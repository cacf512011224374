import type { Context, Hono } from "hono";
import type { CastId } from "../../../../core/model/ids.ts";
import { error } from "../../../../core/model/issue.ts";
import type { Workspace } from "../../../../shell/casting/workspace/workspace.ts";
import { refuse, refuseAll } from "../http/reply.ts";
import { streamOf } from "../http/stream.ts";
import { searchFeed } from "../live/search-feed.ts";
import { inCast } from "./casts.ts";
import { inWorkspace, type ServedProject } from "./served-project.ts";

/** Shorter words are everywhere. */
const LEAST = 2;
const MOST = 200;

/** [N36] A search through what was said and done, in one cast or in all of them. */
export function searchRoutes(app: Hono, served: ServedProject): void {
  app.get(
    "/api/search",
    inWorkspace(served, async (c, workspace) => {
      const ids = await workspace.store.ids();
      return ids.ok ? search(c, workspace, ids.value) : refuseAll(c, ids.issues);
    }),
  );
  app.get(
    "/api/casts/:id/search",
    inCast(served, (c, castId, workspace) => search(c, workspace, [castId])),
  );
}

function search(c: Context, { store }: Workspace, casts: readonly CastId[]): Response {
  const needle = (c.req.query("q") ?? "").trim();
  if (needle.length < LEAST || needle.length > MOST)
    return refuse(c, 400, error("bad_request", "q", `a search has ${LEAST} to ${MOST} characters`));
  return streamOf(c, () => searchFeed(store, { needle, casts }));
}
