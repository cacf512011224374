import { join } from "node:path";
import type { Context, Hono } from "hono";
import { parseEvent } from "../../../../core/cast/event.ts";
import type { CastEvent } from "../../../../core/cast/event.ts";
import type { Graph } from "../../../../core/compile/graph.ts";
import { error } from "../../../../core/model/issue.ts";
import type { Issue } from "../../../../core/model/issue.ts";
import { castFolder, journalFile, readCastFile } from "../../../../shell/store/cast-store.ts";
import type { CastAnswerSent } from "../../../../core/wire/casts.ts";
import type { CastFile } from "../../../../shell/store/cast-file.ts";
import type { CastFolder } from "../../../../shell/store/cast-store.ts";
import { listCasts, summaryOf } from "../../../../shell/store/casts.ts";
import { currentOwner } from "../../../../shell/store/ownership.ts";
import { isMissing, problemText } from "../../../../shell/system/problem.ts";
import { MOST_BYTES, readRegularText } from "../../../../shell/system/regular-file.ts";
import { markForeign } from "../../../../shell/casting/foreign.ts";
import type { Workspace } from "../../../../shell/casting/workspace.ts";
import { refuse, refuseAll } from "../http/reply.ts";
import { streamOf } from "../http/stream.ts";
import { castFeed } from "../live/cast-feed.ts";
import { castsFeed } from "../live/casts-feed.ts";
import { inWorkspace } from "./served.ts";
import type { Served } from "./served.ts";
import { isInsideOrAbsent } from "../http/inside.ts";

export function castRoutes(app: Hono, served: Served): void {
  app.get(
    "/api/casts",
    inWorkspace(served, (c, workspace) =>
      c.json(listCasts(workspace.root).map((cast) => markForeign(workspace, cast))),
    ),
  );
  app.get(
    "/api/casts/stream",
    inWorkspace(served, (c, workspace) =>
      streamOf(c, (wake) => castsFeed(workspace.root, served.live, wake, (cast) => markForeign(workspace, cast))),
    ),
  );
  app.get("/api/casts/:id", inCast(served, showCast));
  app.get(
    "/api/casts/:id/events",
    inCast(served, (c, folder) => {
      const after = afterOf(c);
      if (after === undefined)
        return refuse(c, 400, error("bad_seq", "Last-Event-ID", "the place to go on from is a whole number"));
      return streamOf(c, (wake) => castFeed(folder, after, served.live, wake));
    }),
  );
}

/** [N4] A route that needs one cast. Its folder lies in the root, and so does what it or its files are links to. */
export function inCast(
  served: Served,
  route: (c: Context, folder: CastFolder, workspace: Workspace) => Response | Promise<Response>,
) {
  return inWorkspace(served, (c, workspace) => {
    const folder = castFolder(workspace.root, c.req.param("id") ?? "");
    if (!folder.ok) return refuseAll(c, folder.issues);
    const { runDir } = folder.value;
    const parts = [runDir, join(runDir, "cast.json"), journalFile(runDir)];
    if (!parts.every((part) => isInsideOrAbsent(workspace.root, part)))
      return refuse(c, 404, error("unknown_cast", folder.value.castId, "this cast lies elsewhere"));
    return route(c, folder.value, workspace);
  });
}

/** [N9] Everything a page needs to draw a cast; a damaged journal is shown as far as it is sound. */
function showCast(c: Context, { castId, runDir }: CastFolder, workspace: Workspace): Response {
  const summary = summaryOf(workspace.root, castId);
  const castFile = readCastFile(runDir);
  if (!castFile.ok) return refuseAll(c, castFile.issues);
  const { events, issues } = readEvents(journalFile(runDir), castFile.value);
  const answer: CastAnswerSent = {
    castFile: castFile.value,
    events: [...events],
    live: currentOwner(runDir) !== undefined,
    summary: summary ? markForeign(workspace, summary) : null,
    issues: [...issues],
  };
  return c.json(answer);
}

function readEvents(
  file: string,
  { castId, graph }: CastFile,
): { events: readonly CastEvent[]; issues: readonly Issue[] } {
  let text: string;
  try {
    text = readRegularText(file, MOST_BYTES.journal);
  } catch (thrown) {
    // A cast has its folder a moment before it has a journal.
    if (isMissing(thrown)) return { events: [], issues: [] };
    return { events: [], issues: [{ ...error("no_journal", "", problemText(thrown)), file }] };
  }
  const events: CastEvent[] = [];
  // A last line without its end is still being written, or never was.
  for (const [index, line] of text.split("\n").slice(0, -1).entries()) {
    const event = eventOf(line, graph);
    if (typeof event === "string" || event.seq !== index + 1) {
      const why = typeof event === "string" ? event : `its seq is ${event.seq}`;
      return {
        events,
        issues: [
          {
            ...error(
              "damaged_journal",
              `line ${index + 1}`,
              `line ${index + 1} of the journal is damaged: ${why}`,
              `materia doctor ${castId}`,
            ),
            file,
          },
        ],
      };
    }
    events.push(event);
  }
  return { events, issues: [] };
}

function eventOf(line: string, graph: Graph): CastEvent | string {
  try {
    return parseEvent(JSON.parse(line), () => graph);
  } catch {
    return "it is not JSON";
  }
}

/** The header is what a browser sends by itself after a lost connection, so it knows better than the address. */
function afterOf(c: Context): number | undefined {
  const text = c.req.header("last-event-id") ?? c.req.query("after") ?? "0";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
