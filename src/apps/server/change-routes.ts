import type { Context, Hono } from "hono";
import { error, ok, type Result } from "../../core/model/issue.ts";
import type { FileChange } from "../../core/model/checkpoint.ts";
import type { CheckpointSpan } from "../../core/view/file-changes.ts";
import type { ChangesResponse, PatchResponse } from "../../core/wire/casts.ts";
import { loadCastFiles, findSpan, type StoredCastFiles } from "../../shell/commands/cast-files.ts";
import { totalChanges } from "../../shell/commands/diff.ts";
import { commitsChanging, diffText, listChanges, type CommitRange } from "../../shell/git/diff.ts";
import { refuseByCode } from "./body-and-reply.ts";
import { withCast } from "./cast-routes.ts";
import type { ServedProject } from "./served-project.ts";

/** More files than this are counted, not listed. */
const MAX_FILES = 2_000;
/** A longer patch is cut at the end of a line. */
const MAX_PATCH_BYTES = 2 * 1024 * 1024;

/** [N31, N32] The changes of a visit, an item or the whole cast, between checkpoints of its journal. */
export function changeRoutes(app: Hono, served: ServedProject): void {
  // The difference of two commits never changes, and the page asks for one file after another.
  const filesIn = cacheLastAnswer<readonly FileChange[]>();
  const inSpan = (route: (c: Context, asked: AskedChanges) => Response | Promise<Response>) =>
    withCast(served, async (c, castId, workspace) => {
      const tree = await loadCastFiles(workspace, castId);
      if (!tree.ok) return refuseByCode(c, tree.issues);
      const span = parseSpan(c, tree.value);
      if (!span.ok) return refuseByCode(c, span.issues);
      const between = { cwd: tree.value.repository.top, from: span.value.from, to: span.value.to };
      const files = await filesIn(Object.values(between).join("\n"), () => listChanges(between));
      return route(c, { tree: tree.value, between, files });
    });
  app.get("/api/casts/:id/changes", inSpan(sendChanges));
  app.get("/api/casts/:id/changes/patch", inSpan(sendPatch));
}

/** Caches the last answer. */
function cacheLastAnswer<T>(): (question: string, ask: () => Promise<T>) => Promise<T> {
  let known: { readonly question: string; readonly value: T } | undefined;
  return async (question, ask) => {
    if (known?.question !== question) known = { question, value: await ask() };
    return known.value;
  };
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
    commitsChanging({ cwd: between.cwd, ...tree.spans.whole }, path),
  ]);
  if (!diff.ok)
    return refuseByCode(c, [error("git_failed", tree.castId, `git cannot compare these checkpoints: ${diff.problem}`)]);
  const text = diff.bytes.toString("utf8");
  const patch = diff.isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  return c.json({ path, patch, isCut: diff.isCut, commits: [...commits] } satisfies PatchResponse);
}

/** `?place=Socket-4#2`, `?place=WI-2`; without it the whole cast. */
function parseSpan(c: Context, tree: StoredCastFiles): Result<CheckpointSpan> {
  const place = c.req.query("place");
  return place === undefined ? ok(tree.spans.whole) : findSpan(tree, place);
}
