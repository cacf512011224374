import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import type { Graph } from "../../../core/compile/graph.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import { removeCastRefs } from "../../git/cast-ref.ts";
import { openCheckpointSession } from "../../git/cast-checkpoints.ts";
import { currentBranch, isBranchPushed, createPack, maxReadableBytes, findPushedCommits } from "../../git/packs/packs.ts";
import type { TreeSource } from "../../git/packs/travelling-tree.ts";
import { findRepository } from "../../git/repository.ts";
import { redactKeys } from "../../secrets/events.ts";
import { createRedactor } from "../../secrets/redact.ts";
import type { CastFile } from "../../store/cast-file.ts";
import type { NewCast } from "../../store/cast-store.ts";
import type { ConnectedFleet } from "../open/fleet.ts";

/** Whose machine it is packed on. */
export interface PackingHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where casts are kept here: no part of anybody's work. */
  readonly artifacts: string;
}

/** A cast as it leaves this machine, with its working tree where it works in one. */
export interface PackedCast {
  readonly file: CastFile;
  readonly brings: Readonly<Record<string, string>>;
  readonly tree?: PackedTree;
}

/** The files as they are now; without a pack those of a branch when the cast begins. */
export interface PackedTree {
  readonly source: TreeSource;
  readonly pack?: { readonly head: string; readonly ckpt: string; readonly bytes: Buffer };
}

/** [B23] Which files a cast is given. */
export type TreeChoice = "as it is now" | "of the branch";

type TreeAtTop = PackedTree & { readonly top: string };

const USER_TEXT_FIELDS: ReadonlySet<string> = new Set(["request", "command", "state"]);

/** [B9] The cast and this working tree as it is, unpushed and uncommitted work included. */
export async function packCast(
  fleet: ConnectedFleet,
  plan: NewCast,
  by: PackingHost,
  choice: TreeChoice = "as it is now",
): Promise<Result<PackedCast>> {
  const packed = choice === "of the branch" ? await branchTreeSource(plan.file) : await packTree(plan.file, fleet, by);
  if (!packed.ok) return packed;
  // [S12] Before it leaves this machine.
  const kept = redactKeys(plan.file, USER_TEXT_FIELDS, createRedactor(by.env));
  const { top, source, pack } = packed.value ?? {};
  const tree = source && { source, ...(pack ? { pack } : {}) };
  const file: CastFile = {
    ...kept,
    graph: top === undefined ? kept.graph : withRelativePrograms(kept.graph, kept.cwd, top),
    checkpoints: top !== undefined,
  };
  return ok({ file, brings: plan.attachments ?? {}, ...(tree ? { tree } : {}) });
}

/** Programs of the project by their place in it: on another machine it stands elsewhere. */
function withRelativePrograms(graph: Graph, cwd: string, top: string): Graph {
  const word = (text: string, index: number): string => {
    if (!text.startsWith(`${top}${sep}`)) return text;
    const below = relative(cwd, text);
    // Without a slash it would be looked for among the programs of the machine.
    return index === 0 && !below.includes(sep) ? `.${sep}${below}` : below;
  };
  const materia = Object.entries(graph.materia).map(([name, each]) => [
    name,
    each.type === "utility" && each.command ? { ...each, command: each.command.map(word) } : each,
  ]);
  return { ...graph, materia: Object.fromEntries(materia) };
}

/** Nothing where the cast works in no repository: its workers begin with an empty folder. */
async function packTree(file: CastFile, fleet: ConnectedFleet, by: PackingHost): Promise<Result<TreeAtTop | undefined>> {
  const found = await findRepository(file.cwd);
  if (found.kind === "none") return ok(undefined);
  const { top, head } = found.repository;
  const scratch = mkdtempSync(join(tmpdir(), "materia-submit-"));
  const mostBytes = fleet.profile.maxCheckpointBytes;
  const files = openCheckpointSession({
    castId: file.castId,
    cwd: file.cwd,
    store: by.artifacts,
    scratch,
    now: () => new Date(),
    maxBytes: maxReadableBytes(mostBytes),
  });
  try {
    const begun = await files.takeFirst();
    if ("problem" in begun) return fail(error("git_failed", file.cwd, `the files cannot be packed: ${begun.problem}`));
    if (begun.left?.large)
      return fail(
        error(
          "files_too_large",
          file.cwd,
          "files of more than 50 MB that git does not know do not travel",
          "ignore them, or commit and push them",
        ),
      );
    if (begun.left?.nested)
      return fail(
        error(
          "git_failed",
          file.cwd,
          "a repository inside of this one cannot travel",
          "ignore it, or submit from elsewhere",
        ),
      );
    const pushed = await findPushedCommits(top);
    const packed = await createPack({ cwd: top, include: [begun.commit, head], exclude: pushed.commits, maxBytes: mostBytes });
    if (packed.kind === "failed")
      return fail(
        error(
          "files_too_large",
          file.cwd,
          `the files cannot be packed: ${packed.problem}`,
          "maxCheckpointBytes of the profile says how large they may be",
        ),
      );
    const source = { remote: pushed.remote, branch: await currentBranch(top), below: relative(top, file.cwd) };
    return ok({ top, source, pack: { head, ckpt: begun.commit, bytes: packed.bytes } });
  } finally {
    files.close();
    await removeCastRefs(top, [file.castId]);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The branch as others see it, by name. */
async function branchTreeSource({ cwd }: CastFile): Promise<Result<TreeAtTop | undefined>> {
  const found = await findRepository(cwd);
  if (found.kind === "none") return ok(undefined);
  const { top } = found.repository;
  const [branch, { remote }] = [await currentBranch(top), await findPushedCommits(top)];
  if (remote !== null && branch !== null && (await isBranchPushed(top, branch)))
    return ok({ top, source: { remote, branch, below: relative(top, cwd), follows: true } });
  const what =
    branch === null ? "no branch is checked out here" : `${branch.replace("refs/heads/", "")} is not pushed to origin`;
  const hint = "push it; or --here takes the files as they are now, every time";
  return fail(error("not_pushed", cwd, `${what}, so no worker can fetch it later`, hint));
}
