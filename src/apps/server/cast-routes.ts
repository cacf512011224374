import type { Context, Hono } from "hono";
import type { CastEvent } from "../../core/cast/state/event.ts";
import { type CastId, SocketId } from "../../core/model/ids.ts";
import { readSentPrompt } from "../../shell/commands/read-visit.ts";
import { error } from "../../core/model/issue.ts";
import { type CastResponseInput, QuestionAnswer, VisitFileName } from "../../core/wire/casts.ts";
import { type CastStore, inlineValues } from "../../shell/store/cast-store.ts";
import { listInbox, markLookedAt } from "../../shell/workspace/inbox.ts";
import { foreignCastMarker } from "../../shell/workspace/foreign-casts.ts";
import type { Workspace } from "../../shell/workspace/workspace.ts";
import { notFound, refuse, refuseByCode, withBody } from "./body-and-reply.ts";
import { streamFeed } from "./event-stream.ts";
import { openCastFeed } from "./cast-feed.ts";
import {
  openCastListFeed,
  openConfigFeed,
  openFleetCastListFeed,
  openFleetStatusFeed,
  joinFeeds,
} from "./cast-list-feed.ts";
import { listConfigFiles } from "../../shell/config/config.ts";
import { removeCasts } from "../../shell/commands/prune.ts";
import { withWorkspace, workspaceRoutes, type ServedProject, type LiveSources } from "./served-project.ts";
import * as v from "valibot";
import type { CastSummary } from "../../core/cast/summary.ts";

export function castRoutes(app: Hono, served: ServedProject): void {
  const { live } = served;
  const { get } = workspaceRoutes(app, served);
  app.post(
    "/api/questions/:id",
    withBody(QuestionAnswer, (c, { answer }) => {
      if (live.runs.questions.answer(c.req.param("id") ?? "", answer)) return c.json({});
      return refuse(c, 404, error("not_found", "", "the question is no longer open"));
    }),
  );
  get("/api/casts", async (c, workspace) => {
    const casts = await workspace.store.list();
    if (!casts.ok) return refuseByCode(c, casts.issues);
    return c.json(await Promise.all(casts.value.map(foreignCastMarker(workspace))));
  });
  get("/api/casts/stream", (c, workspace) =>
    streamFeed(c, (wake) =>
      joinFeeds(
        workspace.fleet
          ? openFleetCastListFeed(workspace.store, workspace.fleet, wake)
          : openCastListFeed(workspace.store, live, wake, listedCastMarker(workspace, live)),
        openConfigFeed(listConfigFiles(workspace.place), live.watch, wake),
      ),
    ),
  );
  get("/api/fleet/stream", (c, { fleet }) =>
    fleet ? streamFeed(c, (wake) => openFleetStatusFeed(fleet, live, wake)) : notFound(c),
  );
  get("/api/inbox", async (c, { place }) => c.json(await listInbox(place.env)));
  app.get("/api/casts/:id", withCast(served, sendCast));
  app.delete("/api/casts/:id", withCast(served, deleteCast));
  app.get("/api/casts/:id/files/:socket/:visit/:name", withCast(served, sendVisitFile));
  app.get(
    "/api/casts/:id/events",
    withCast(served, (c, castId, { store, fleet }) => {
      // A browser sends the header after a lost connection: it is newer than the address.
      const after = c.req.header("last-event-id") ?? c.req.query("after") ?? "0";
      const fault = "the number of the last event must be a whole number";
      if (!/^\d{1,15}$/.test(after)) return refuse(c, 400, error("bad_event_number", "Last-Event-ID", fault));
      return streamFeed(c, (wake) => openCastFeed({ store, castId, live, wake, fleet }, Number(after)));
    }),
  );
}

/** A cast that this server drives is the user's own, also before its mark is written. */
function listedCastMarker(workspace: Workspace, { runs }: LiveSources): (cast: CastSummary) => Promise<CastSummary> {
  const mark = foreignCastMarker(workspace);
  return async (cast) => (runs.isRunningHere(cast.castId) ? cast : mark(cast));
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

/** [N9] Everything that the page needs to draw a cast; a damaged journal is sent up to the damage. */
async function sendCast(c: Context, castId: CastId, workspace: Workspace): Promise<Response> {
  const { store } = workspace;
  const summary = await store.summary(castId);
  const castFile = await store.readCastFile(castId);
  if (!castFile.ok) return refuseByCode(c, castFile.issues);
  const { events, issues } = await readSoundEvents(store, castId);
  await markLookedAt(workspace, castId);
  const answer: CastResponseInput = {
    castFile: castFile.value,
    events: [...events],
    live: (await store.owner(castId)) !== undefined,
    summary: summary ? await foreignCastMarker(workspace)(summary) : null,
    issues: [...issues],
  };
  return c.json(answer);
}

/** [N41] Removes a cast that no process drives. */
async function deleteCast(c: Context, castId: CastId, workspace: Workspace): Promise<Response> {
  const refusal = workspace.fleet
    ? error("unsupported_on_fleet", "", "casts of a fleet cannot be deleted here")
    : (await workspace.store.owner(castId)) !== undefined
      ? error("cast_running", "", "a running cast cannot be deleted", "abort it first")
      : null;
  if (refusal) return refuse(c, 409, refusal);
  const removed = await removeCasts(workspace, [castId]);
  return removed.ok ? c.json({ removed: removed.value }) : refuseByCode(c, removed.issues);
}

async function readSoundEvents(store: CastStore, castId: CastId) {
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

/** Of a longer file only the beginning is sent. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** [N14] The files of a visit, always as plain text: a browser must not run them. */
async function sendVisitFile(c: Context, castId: CastId, { store }: Workspace): Promise<Response> {
  const { socket: text = "", visit = "", name = "" } = c.req.param() as Record<string, string | undefined>;
  const socket = v.safeParse(SocketId, text);
  if (!socket.success || !/^[1-9]\d{0,8}$/.test(visit) || !v.is(VisitFileName, name)) return notFound(c);
  const at = { socket: socket.output, visit: Number(visit), name };
  // [W51] Made for the request, from the transcript of the visit.
  if (name === "prompt-parts.json") {
    const sent = await readSentPrompt(store, castId, at);
    return sent ? c.text(JSON.stringify(sent)) : c.body(null, 204);
  }
  const size = (await store.readArtifact(castId, at, { maxBytes: 0 }))?.size;
  // The event may arrive before its file is written. That is no error, and browsers must not log one.
  if (size === undefined && c.req.query("expected") !== undefined) return c.body(null, 204);
  if (size === undefined) return notFound(c);
  if (name === "input.json" && c.req.query("whole") !== undefined && size <= MAX_FILE_BYTES) {
    const input = await store.readArtifact(castId, at);
    if (input)
      return c.text(await inlineValues(store, castId, Buffer.from(input.bytes).toString("utf8"), MAX_FILE_BYTES));
  }
  const part = await store.readArtifact(castId, at, { maxBytes: MAX_FILE_BYTES });
  const headers = { "content-type": "text/plain; charset=utf-8", "content-disposition": "attachment" };
  return part ? c.body(new Uint8Array(part.bytes), 200, headers) : notFound(c);
}
