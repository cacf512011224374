import type { Context, Hono } from "hono";
import { error, ok } from "../../core/model/issue.ts";
import type { FileChange } from "../../core/model/checkpoint.ts";
import type { ChangesResponse, PatchResponse } from "../../core/wire/casts.ts";
import { loadCastFiles, findSpan, type StoredCastFiles, totalChanges } from "../../shell/commands/diff.ts";
import { findCommitsChanging, diffText, listChanges, type CommitRange } from "../../shell/git/diff.ts";
import { refuseByCode, refuse } from "./body-and-reply.ts";
import { withCast } from "./cast-routes.ts";
import { type ServedProject, workspaceRoutes } from "./served-project.ts";
import type { CastId } from "../../core/model/ids.ts";
import type { Workspace } from "../../shell/workspace/workspace.ts";
import { streamFeed, type EventFeed, encodeMessage } from "./event-stream.ts";
import type { EventOf } from "../../core/cast/state/event.ts";
import { excerptAround, type SearchHit, type SearchHitPlace } from "../../core/wire/stream.ts";
import { ownTranscriptLines, parseTranscriptLine } from "../../core/cast/transcript.ts";
import type { CastStore } from "../../shell/store/cast-store.ts";
import { TRANSCRIPT_FILE } from "../../shell/store/layout.ts";

/** More files than this are counted, not listed. */
const MAX_FILES = 2_000;
/** A longer patch is cut at the end of a line. */
const MAX_PATCH_BYTES = 2 * 1024 * 1024;

/** [N31, N32] The changes of a visit, an item or the whole cast, between checkpoints of its journal. */
export function changeRoutes(app: Hono, served: ServedProject): void {
  // The difference of two commits never changes, and the page asks for one file after another.
  let last: { readonly question: string; readonly files: readonly FileChange[] } | undefined;
  const inSpan = (route: (c: Context, asked: AskedChanges) => Response | Promise<Response>) =>
    withCast(served, async (c, castId, workspace) => {
      const tree = await loadCastFiles(workspace, castId);
      if (!tree.ok) return refuseByCode(c, tree.issues);
      // `?place=Socket-4#2`, `?place=WI-2`; without it the whole cast.
      const place = c.req.query("place");
      const span = place === undefined ? ok(tree.value.spans.whole) : findSpan(tree.value, place);
      if (!span.ok) return refuseByCode(c, span.issues);
      const between = { cwd: tree.value.repository.top, from: span.value.from, to: span.value.to };
      const question = Object.values(between).join("\n");
      const { files } = last?.question === question ? last : { files: await listChanges(between) };
      last = { question, files };
      return route(c, { tree: tree.value, between, files });
    });
  app.get("/api/casts/:id/changes", inSpan(sendChanges));
  app.get("/api/casts/:id/changes/patch", inSpan(sendPatch));
}

interface AskedChanges {
  readonly tree: StoredCastFiles;
  readonly between: CommitRange;
  readonly files: readonly FileChange[];
}

function sendChanges(c: Context, { tree, files }: AskedChanges): Response {
  const answer: ChangesResponse = {
    castId: tree.castId,
    place: c.req.query("place") ?? null,
    ...totalChanges(files),
    files: files.slice(0, MAX_FILES),
    left: tree.spans.left,
  };
  return c.json(answer);
}

async function sendPatch(c: Context, { tree, between, files }: AskedChanges): Promise<Response> {
  const path = c.req.query("path") ?? "";
  // Read only paths that git lists between these checkpoints.
  const file = files.find((each) => each.path === path);
  if (!file) return refuseByCode(c, [error("unknown_file", path, "this file did not change here")]);
  const paths = file.from === undefined ? [path] : [file.from, path];
  const [diff, commits] = await Promise.all([
    diffText(between, { form: "patch", paths, maxBytes: MAX_PATCH_BYTES }),
    findCommitsChanging({ cwd: between.cwd, ...tree.spans.whole }, path),
  ]);
  if (!diff.ok)
    return refuseByCode(c, [error("git_failed", tree.castId, `git cannot compare these checkpoints: ${diff.problem}`)]);
  const text = diff.bytes.toString("utf8");
  const patch = diff.isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  return c.json({ path, patch, isCut: diff.isCut, commits: [...commits] } satisfies PatchResponse);
}

/** Shorter words match everywhere. */
const MIN_LENGTH = 2;
const MAX_LENGTH = 200;

/** [N36] A search in the texts of one cast or of all casts. */
export function searchRoutes(app: Hono, served: ServedProject): void {
  workspaceRoutes(app, served).get("/api/search", async (c, workspace) => {
    const ids = await workspace.store.listIds();
    return ids.ok ? streamSearch(c, workspace, ids.value) : refuseByCode(c, ids.issues);
  });
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

/** The casts are the newest first. */
interface SearchQuery {
  readonly needle: string;
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
