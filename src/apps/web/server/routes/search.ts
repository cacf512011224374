import type { Context, Hono } from "hono";
import type { CastId } from "../../../../core/model/ids.ts";
import { error } from "../../../../core/model/issue.ts";
import type { Workspace } from "../../../../shell/casting/workspace/workspace.ts";
import { refuse, refuseByCode } from "../http/reply.ts";
import { streamFeed } from "../http/stream.ts";
import { openSearchFeed } from "../live/search-feed.ts";
import { withCast } from "./casts.ts";
import { withWorkspace, type ServedProject } from "./served-project.ts";

/** Shorter words are everywhere. */
const MIN_LENGTH = 2;
const MAX_LENGTH = 200;

/** [N36] A search through what was said and done, in one cast or in all of them. */
export function searchRoutes(app: Hono, served: ServedProject): void {
  app.get(
    "/api/search",
    withWorkspace(served, async (c, workspace) => {
      const ids = await workspace.store.listIds();
      return ids.ok ? streamSearch(c, workspace, ids.value) : refuseByCode(c, ids.issues);
    }),
  );
  app.get(
    "/api/casts/:id/search",
    withCast(served, (c, castId, workspace) => streamSearch(c, workspace, [castId])),
  );
}

function streamSearch(c: Context, { store }: Workspace, casts: readonly CastId[]): Response {
  const needle = (c.req.query("q") ?? "").trim();
  if (needle.length < MIN_LENGTH || needle.length > MAX_LENGTH)
    return refuse(c, 400, error("bad_request", "q", `a search has ${MIN_LENGTH} to ${MAX_LENGTH} characters`));
  return streamFeed(c, () => openSearchFeed(store, { needle, casts }));
}
