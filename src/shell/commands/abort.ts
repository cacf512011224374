import type { Command } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { line } from "../../core/view/text/line.ts";
import { abortCast } from "../casting/abort.ts";
import { findOwnCast, type RequestedCast } from "../casting/workspace/named-cast.ts";
import type { Workspace } from "../casting/workspace/workspace.ts";
import type { CommandOutput } from "./answer/answer.ts";

export async function runAbort(
  workspace: Workspace,
  { castId, trust }: Extract<Command, { kind: "abort" }>,
): Promise<Result<CommandOutput>> {
  const id = await findOwnCast(workspace, castId, UNFINISHED);
  if (!id.ok) return id;
  if (workspace.fleet) {
    const asked = await workspace.fleet.abort(id.value);
    if (!asked.ok) return asked;
    const said = `${id.value} is asked to stop; "materia status ${id.value} --on ${workspace.fleet.name}" says when it has.`;
    return ok({ code: 0, data: { castId: id.value, status: asked.value }, lines: () => [line(said)] });
  }
  const aborted = await abortCast(workspace, id.value, trust === true);
  if (!aborted.ok) return aborted;
  const text = `${id.value} is aborted. "${workspace.place.program ?? "materia"} recast ${id.value}" goes on where it stopped.`;
  return ok({ code: 0, data: { castId: id.value, status: aborted.value }, lines: () => [line(text)] });
}

const UNFINISHED: RequestedCast = {
  matches: ({ status }) =>
    status === "running" || status === "queued" || status === "waiting" || status === "interrupted",
  noneMessage: "no cast here is running, waiting or interrupted, so there is nothing to stop",
};
