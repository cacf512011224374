import type { Context, Hono } from "hono";
import type { CastId } from "../../core/model/ids.ts";
import { error } from "../../core/model/issue.ts";
import type { Workspace } from "../../shell/workspace/workspace.ts";
import { refuse, refuseByCode } from "./body-and-reply.ts";
import { streamFeed, type EventFeed, encodeMessage } from "./event-stream.ts";
import { withCast } from "./cast-routes.ts";
import { withWorkspace, type ServedProject } from "./served-project.ts";
import type { EventOf } from "../../core/cast/state/event.ts";
import { excerptAround, type SearchHit, type SearchHitPlace } from "../../core/wire/stream.ts";
import { ownTranscriptLines, parseTranscriptLine } from "../../core/cast/transcript.ts";
import type { CastStore } from "../../shell/store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../../shell/store/layout.ts";

/** Shorter words match everywhere. */
const MIN_LENGTH = 2;
const MAX_LENGTH = 200;

/** [N36] A search in the texts of one cast or of all casts. */
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
    return refuse(c, 400, error("bad_request", "q", `a search needs ${MIN_LENGTH} to ${MAX_LENGTH} characters`));
  return streamFeed(c, () => openSearchFeed(store, { needle, casts }));
}

/** The search stops at these limits: nobody reads further, and history must not make it slower. */
const MAX_FOUND = 200;
const MAX_CASTS = 1_000;
const MAX_BYTES = 512 * 1024 * 1024;
/** Only the first part of each file is searched. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

export interface SearchQuery {
  readonly needle: string;
  /** The casts to search, newest first. */
  readonly casts: readonly CastId[];
}

/** [N43] Hits as they are found. Nothing is read before the listener has taken the earlier hits. */
function openSearchFeed(store: CastStore, search: SearchQuery): EventFeed {
  const found = searchCasts(store, search);
  let isOver = false;
  return {
    next: async () => {
      const { value, done } = await found.next();
      isOver = done === true;
      return isOver ? undefined : value;
    },
    isOver: () => isOver,
    close: () => void found.return(undefined),
  };
}

async function* searchCasts(store: CastStore, { needle, casts }: SearchQuery): AsyncGenerator<string, undefined> {
  const left = { found: MAX_FOUND, bytes: MAX_BYTES };
  let looked = 0;
  for (const castId of casts.slice(0, MAX_CASTS)) {
    if (left.found <= 0 || left.bytes <= 0) break;
    looked += 1;
    for await (const hit of searchCast(store, castId, { needle, left })) {
      yield encodeMessage({ kind: "found", data: hit });
      left.found -= 1;
      if (left.found <= 0) break;
    }
  }
  yield encodeMessage({
    kind: "over",
    data: { casts: looked, isCut: looked < casts.length || left.found <= 0 || left.bytes <= 0 },
  });
  return undefined;
}

const SEARCHED_FILES = [
  ["output", "output.md"],
  ["output", "stdout.txt"],
  ["output", "stderr.txt"],
  ["prompt", "prompt.md"],
  ["prompt", "input.json"],
  ["handoff", "handoff.json"],
  ["tools", TRANSCRIPT_FILE],
] as const satisfies readonly (readonly [SearchHitPlace, string])[];

async function* searchCast(
  store: CastStore,
  castId: CastId,
  { needle, left }: { readonly needle: string; readonly left: { bytes: number } },
): AsyncGenerator<SearchHit> {
  const visits: EventOf<"visit_started">[] = [];
  const folded = await store.fold(castId, {
    begin: ({ request }) => request,
    step: (request, event) => {
      if (event.type === "visit_started") visits.push(event);
      return request;
    },
  });
  const request = folded.ok ? folded.value.value : "";
  for (const { socket, visit, materia } of visits) {
    const seen = new Set<SearchHitPlace>();
    for (const [where, name] of SEARCHED_FILES) {
      if (seen.has(where) || left.bytes <= 0) continue;
      const part = await store.readArtifact(castId, { socket, visit, name }, { maxBytes: MAX_FILE_BYTES });
      if (!part) continue;
      left.bytes -= part.bytes.length;
      const text = Buffer.from(part.bytes).toString("utf8");
      const excerpt = name === TRANSCRIPT_FILE ? excerptInToolCalls(text, needle) : excerptAround(text, needle);
      if (!excerpt) continue;
      seen.add(where);
      yield { castId, request, socket, visit, materia, in: where, ...excerpt };
    }
  }
}

/** Arguments and results of tool calls; the agent's own words are in its output. */
function excerptInToolCalls(transcript: string, needle: string): ReturnType<typeof excerptAround> {
  for (const line of ownTranscriptLines(transcript.split("\n"))) {
    const message = parseTranscriptLine(line);
    if (!message || typeof message.content === "string") continue;
    const texts = message.content.flatMap((part) => {
      if (part.type === "toolCall") return argumentTexts(part.arguments);
      return message.role === "toolResult" ? [part.text ?? ""] : [];
    });
    for (const text of texts) {
      const excerpt = excerptAround(text, needle);
      if (excerpt) return excerpt;
    }
  }
  return undefined;
}

function argumentTexts(args: unknown): readonly string[] {
  if (typeof args === "string") return [args];
  if (typeof args !== "object" || args === null) return [];
  return Object.values(args).flatMap(argumentTexts);
}
