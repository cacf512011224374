import { existsSync } from "node:fs";
import type { CommandOf } from "../../core/command/command.ts";
import type { CastId } from "../../core/model/ids.ts";
import { failWith, ok, suggest, typed, type Result } from "../../core/model/issue.ts";
import { oneLine, sanitizeForTerminal } from "../../core/model/text.ts";
import { line, toned } from "../../core/view/line.ts";
import { mergeCastBranch } from "../git/worktrees/join-items.ts";
import { createCastBranch, saveOwnWorktree, type OwnWorktreeToSave } from "../git/worktrees/own-worktree.ts";
import { castRef, readRef } from "../git/refs.ts";
import type { CastFile } from "../store/cast-file.ts";
import { ownWorktreeFolder, worktreePool } from "../store/layout.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";

/** [B17, YT6] Brings home the result of a cast that worked elsewhere: as a branch, merged, or as a pull request. */
export async function runTake(workspace: Workspace, command: CommandOf<"take">): CommandResult {
  const id = await findCast(workspace.store, command.castId);
  if (!id.ok) return id;
  const castId = id.value;
  const summary = await workspace.store.summary(castId);
  // A visit that failed may have left files in a separate tree.
  if (summary?.visits === 0 && !existsSync(ownWorktreeFolder(workspace.store.location, castId))) {
    const message = "no visit of this cast has run yet, so there is no result";
    return failWith("cast_not_started", castId, message, "wait for it");
  }
  const taken = await (workspace.fleet ? takeFromFleet(workspace, castId) : takeOwnWorktree(workspace, castId));
  if (!taken.ok) return taken;
  if (command.as === "merge") return mergeTaken(workspace, taken.value);
  if (command.as === "pr") return proposeTaken(workspace, taken.value);
  const { branch, commit } = taken.value;
  return answer({ castId, branch, commit }, () => [
    line(`${castId} is here as the branch `, toned("strong", branch), "."),
    line(toned("accent", `git diff HEAD...${branch}`), toned("dim", "  show its changes")),
    line(toned("accent", `git merge ${branch}`), toned("dim", "  merge it")),
  ]);
}

export interface TakenCast {
  readonly castId: CastId;
  readonly branch: string;
  readonly commit: string;
  /** The commit that the cast started from; undefined if only the fleet knows it. */
  readonly base: string | undefined;
  readonly title: string;
}

async function takeFromFleet({ fleet, place, store }: Workspace, castId: CastId): Promise<Result<TakenCast>> {
  if (!fleet) throw new Error("the cast belongs to a fleet");
  const files = await fleet.fetchCheckpoints(castId, place.cwd);
  if (!files.ok) return files;
  const made = await createCastBranch(place.cwd, castId, files.value);
  if (made.kind === "failed") return failWith("git_failed", castId, `the branch cannot be made: ${made.problem}`);
  const file = await store.readCastFile(castId);
  return ok({ castId, ...made, base: undefined, title: file.ok ? workTitle(file.value) : `Work of cast ${castId}` });
}

async function takeOwnWorktree({ store, place }: Workspace, castId: CastId): Promise<Result<TakenCast>> {
  const file = await store.readCastFile(castId);
  if (!file.ok) return file;
  const { ownWorktree } = file.value;
  if (!ownWorktree) {
    const hint = suggest`${typed`diff ${castId}`} shows it; --on FLEET names the fleet of a cast that ran on one`;
    const message = "this cast worked in your own working tree: its result is here already";
    return failWith("no_own_worktree", castId, message, hint);
  }
  const owner = await store.owner(castId);
  if (owner) {
    const hint = suggest`wait for it, or stop it with ${typed`abort ${castId}`}`;
    return failWith("cast_owned", castId, `process ${owner.pid} on ${owner.host} runs this cast`, hint);
  }
  const saved = await saveOwnWorktree(await ownWorktreeOf({ store, place }, file.value, ownWorktree));
  if (saved.kind === "failed") return failWith("git_failed", castId, `the branch cannot be made: ${saved.problem}`);
  return ok({ castId, ...saved, base: ownWorktree.base, title: workTitle(file.value) });
}

/** The separate working tree of a cast, and how its work is committed. */
export async function ownWorktreeOf(
  { store, place }: Pick<Workspace, "store" | "place">,
  file: CastFile,
  { base }: NonNullable<CastFile["ownWorktree"]>,
): Promise<OwnWorktreeToSave> {
  const { castId } = file;
  return {
    castId,
    base,
    cwd: place.cwd,
    folder: ownWorktreeFolder(store.location, castId),
    pool: worktreePool(store.location),
    title: workTitle(file),
    checkpoint: await readRef(place.cwd, castRef(castId, true)),
  };
}

function workTitle({ request }: CastFile): string {
  return oneLine(request, 70);
}

/** [YT11] */
async function proposeTaken(workspace: Workspace, taken: TakenCast): CommandResult {
  const { castId, branch, commit } = taken;
  const opened = await (await import("./pull-request.ts")).openPullRequest(workspace, taken);
  if (!opened.ok) return opened;
  const url = opened.value;
  return answer({ castId, branch, commit, url }, () => [
    line(`${castId} is a pull request: `, toned("strong", sanitizeForTerminal(url))),
  ]);
}

/** [YT7] Nothing has changed when it is refused. */
async function mergeTaken({ place }: Workspace, taken: TakenCast): CommandResult {
  const { castId, branch } = taken;
  const merged = await mergeCastBranch(place.cwd, taken);
  if (merged.kind === "refused") {
    const { reason, hint = `nothing has changed; "git merge ${branch}" merges it by hand` } = merged;
    return failWith("merge_refused", branch, `${branch} is not merged: ${reason}`, hint);
  }
  const { commit, into } = merged;
  return answer({ castId, branch, commit, merged: into }, () => [
    line(`${castId} is merged into `, toned("strong", into), "."),
    line(toned("accent", `git branch -d ${branch}`), toned("dim", "  remove its branch")),
  ]);
}
