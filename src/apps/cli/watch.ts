import type { Command } from "../../core/command/command.ts";
import { startState } from "../../core/cast/state/state.ts";
import { ok, type Result } from "../../core/model/issue.ts";
import { followAll } from "../../core/view/now/trail.ts";
import { exitCode } from "../../shell/casting/exit-code.ts";
import { watchCast } from "../../shell/casting/watch.ts";
import { followOnFleet } from "../../shell/commands/fleet/follow.ts";
import { castNamed } from "../../shell/casting/workspace/named-cast.ts";
import { startOf } from "../../shell/store/cast-file.ts";
import { printResult } from "./result.ts";
import { onInterrupt } from "./terminal/interrupt.ts";
import { openProgress, progressKind } from "./terminal/progress.ts";
import type { Request } from "./terminal/request.ts";

/** [C33] Shows a cast as who drives it sees it; Ctrl+C ends the looking, not the cast. */
export async function watch(
  { castId: named }: Extract<Command, { kind: "watch" }>,
  { io, options, workspace }: Request,
): Promise<Result<number>> {
  const { store, root } = workspace;
  const castId = await castNamed(store, named);
  if (!castId.ok) return castId;
  const cast = await store.load(castId.value);
  if (!cast.ok) return cast;
  const { file, events } = cast.value;
  const progress = openProgress(io, progressKind(io, options), () => followAll(startState(startOf(file)), events));
  const interrupt = onInterrupt(io);
  const listening = { ...progress, signal: interrupt.signal };
  const end = await (workspace.fleet
    ? followOnFleet(workspace, cast.value, listening)
    : watchCast(store, cast.value, listening));
  interrupt.stop();
  progress.stop();
  if (!end.ok) return end;
  printResult({ io, options, end: end.value, root });
  return ok(exitCode(end.value));
}
