import type { Context, Hono } from "hono";
import type { CastEvent } from "../../../../core/cast/state/event.ts";
import type { CastId } from "../../../../core/model/ids.ts";
import { error, type Issue } from "../../../../core/model/issue.ts";
import type { CastAnswerSent } from "../../../../core/wire/casts.ts";
import type { CastStore } from "../../../../shell/store/cast-store.ts";
import { foreignMarker } from "../../../../shell/casting/workspace/foreign.ts";
import type { Workspace } from "../../../../shell/casting/workspace/workspace.ts";
import { notFound, refuse, refuseAll } from "../http/reply.ts";
import { streamOf } from "../http/stream.ts";
import { castFeed } from "../live/cast-feed.ts";
import { castsFeed } from "../live/casts-feed.ts";
import { configFeed, joined } from "../live/config-feed.ts";
import { fleetCastsFeed } from "../live/fleet/casts.ts";
import { configPaths } from "../../../../shell/config/config.ts";
import { fleetFeed } from "../live/fleet/standing.ts";
import { inWorkspace, type ServedProject } from "./served-project.ts";

export function castRoutes(app: Hono, served: ServedProject): void {
  const { live } = served;
  app.get(
    "/api/casts",
    inWorkspace(served, async (c, workspace) => {
      const casts = await workspace.store.list();
      if (!casts.ok) return refuseAll(c, casts.issues);
      return c.json(await Promise.all(casts.value.map(foreignMarker(workspace))));
    }),
  );
  app.get(
    "/api/casts/stream",
    inWorkspace(served, (c, workspace) =>
      streamOf(c, (wake) =>
        joined(
          workspace.fleet
            ? fleetCastsFeed(workspace.store, workspace.fleet, wake)
            : castsFeed(workspace.store, live, wake, foreignMarker(workspace)),
          configFeed(configPaths(workspace.place), live.watch, wake),
        ),
      ),
    ),
  );
  app.get(
    "/api/fleet/stream",
    inWorkspace(served, (c, { fleet }) => (fleet ? streamOf(c, (wake) => fleetFeed(fleet, live, wake)) : notFound(c))),
  );
  app.get("/api/casts/:id", inCast(served, showCast));
  app.get(
    "/api/casts/:id/events",
    inCast(served, (c, castId, { store, fleet }) => {
      const after = afterOf(c);
      if (after === undefined)
        return refuse(c, 400, error("bad_seq", "Last-Event-ID", "the place to go on from is a whole number"));
      return streamOf(c, (wake) => castFeed({ store, castId, live, wake, ...(fleet ? { fleet } : {}) }, after));
    }),
  );
}

/** [N4] A route that needs one cast. */
export function inCast(
  served: ServedProject,
  route: (c: Context, castId: CastId, workspace: Workspace) => Response | Promise<Response>,
) {
  return inWorkspace(served, async (c, workspace) => {
    const castId = await workspace.store.find(c.req.param("id") ?? "");
    return castId.ok ? route(c, castId.value, workspace) : refuseAll(c, castId.issues);
  });
}

/** [N9] Everything a page needs to draw a cast; a damaged journal is shown as far as it is sound. */
async function showCast(c: Context, castId: CastId, workspace: Workspace): Promise<Response> {
  const { store } = workspace;
  const summary = await store.summary(castId);
  const castFile = await store.describe(castId);
  if (!castFile.ok) return refuseAll(c, castFile.issues);
  const { events, issues } = await readEvents(store, castId);
  const answer: CastAnswerSent = {
    castFile: castFile.value,
    events: [...events],
    live: (await store.owner(castId)) !== undefined,
    summary: summary ? await foreignMarker(workspace)(summary) : null,
    issues: [...issues],
  };
  return c.json(answer);
}

async function readEvents(
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
function afterOf(c: Context): number | undefined {
  const text = c.req.header("last-event-id") ?? c.req.query("after") ?? "0";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
