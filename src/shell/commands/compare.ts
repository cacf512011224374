import type { CommandOf } from "../../core/command/command.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";
import { castStatus, workTime } from "../../core/cast/summary.ts";
import { buildTimeline } from "../../core/cast/timeline.ts";
import { oneLine, countedText } from "../../core/model/text.ts";
import { compareCasts, type CastComparison, type ComparedSide } from "../../core/history/compare.ts";
import { modelText } from "../../core/view/report/visit-detail.ts";
import { castFileSpans } from "../../core/view/file-changes.ts";
import { amountText, durationText, costText } from "../../core/view/numbers.ts";
import { padColumns, line, toned, type Line } from "../../core/view/line.ts";
import { loadNamedCast, type Workspace } from "../workspace/workspace.ts";
import { listChanges } from "../git/diff.ts";
import { castStartOf } from "../store/cast-file.ts";
import type { LoadedCast } from "../store/cast-store.ts";
import { answer, type CommandResult } from "./command-output.ts";

/** [T25] Two casts side by side: path, handoffs, figures, files. */
export async function runCompare(workspace: Workspace, { first, second }: CommandOf<"compare">): CommandResult {
  const [left, right] = [await loadNamedCast(workspace.store, first), await loadNamedCast(workspace.store, second)];
  if (!left.ok) return left;
  if (!right.ok) return right;
  const files = await changedFiles(workspace, left.value, right.value);
  const data: CastComparison = { ...compareCasts(withWorkedMs(left.value), withWorkedMs(right.value)), files };
  return answer(data, (width) => compareLines(data, Math.floor((Math.min(width, 120) - 4) / 2)));
}

function withWorkedMs(cast: LoadedCast) {
  const { clock } = buildTimeline(initialState(castStartOf(cast.file)), cast.events);
  return { ...cast, workedMs: workTime(clock, { status: castStatus(cast.state, false), now: 0 }).elapsedMs };
}

async function changedFiles({ place }: Workspace, left: LoadedCast, right: LoadedCast): Promise<string[] | null> {
  const [a, b] = [castFileSpans(left.events), castFileSpans(right.events)];
  if (a.kind !== "kept" || b.kind !== "kept") return null;
  const changes = await listChanges({ cwd: place.cwd, from: a.whole.to, to: b.whole.to });
  return changes.map(({ path }) => path);
}

function compareLines({ first, second, visits, files }: CastComparison, room: number): readonly Line[] {
  const beside = (left: string, right: string, same: boolean): Line =>
    line(
      toned(same ? "dim" : "rework", same ? "  " : "≠ "),
      padColumns(oneLine(left, room), room),
      "  ",
      oneLine(right, room),
    );
  const figures = (side: ComparedSide): string =>
    `${side.outcome} · ${countedText(side.visits, "visit")} · ${amountText(side.tokens)} tokens · ${costText(side.cost)} · ${durationText(side.seconds * 1000)}`;
  const modelNames = ({ models }: ComparedSide): string => models.map(modelText).join(", ");
  const visitWords = (side: CastComparison["visits"][number]["left"]): string =>
    side === null ? "" : `${side.materia} (${side.visit})`;
  return [
    beside(first.castId, second.castId, true),
    beside(figures(first), figures(second), first.outcome === second.outcome),
    beside(modelNames(first), modelNames(second), modelNames(first) === modelNames(second)),
    ...visits.map(({ left, right, same }) => beside(visitWords(left), visitWords(right), same)),
    line(toned("dim", "Files  "), filesText(files)),
  ];
}

function filesText(files: CastComparison["files"]): string {
  if (files === null) return "need checkpoints of both casts";
  if (files.length === 0) return "the same";
  return files
    .slice(0, 20)
    .map((path) => oneLine(path, 80))
    .join(", ");
}
