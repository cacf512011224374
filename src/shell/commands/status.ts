import type { CommandOf } from "../../core/command/command.ts";
import { ok } from "../../core/model/issue.ts";
import { sanitizeForTerminal } from "../../core/model/text.ts";
import { boardLines, castBoard } from "../../core/view/progress/board.ts";
import { deliveryLines } from "../../core/view/cast-list.ts";
import { line, toned, type Line } from "../../core/view/line.ts";
import { findCast, type Workspace } from "../workspace/workspace.ts";
import type { CommandResult } from "./command-output.ts";
import {
  queuePositionLines,
  setupLines,
  foreignLines,
  foreignField,
  castLineage,
  programOption,
} from "./status-lines.ts";
import type { CastSummary } from "../../core/cast/summary.ts";

export async function runStatus(workspace: Workspace, { castId: named }: CommandOf<"status">): CommandResult {
  const { store } = workspace;
  const id = await findCast(store, named);
  if (!id.ok) return id;
  const cast = await store.current(id.value);
  if (!cast.ok) return cast;
  const { file, timeline: trail } = cast.value;
  const summary = await store.summary(id.value);
  const alive = summary?.status === "queued" ? "queued" : (await store.owner(id.value)) !== undefined;
  const board = castBoard(trail, { now: Date.now(), alive, lineage: castLineage(file), ...programOption(workspace) });
  const queued = await workspace.fleet?.queuePosition(id.value);
  return ok({
    code: 0,
    data: {
      ...summary,
      ...board,
      ...(queued ? { queued } : {}),
      runDir: store.locationOf(id.value),
      ...foreignField(workspace, file),
    },
    lines: (width) => [
      ...boardLines(board, width),
      ...blockedLines(summary),
      ...queuePositionLines(queued, workspace.fleet?.name),
      ...setupLines(summary?.settingUp, Date.now()),
      ...deliveryLines(summary?.delivered),
      ...(file.ownWorktree ? [line(`"materia take ${file.castId}" brings its work home.`)] : []),
      ...foreignLines(workspace, file),
    ],
  });
}

/** [B16] Say why no worker took the cast. */
function blockedLines(summary: CastSummary | undefined): readonly Line[] {
  if (summary?.status !== "queued" || summary.blocked === undefined) return [];
  return [line(toned("rework", `No worker could begin it: ${sanitizeForTerminal(summary.blocked)}`))];
}
