import { ok } from "../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { castListLines } from "../../core/view/cast-list.ts";
import { waitGroupText, groupByWaitReason, type QueuedCast } from "../../core/view/progress/fleet-status.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { foreignCastMarker } from "../workspace/foreign-casts.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { CommandOutput, CommandResult } from "./command-output.ts";
import { unservedQueueLine, programOption } from "./status-lines.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

/** Commands that read casts run in any process, without disturbing the process that runs the cast. */
export async function runCasts(workspace: Workspace): CommandResult {
  const { store } = workspace;
  const { program = "materia" } = programOption(workspace);
  const listed = await store.list();
  if (!listed.ok) return listed;
  const casts = await Promise.all(listed.value.map(foreignCastMarker(workspace)));
  // [B26] demo cannot run on a fleet.
  const other = workspace.fleet ? "" : `, or see "${program} demo"`;
  const none = line(
    `No casts yet under ${sanitizeForTerminal(store.location)}. Start one with "${program} cast <prompt>"${other}.`,
  );
  const waits = await readQueuedCasts(workspace, listed.value);
  const missing = await unservedQueueLines(workspace, listed.value);
  const lines: CommandOutput["lines"] = (width) =>
    casts.length === 0
      ? [none]
      : [...castListLines(casts, { now: Date.now(), width }), ...waitReasonLines(waits), ...missing];
  const why = new Map(waits.map((cast) => [cast.castId, cast.why]));
  const data = casts.map((cast) => ({ ...cast, ...(why.has(cast.castId) ? { waits: why.get(cast.castId) } : {}) }));
  return ok({ code: 0, data, lines });
}

/** [B71] The listed casts that wait for a worker, each with its reason. */
async function readQueuedCasts({ fleet }: Workspace, casts: readonly CastSummary[]): Promise<readonly QueuedCast[]> {
  const queued = new Set(casts.filter(({ status: stands }) => stands === "queued").map(({ castId }) => castId));
  if (!fleet || queued.size === 0) return [];
  const standing = await fleet.status();
  return standing.ok ? standing.value.queue.filter(({ castId }) => queued.has(castId)) : [];
}

/** If no worker serves the queue, name the command that starts one. */
function waitReasonLines(waits: readonly QueuedCast[]): readonly Line[] {
  const groups = groupByWaitReason(waits.filter(({ why }) => why.kind !== "nobody_up"));
  return groups.map((group) => line(toned("wait", waitGroupText(group))));
}

async function unservedQueueLines({ fleet }: Workspace, casts: readonly CastSummary[]): Promise<readonly Line[]> {
  if (!fleet || casts.every(({ status: stands }) => stands !== "queued")) return [];
  return (await fleet.unservedQueues()).map((queue) => unservedQueueLine(fleet.name, queue));
}
