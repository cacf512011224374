import type { Context, Hono } from "hono";
import { error, ok, type Result } from "../../../../core/model/issue.ts";
import type { FileChange } from "../../../../core/model/values/checkpoint.ts";
import type { FileSpan } from "../../../../core/view/file-spans.ts";
import type { ChangesAnswer, PatchAnswer } from "../../../../core/wire/changes.ts";
import { castTree, spanNamed, type CastTree } from "../../../../shell/commands/files/place.ts";
import { totalOf } from "../../../../shell/commands/files/total.ts";
import { commitsChanging, diffText, listChanges, type CommitRange } from "../../../../shell/git/changes.ts";
import { refuseAll } from "../http/reply.ts";
import { inCast } from "./casts.ts";
import type { ServedProject } from "./served-project.ts";

/** More files than this are counted, not listed. */
const MOST_FILES = 2_000;
/** A longer patch is cut at the end of a line. */
const MOST_BYTES = 2 * 1024 * 1024;

/** [N31, N32] What a visit, an item or the whole cast changed, between checkpoints that its own journal names. */
export function changesRoutes(app: Hono, served: ServedProject): void {
  // What lies between two commits never changes, and is looked at file after file.
  const filesIn = lastAnswer<readonly FileChange[]>();
  const inSpan = (route: (c: Context, asked: Asked) => Response | Promise<Response>) =>
    inCast(served, async (c, castId, workspace) => {
      const tree = await castTree(workspace, castId);
      if (!tree.ok) return refuseAll(c, tree.issues);
      const span = askedSpan(c, tree.value);
      if (!span.ok) return refuseAll(c, span.issues);
      const between = { cwd: tree.value.repository.top, from: span.value.from, to: span.value.to };
      const files = await filesIn(Object.values(between).join("\n"), () => listChanges(between));
      return route(c, { tree: tree.value, between, files });
    });
  app.get("/api/casts/:id/changes", inSpan(showChanges));
  app.get("/api/casts/:id/changes/patch", inSpan(showPatch));
}

/** Gives its last answer again to the same question. */
function lastAnswer<T>(): (question: string, ask: () => Promise<T>) => Promise<T> {
  let known: { readonly question: string; readonly value: T } | undefined;
  return async (question, ask) => {
    if (known?.question !== question) known = { question, value: await ask() };
    return known.value;
  };
}

interface Asked {
  readonly tree: CastTree;
  readonly between: CommitRange;
  readonly files: readonly FileChange[];
}

function showChanges(c: Context, { tree, files }: Asked): Response {
  const answer: ChangesAnswer = {
    castId: tree.castId,
    place: c.req.query("place") ?? null,
    ...totalOf(files),
    files: files.slice(0, MOST_FILES),
    left: tree.spans.left,
  };
  return c.json(answer);
}

async function showPatch(c: Context, { tree, between, files }: Asked): Promise<Response> {
  const path = c.req.query("path") ?? "";
  // Only a name that git itself lists between these checkpoints is looked at.
  const file = files.find((each) => each.path === path);
  if (!file) return refuseAll(c, [error("unknown_file", path, "this file was not changed here")]);
  const paths = file.from === undefined ? [path] : [file.from, path];
  const [diff, commits] = await Promise.all([
    diffText(between, { form: "patch", paths, mostBytes: MOST_BYTES }),
    commitsChanging({ cwd: between.cwd, ...tree.spans.whole }, path),
  ]);
  if (!diff.ok)
    return refuseAll(c, [error("git_failed", tree.castId, `git cannot compare these checkpoints: ${diff.problem}`)]);
  const text = diff.bytes.toString("utf8");
  const patch = diff.isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  return c.json({ path, patch, isCut: diff.isCut, commits: [...commits] } satisfies PatchAnswer);
}

/** `?place=Socket-4#2`, `?place=WI-2`; without it the whole cast. */
function askedSpan(c: Context, tree: CastTree): Result<FileSpan> {
  const place = c.req.query("place");
  return place === undefined ? ok(tree.spans.whole) : spanNamed(tree, place);
}
