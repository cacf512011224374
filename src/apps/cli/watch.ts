import type { CommandOf } from "../../core/command/command.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { buildTimeline } from "../../core/cast/timeline.ts";
import { exitCodeFor } from "../../shell/casting/prepared-cast.ts";
import { watchCast } from "../../shell/casting/watch-cast.ts";
import { followFleetCast } from "../../shell/commands/prepare-on-fleet.ts";
import { loadNamedCast } from "../../shell/workspace/workspace.ts";
import { castStartOf } from "../../shell/store/cast-file.ts";
import { printResult } from "./print-result.ts";
import { listenForInterrupt } from "./terminal/interrupt.ts";
import { openProgress, progressKindFor } from "./terminal/progress.ts";
import { jsonText, type CliContext } from "./terminal/io.ts";
import { initialState } from "../../core/cast/state/initial-state.ts";

/** [C33] Shows a cast as its driver sees it; Ctrl+C ends the watching, not the cast. */
export async function runWatchCommand(
  { castId: named }: CommandOf<"watch">,
  request: CliContext,
): Promise<Result<number>> {
  const { io, options, workspace } = request;
  const { store } = workspace;
  const cast = await loadNamedCast(store, named);
  if (!cast.ok) return cast;
  const { file, events } = cast.value;
  const progress = openProgress(io, progressKindFor(io, options), () =>
    buildTimeline(initialState(castStartOf(file)), events),
  );
  // [C33] A program gets the whole cast, also one that has ended.
  if (options.json) io.out(events.map((event) => `${jsonText(event)}\n`).join(""));
  const interrupt = listenForInterrupt(io);
  const listening = { ...progress, signal: interrupt.signal };
  const end = await (workspace.fleet
    ? followFleetCast(workspace, cast.value, listening)
    : watchCast(store, cast.value, listening));
  interrupt.stop();
  progress.stop();
  if (!end.ok) return end;
  printResult(request, end.value);
  return ok(exitCodeFor(end.value));
}
