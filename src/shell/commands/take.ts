import type { Command } from "../../core/command/command.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { line, toned } from "../../core/view/line.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import { createCastBranch } from "../git/transfer/branches.ts";
import type { CommandOutput } from "./command-output.ts";

/** [B17] Brings the result of a cast that ran elsewhere as a branch; the checkout stays unchanged. */
export async function runTake(
  { fleet, store, place }: Workspace,
  command: Extract<Command, { kind: "take" }>,
): Promise<Result<CommandOutput>> {
  if (!fleet) return failWith("missing_option", "--on", "name the fleet with --on", "take [castId] --on FLEET");
  const id = await findCast(store, command.castId);
  if (!id.ok) return id;
  const castId = id.value;
  const summary = await store.summary(castId);
  if (summary?.visits === 0) {
    const hint = "wait for it";
    return failWith("cast_not_started", castId, "no visit of this cast has run yet, so there is no result", hint);
  }
  const files = await fleet.fetchCheckpoints(castId, place.cwd);
  if (!files.ok) return files;
  const made = await createCastBranch(place.cwd, castId, files.value);
  if (made.kind === "failed") return failWith("git_failed", castId, `the branch cannot be made: ${made.problem}`);
  const { branch, commit } = made;
  return ok({
    code: 0,
    data: { castId, branch, commit },
    lines: () => [
      line(`${castId} is here as the branch `, toned("strong", branch), "."),
      line(toned("accent", `git diff HEAD...${branch}`), toned("dim", "  show its changes")),
      line(toned("accent", `git merge ${branch}`), toned("dim", "  merge it")),
    ],
  });
}
