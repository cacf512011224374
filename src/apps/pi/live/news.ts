import type { Result } from "../../../core/model/issue.ts";
import { totalsOf } from "../../../core/cast/state/usage.ts";
import { castStatus } from "../../../core/view/casts.ts";
import type { PreparedCast } from "../../../shell/casting/drive/prepared-cast.ts";
import type { RunOutcome } from "../../../shell/run/run-cast.ts";
import type { CastStatusReport, Screen } from "./screen.ts";
import type { CastWatch } from "./watch.ts";

/** [X3] Whoever reads a program's output hears all that the screen would have shown. */
export function forwardToScreen(screen: Screen, watch: CastWatch): CastWatch {
  const steps = (act: CastWatch["onSteps"]): CastWatch["onSteps"] => {
    return (all) => {
      act(all);
      for (const { event, after } of all) screen.sendNews(after.castId, { event });
    };
  };
  const progress = (act: CastWatch["onProgress"]): CastWatch["onProgress"] => {
    return (done, state) => {
      act(done, state);
      screen.sendNews(state.castId, { progress: done });
    };
  };
  return {
    ...watch,
    onSteps: steps(watch.onSteps),
    onProgress: progress(watch.onProgress),
    onItemSteps: steps(watch.onItemSteps),
    onItemProgress: progress(watch.onItemProgress),
  };
}

/** [X49] Says as data that a cast runs, and what became of it. */
export async function announceCast(
  screen: Screen,
  { castId, file: { graph, request } }: Pick<PreparedCast, "castId" | "file">,
  running: Promise<Result<RunOutcome>>,
): Promise<Result<RunOutcome>> {
  const news = (status: CastStatusReport["status"]): CastStatusReport => ({ castId, status, loadout: graph.name, request });
  screen.sendStatus(news("running"));
  const ended = await running;
  if (!ended.ok) screen.sendStatus(news("failed"));
  else screen.sendStatus({ ...news(endStatus(ended.value)), ...endSummary(ended.value) });
  return ended;
}

function endStatus({ kind, state }: RunOutcome): CastStatusReport["status"] {
  return kind === "paused" ? "paused" : castStatus(state, false);
}

function endSummary(end: RunOutcome): Pick<CastStatusReport, "totals" | "reason"> {
  const { phase } = end.state;
  const stopped = phase.kind === "ended" && phase.outcome !== "completed" ? phase.reason : "";
  const reason = end.kind === "broken" ? end.problem : stopped;
  return { totals: totalsOf(end.state), ...(reason === "" ? {} : { reason }) };
}
