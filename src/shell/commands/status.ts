import type { CommandOf } from "../../core/command/command.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { sanitizeForTerminal, parseMillis } from "../../core/model/text.ts";
import { boardLines, castBoard } from "../../core/view/progress/board.ts";
import { deliveryLines, castListLines } from "../../core/view/cast-list.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { findCast, type Workspace, type QueuePosition } from "../workspace/workspace.ts";
import { answer, type CommandResult } from "./command-output.ts";
import type { CastSummary } from "../../core/cast/summary.ts";
import {
  workerCommand,
  waitGroupText,
  groupByWaitReason,
  type QueuedCast,
} from "../../core/view/progress/fleet-status.ts";
import { ageText } from "../../core/view/numbers.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { foreignCastIssue, foreignCastMarker } from "../workspace/foreign-casts.ts";
import type { CastFile } from "../store/cast-file.ts";

export async function runStatus(workspace: Workspace, { castId: named }: CommandOf<"status">): CommandResult {
  const { store } = workspace;
  const id = await findCast(store, named);
  if (!id.ok) return id;
  const cast = await store.current(id.value);
  if (!cast.ok) return cast;
  const { file, timeline } = cast.value;
  const summary = await store.summary(id.value);
  const alive = summary?.status === "queued" ? "queued" : (await store.owner(id.value)) !== undefined;
  const board = castBoard(timeline, {
    now: Date.now(),
    alive,
    lineage: castLineage(file),
    ...programOption(workspace),
  });
  const queued = await workspace.fleet?.queuePosition(id.value);
  const foreign = foreignNote(workspace, file);
  const data = { ...summary, ...board, ...withoutUndefined({ queued }), runDir: store.locationOf(id.value) };
  return answer({ ...data, ...foreign.field }, (width) => [
    ...boardLines(board, width),
    ...blockedLines(summary),
    ...queuePositionLines(queued, workspace.fleet?.name),
    ...setupLines(summary?.settingUp, Date.now()),
    ...deliveryLines(summary?.delivered),
    ...(file.ownWorktree ? [line(`"materia take ${file.castId}" brings its work home.`)] : []),
    ...foreign.lines,
  ]);
}

/** [B16] Say why no worker took the cast. */
function blockedLines(summary: CastSummary | undefined): readonly Line[] {
  if (summary?.status !== "queued" || summary.blocked === undefined) return [];
  return [line(toned("rework", `No worker could begin it: ${sanitizeForTerminal(summary.blocked)}`))];
}

/** [B59] The cast's place among the waiting casts of its project, the limit that holds it back, and missing workers. */
function queuePositionLines(queued: QueuePosition | undefined, fleet: string | undefined): readonly Line[] {
  if (!queued) return [];
  const { place, waiting, held, queue, why } = queued;
  return [
    line(toned("wait", `Waits for a worker: place ${place} of ${waiting} of its project.`)),
    ...held.map(({ kind, name, most }) => {
      const whose = kind === "all" ? "the fleet" : `${kind} ${sanitizeForTerminal(name)}`;
      return line(toned("wait", `Limit: ${whose} may run ${most} at once.`));
    }),
    ...(why.kind === "busy" ? [line(toned("wait", "Every worker is busy."))] : []),
    ...(why.kind === "nobody_up" && fleet !== undefined ? [unservedQueueLine(fleet, queue)] : []),
  ];
}

/** [B73] A worktree in setup has no visit to show. */
export function setupLines(settingUp: CastSummary["settingUp"], now: number): readonly Line[] {
  if (!settingUp) return [];
  const age = ageText(now - parseMillis(settingUp.since, now));
  return [line(toned("wait", `${setupText(settingUp)}, for ${age} so far.`))];
}

export function setupText({ worker }: NonNullable<CastSummary["settingUp"]>): string {
  return `Worker ${sanitizeForTerminal(worker)} sets up its tree`;
}

/** [B72] Name a way out: without a worker the cast waits for ever. */
function unservedQueueLine(fleet: string, queue: string): Line {
  return line(
    toned("rework", `No worker serves the queue ${sanitizeForTerminal(queue)}: `),
    toned("accent", workerCommand(fleet, queue)),
  );
}

export function castLineage({ targets, fromCastId }: CastFile) {
  return { targets: targets.map((target) => target.name), fromCastId };
}

/** [S13] Anybody may look at it; say where it comes from. */
export function foreignNote(workspace: Workspace, file: CastFile) {
  const issue = foreignCastIssue(workspace, file);
  if (!issue) return { field: {}, lines: [] };
  return {
    field: { foreign: true },
    lines: [line(toned("rework", `Note: ${sanitizeForTerminal(issue.message)}. To continue it, add --trust.`))],
  };
}

/** [B69] The prefix of suggested commands, so that they can be typed as they are. */
export function programOption({ place: { program }, fleet }: Workspace): { readonly program?: string } {
  if (fleet) return { program: `${program ?? "materia"} --on ${quoteWord(fleet.name)}` };
  return program === undefined ? {} : { program };
}

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
  const groups = groupByWaitReason(waits.filter(({ why }) => why.kind !== "nobody_up"));
  const waitLines = groups.map((group) => line(toned("wait", waitGroupText(group))));
  // If no worker serves the queue, name the command that starts one.
  const missing = await unservedQueueLines(workspace, listed.value);
  const why = new Map<string, QueuedCast["why"]>(waits.map((cast) => [cast.castId, cast.why]));
  const data = casts.map((cast) => ({ ...cast, ...withoutUndefined({ waits: why.get(cast.castId) }) }));
  return answer(data, (width) =>
    casts.length === 0 ? [none] : [...castListLines(casts, { now: Date.now(), width }), ...waitLines, ...missing],
  );
}

/** [B71] The listed casts that wait for a worker, each with its reason. */
async function readQueuedCasts({ fleet }: Workspace, casts: readonly CastSummary[]): Promise<readonly QueuedCast[]> {
  const queued = new Set(casts.filter(({ status: stands }) => stands === "queued").map(({ castId }) => castId));
  if (!fleet || queued.size === 0) return [];
  const standing = await fleet.status();
  return standing.ok ? standing.value.queue.filter(({ castId }) => queued.has(castId)) : [];
}

async function unservedQueueLines({ fleet }: Workspace, casts: readonly CastSummary[]): Promise<readonly Line[]> {
  if (!fleet || casts.every(({ status: stands }) => stands !== "queued")) return [];
  return (await fleet.unservedQueues()).map((queue) => unservedQueueLine(fleet.name, queue));
}
