import type { Context, Hono } from "hono";
import type { CastEvent } from "../../../../core/cast/state/event.ts";
import type { CastId } from "../../../../core/model/ids.ts";
import { error, type Issue } from "../../../../core/model/issue.ts";
import type { CastResponseInput } from "../../../../core/wire/casts.ts";
import type { CastStore } from "../../../../shell/store/cast-store.ts";
import { foreignCastMarker } from "../../../../shell/casting/workspace/foreign.ts";
import type { Workspace } from "../../../../shell/casting/workspace/workspace.ts";
import { notFound, refuse, refuseByCode } from "../http/reply.ts";
import { streamFeed } from "../http/stream.ts";
import { openCastFeed } from "../live/cast-feed.ts";
import { openCastListFeed } from "../live/casts-feed.ts";
import { openConfigFeed, joinFeeds } from "../live/config-feed.ts";
import { openFleetCastListFeed } from "../live/fleet/casts.ts";
import { listConfigFiles } from "../../../../shell/config/config.ts";
import { openFleetStatusFeed } from "../live/fleet/standing.ts";
import { withWorkspace, type ServedProject } from "./served-project.ts";

export function castRoutes(app: Hono, served: ServedProject): void {
  const { live } = served;
  app.get(
    "/api/casts",
    withWorkspace(served, async (c, workspace) => {
      const casts = await workspace.store.list();
      if (!casts.ok) return refuseByCode(c, casts.issues);
      return c.json(await Promise.all(casts.value.map(foreignCastMarker(workspace))));
    }),
  );
  app.get(
    "/api/casts/stream",
    withWorkspace(served, (c, workspace) =>
      streamFeed(c, (wake) =>
        joinFeeds(
          workspace.fleet
            ? openFleetCastListFeed(workspace.store, workspace.fleet, wake)
            : openCastListFeed(workspace.store, live, wake, foreignCastMarker(workspace)),
          openConfigFeed(listConfigFiles(workspace.place), live.watch, wake),
        ),
      ),
    ),
  );
  app.get(
    "/api/fleet/stream",
    withWorkspace(served, (c, { fleet }) => (fleet ? streamFeed(c, (wake) => openFleetStatusFeed(fleet, live, wake)) : notFound(c))),
  );
  app.get("/api/casts/:id", withCast(served, sendCast));
  app.get(
    "/api/casts/:id/events",
    withCast(served, (c, castId, { store, fleet }) => {
      const after = resumeAfter(c);
      if (after === undefined)
        return refuse(c, 400, error("bad_seq", "Last-Event-ID", "the place to go on from is a whole number"));
      return streamFeed(c, (wake) => openCastFeed({ store, castId, live, wake, ...(fleet ? { fleet } : {}) }, after));
    }),
  );
}

/** [N4] A route that needs one cast. */
export function withCast(
  served: ServedProject,
  route: (c: Context, castId: CastId, workspace: Workspace) => Response | Promise<Response>,
) {
  return withWorkspace(served, async (c, workspace) => {
    const castId = await workspace.store.find(c.req.param("id") ?? "");
    return castId.ok ? route(c, castId.value, workspace) : refuseByCode(c, castId.issues);
  });
}

/** [N9] Everything a page needs to draw a cast; a damaged journal is shown as far as it is sound. */
async function sendCast(c: Context, castId: CastId, workspace: Workspace): Promise<Response> {
  const { store } = workspace;
  const summary = await store.summary(castId);
  const castFile = await store.readCastFile(castId);
  if (!castFile.ok) return refuseByCode(c, castFile.issues);
  const { events, issues } = await readSoundEvents(store, castId);
  const answer: CastResponseInput = {
    castFile: castFile.value,
    events: [...events],
    live: (await store.owner(castId)) !== undefined,
    summary: summary ? await foreignCastMarker(workspace)(summary) : null,
    issues: [...issues],
  };
  return c.json(answer);
}

async function readSoundEvents(
  store: CastStore,
  castId: CastId,
): Promise<{ events: readonly CastEvent[]; issues: readonly Issue[] }> {
  const events: CastEvent[] = [];
  const folded = await store.fold(castId, {
    begin: () => 0,
    step: (seq, event) => {
      if (event.seq !== seq + 1) throw new Error(`its seq is ${event.seq}`);
      events.push(event);
      return event.seq;
    },
  });
  return { events, issues: folded.ok ? [] : folded.issues };
}

/** The header is what a browser sends by itself after a lost connection, so it knows better than the address. */
function resumeAfter(c: Context): number | undefined {
  const text = c.req.header("last-event-id") ?? c.req.query("after") ?? "0";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
