import type { PoolClient } from "pg";
import type { CastId } from "../../core/model/ids.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { failWith, fail, ok, type Result, error, type Issue } from "../../core/model/issue.ts";
import type { OmittedFiles } from "../../core/model/checkpoint.ts";
import type { NewCast } from "../store/cast-store.ts";
import { sql, withDatabaseErrors } from "../store/postgres/database.ts";
import type { ConnectedFleet } from "./open-fleet.ts";
import { materiaOf, socketsOf, type Graph } from "../../core/compile/graph.ts";
import { type CastFile, USER_TEXT_FIELDS } from "../store/cast-file.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { removeCastRefs, currentBranch } from "../git/refs.ts";
import { openCheckpointSession } from "../git/checkpoint-session.ts";
import { isBranchPushed, createPack, maxReadableBytes, findPushedCommits } from "../git/transfer/packs.ts";
import type { TreeSource } from "../git/transfer/restore-tree.ts";
import { findRepository } from "../git/repository.ts";
import { redactKeys } from "../secrets/redact-event.ts";
import { createRedactor } from "../secrets/redact.ts";
import { packSkills } from "../agents/packed-skills.ts";

export interface SubmitOptions {
  /** Lower goes first. */
  readonly priority?: number;
  /** [B21] A second submission with the same key submits nothing. */
  readonly key?: string;
}

/** [B9] Submits this working tree and a cast for it in one transaction. Returns the cast that the key belongs to. */
export async function submitCast(
  fleet: ConnectedFleet,
  plan: NewCast,
  by: PackingHost & SubmitOptions,
): Promise<Result<CastId>> {
  const packed = await packCast(fleet, plan, by);
  if (!packed.ok) return packed;
  const { project, queue } = fleet.profile;
  const { priority = 0, key } = by;
  return withDatabaseErrors(fleet.profile.name, async () => {
    const isNew = await fleet.database.transaction((client) =>
      insertCast(client, packed.value, { project, queue, priority, key }),
    );
    const { castId } = packed.value.file;
    if (isNew) return ok(castId);
    const first = await findCastByKey(fleet, key);
    return first.ok ? ok(first.value ?? castId) : first;
  });
}

interface QueueEntry {
  readonly project: string;
  readonly queue: string;
  readonly priority: number;
  readonly key?: string | undefined;
  /** The person; the connected role if unset. */
  readonly by?: string;
}

/** [B80] The only way by which a cast comes into the database. False if another cast has the key. */
export async function insertCast(
  client: PoolClient,
  { file, brings, tree }: PackedCast,
  { project, queue, priority, key, by }: QueueEntry,
): Promise<boolean> {
  const text = "select materia.submit_cast($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as submitted";
  const { rows } = await client.query<{ submitted: boolean }>(text, [
    file.castId,
    project,
    queue,
    priority,
    `${JSON.stringify(file, undefined, 1)}\n`,
    JSON.stringify(brings),
    ...treeValues(tree).slice(0, 1),
    key ?? null,
    providersOf(file),
    ...treeValues(tree).slice(1),
    by ?? null,
  ]);
  return rows[0]?.submitted === true;
}

/** Source, head, checkpoint and pack, as the functions of the database take them. */
export function treeValues(tree: PackedTree | undefined): readonly unknown[] {
  const { head = null, ckpt = null, bytes = null } = tree?.pack ?? {};
  return [tree ? JSON.stringify(tree.source) : null, head, ckpt, bytes];
}

/** [B21] The cast of a key in the project of the fleet. */
export async function findCastByKey(
  { database, profile }: ConnectedFleet,
  key: string | undefined,
): Promise<Result<CastId | undefined>> {
  if (key === undefined) return ok(undefined);
  return withDatabaseErrors(profile.name, async () => {
    const asked = sql`select cast_id from materia.casts where project = ${profile.project} and key = ${key}`;
    return ok((await database.query<{ cast_id: CastId }>(asked))[0]?.cast_id);
  });
}

const WORKER_DEFAULT = "default";

/** [B22] The providers that the agents of a cast use; none for a rehearsal. */
export function providersOf({
  graph,
  model,
  rehearsal,
}: Pick<CastFile, "graph" | "model" | "rehearsal">): readonly string[] {
  if (rehearsal !== null) return [];
  const models = socketsOf(graph).flatMap((socket) => {
    const materia = materiaOf(graph, socket);
    return materia.type === "agent" ? [model ?? materia.model] : [];
  });
  return [...new Set(models.map((each) => each?.split("/")[0] ?? WORKER_DEFAULT))].toSorted();
}

export interface PackingHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of local casts: it is not packed. */
  readonly artifacts: string;
}

export interface PackedCast {
  readonly file: CastFile;
  readonly brings: Readonly<Record<string, string>>;
  readonly tree?: PackedTree;
}

