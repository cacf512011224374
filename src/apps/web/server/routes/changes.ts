import type { Context, Hono } from "hono";
import type { CastId } from "../../../../core/model/ids.ts";
import { error, fail, ok } from "../../../../core/model/issue.ts";
import type { Result } from "../../../../core/model/issue.ts";
import type { FileSpan } from "../../../../core/view/file-spans.ts";
import type { ChangesAnswer, PatchAnswer } from "../../../../core/wire/changes.ts";
import type { Workspace } from "../../../../shell/casting/workspace/workspace.ts";
import { castTree, spanNamed } from "../../../../shell/commands/files/place.ts";
import type { CastTree } from "../../../../shell/commands/files/place.ts";
import { totalOf } from "../../../../shell/commands/files/total.ts";
import { commitsChanging, diffText, listChanges } from "../../../../shell/git/changes.ts";
import { refuseAll } from "../http/reply.ts";
import { inCast } from "./casts.ts";
import type { ServedProject } from "./served-project.ts";

/** More files than this are counted, not listed. */
const MOST_FILES = 2_000;
/** A longer patch is cut at the end of a line. */
const MOST_BYTES = 2 * 1024 * 1024;

/** [N31, N32] What a visit, an item or the whole cast changed, between checkpoints that its own journal names. */
export function changesRoutes(app: Hono, served: ServedProject): void {
  app.get("/api/casts/:id/changes", inCast(served, showChanges));
  app.get("/api/casts/:id/changes/patch", inCast(served, showPatch));
}

async function showChanges(c: Context, castId: CastId, workspace: Workspace): Promise<Response> {
  const asked = await askedSpan(c, castId, workspace);
  if (!asked.ok) return refuseAll(c, asked.issues);
  const { tree, span } = asked.value;
  const files = await listChanges({ cwd: tree.repository.top, ...span });
  const answer: ChangesAnswer = {
    castId,
    place: c.req.query("place") ?? null,
    ...totalOf(files),
    files: files.slice(0, MOST_FILES),
    left: tree.spans.left,
  };
  return c.json(answer);
}

async function showPatch(c: Context, castId: CastId, workspace: Workspace): Promise<Response> {
  const asked = await askedSpan(c, castId, workspace);
  if (!asked.ok) return refuseAll(c, asked.issues);
  const { tree, span } = asked.value;
  const cwd = tree.repository.top;
  const path = c.req.query("path") ?? "";
  // Only a name that git itself lists between these checkpoints is looked at.
  const file = (await listChanges({ cwd, ...span })).find((each) => each.path === path);
  if (!file) return refuseAll(c, [error("unknown_file", path, "this file was not changed here")]);
  const paths = file.from === undefined ? [path] : [file.from, path];
  const [diff, commits] = await Promise.all([
    diffText({ cwd, ...span }, { form: "patch", paths, mostBytes: MOST_BYTES }),
    commitsChanging({ cwd, ...tree.spans.whole }, path),
  ]);
  if (!diff.ok)
    return refuseAll(c, [error("git_failed", castId, `git cannot compare these checkpoints: ${diff.problem}`)]);
  const text = diff.bytes.toString("utf8");
  const patch = diff.isCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  return c.json({ path, patch, isCut: diff.isCut, commits: [...commits] } satisfies PatchAnswer);
}

interface Asked {
  readonly tree: CastTree;
  readonly span: Pick<FileSpan, "from" | "to">;
}

/** `?place=Socket-4#2`, `?place=WI-2`; without it the whole cast. */
async function askedSpan(c: Context, castId: CastId, workspace: Workspace): Promise<Result<Asked>> {
  const tree = await castTree(workspace, castId);
  if (!tree.ok) return tree;
  const place = c.req.query("place");
  const span = place === undefined ? ok(tree.value.spans.whole) : spanNamed(tree.value, place);
  if (!span.ok) return fail(...span.issues);
  const { from, to } = span.value;
  return ok({ tree: tree.value, span: { from, to } });
}
