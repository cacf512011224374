import type { Command } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { line } from "../../core/view/line.ts";
import { findOwnCast, type RequestedCast } from "../workspace/find-cast.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CommandOutput } from "./command-output.ts";
import { abortCast } from "../casting/abort-cast.ts";

export async function runAbort(
  workspace: Workspace,
  { castId, trust }: Extract<Command, { kind: "abort" }>,
): Promise<Result<CommandOutput>> {
  const id = await findOwnCast(workspace, castId, UNFINISHED);
  if (!id.ok) return id;
  if (workspace.fleet) {
    const asked = await workspace.fleet.abort(id.value);
    if (!asked.ok) return asked;
    const said = `${id.value} was asked to stop; "materia status ${id.value} --on ${workspace.fleet.name}" shows when it has stopped.`;
    return ok({ code: 0, data: { castId: id.value, status: asked.value }, lines: () => [line(said)] });
  }
  const aborted = await abortCast(workspace, id.value, trust === true);
  if (!aborted.ok) return aborted;
  const text = `${id.value} is aborted. "${workspace.place.program ?? "materia"} recast ${id.value}" continues it.`;
  return ok({ code: 0, data: { castId: id.value, status: aborted.value }, lines: () => [line(text)] });
}

const UNFINISHED: RequestedCast = {
  matches: ({ status }) =>
    status === "running" || status === "queued" || status === "waiting" || status === "interrupted",
  noneMessage: "no cast here is running, waiting or interrupted",
};