/** The files of now, or without a pack those of a branch when the cast starts. */
export interface PackedTree {
  readonly source: TreeSource;
  readonly pack?: { readonly head: string; readonly ckpt: string; readonly bytes: Buffer };
}

/** [B43] The files that a cast gets. */
export type TreeChoice = "as it is now" | "of the branch";

type TreeAtTop = PackedTree & { readonly top: string };

/** [B9] Packs the cast and this working tree, unpushed and uncommitted work included. */
export async function packCast(
  fleet: ConnectedFleet,
  plan: NewCast,
  by: PackingHost,
  choice: TreeChoice = "as it is now",
): Promise<Result<PackedCast>> {
  const packed = choice === "of the branch" ? await branchTreeSource(plan.file) : await packTree(plan.file, fleet, by);
  if (!packed.ok) return packed;
  const skills = await packSkills(plan.file, by.env);
  if (!skills.ok) return skills;
  // [S12] Checked before anything leaves this machine.
  const kept = redactKeys(plan.file, USER_TEXT_FIELDS, createRedactor(by.env));
  const { top, source, pack } = packed.value ?? {};
  const tree = source && { source, ...withoutUndefined({ pack }) };
  const file: CastFile = {
    ...kept,
    graph: top === undefined ? kept.graph : withRelativePrograms(kept.graph, kept.cwd, top),
    checkpoints: top !== undefined,
  };
  return ok({ file, brings: { ...plan.attachments, ...skills.value }, ...withoutUndefined({ tree }) });
}

/** Programs of the project become relative paths: the project is in another folder on another machine. */
function withRelativePrograms(graph: Graph, cwd: string, top: string): Graph {
  const word = (text: string, index: number): string => {
    if (!text.startsWith(`${top}${sep}`)) return text;
    const below = relative(cwd, text);
    // Without a slash the shell would search the program in PATH.
    return index === 0 && !below.includes(sep) ? `.${sep}${below}` : below;
  };
  const materia = Object.entries(graph.materia).map(([name, each]) => [
    name,
    each.type === "utility" && each.command ? { ...each, command: each.command.map(word) } : each,
  ]);
  return { ...graph, materia: Object.fromEntries(materia) };
}

/** Undefined if the cast has no repository: its workers start with an empty folder. */
async function packTree(
  file: CastFile,
  fleet: ConnectedFleet,
  by: PackingHost,
): Promise<Result<TreeAtTop | undefined>> {
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
    const first = await files.takeFirst();
    if ("problem" in first) return failWith("git_failed", file.cwd, `cannot pack the files: ${first.problem}`);
    const omitted = omittedIssue(file.cwd, first.left);
    if (omitted) return fail(omitted);
    const pushed = await findPushedCommits(top);
    const include = [first.commit, head];
    const packed = await createPack({ cwd: top, include, exclude: pushed.commits, maxBytes: mostBytes });
    if (packed.kind === "failed") {
      const hint = "maxCheckpointBytes of the profile is the limit";
      return failWith("files_too_large", file.cwd, `cannot pack the files: ${packed.problem}`, hint);
    }
    const source = { remote: pushed.remote, branch: await currentBranch(top), below: relative(top, file.cwd) };
    return ok({ top, source, pack: { head, ckpt: first.commit, bytes: packed.bytes } });
  } finally {
    files.close();
    await removeCastRefs(top, [file.castId]);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A worker would not have these files. */
function omittedIssue(cwd: string, omitted: OmittedFiles | undefined): Issue | undefined {
  if (omitted?.large) {
    const hint = "add them to .gitignore, or commit and push them";
    return error("files_too_large", cwd, "untracked files of more than 50 MB cannot be submitted to a fleet", hint);
  }
  const hint = "add them to .gitignore, or submit from another folder";
  return omitted?.nested
    ? error("git_failed", cwd, "nested git repositories cannot be submitted to a fleet", hint)
    : undefined;
}

/** The branch by its name in `origin`. */
async function branchTreeSource({ cwd }: CastFile): Promise<Result<TreeAtTop | undefined>> {
  const found = await findRepository(cwd);
  if (found.kind === "none") return ok(undefined);
  const { top } = found.repository;
  const [branch, { remote }] = [await currentBranch(top), await findPushedCommits(top)];
  if (remote !== null && branch !== null && (await isBranchPushed(top, branch)))
    return ok({ top, source: { remote, branch, below: relative(top, cwd), follows: true } });
  const what =
    branch === null ? "no branch is checked out here" : `${branch.replace("refs/heads/", "")} is not pushed to origin`;
  const hint = "push it, or use --here for the files of now";
  return failWith("unpushed_branch", cwd, `${what}, so no worker can fetch it later`, hint);
}
