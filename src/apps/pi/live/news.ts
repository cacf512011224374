import type { Result } from "../../../core/model/issue.ts";
import { totalsOf } from "../../../core/cast/state/usage.ts";
import { statusOf } from "../../../core/view/casts.ts";
import type { PreparedCast } from "../../../shell/casting/drive/prepared-cast.ts";
import type { RunEnd } from "../../../shell/run/run-cast.ts";
import type { CastNews, Screen } from "./screen.ts";
import type { Watch } from "./watch.ts";

/** [X3] Whoever reads a program's output hears all that the screen would have shown. */
export function heardBy(screen: Screen, watch: Watch): Watch {
  const steps = (act: Watch["onSteps"]): Watch["onSteps"] => {
    return (all) => {
      act(all);
      for (const { event, after } of all) screen.heard(after.castId, { event });
    };
  };
  const progress = (act: Watch["onProgress"]): Watch["onProgress"] => {
    return (done, state) => {
      act(done, state);
      screen.heard(state.castId, { progress: done });
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
export async function announce(
  screen: Screen,
  { castId, file: { graph, request } }: Pick<PreparedCast, "castId" | "file">,
  running: Promise<Result<RunEnd>>,
): Promise<Result<RunEnd>> {
  const news = (status: CastNews["status"]): CastNews => ({ castId, status, loadout: graph.name, request });
  screen.cast(news("running"));
  const ended = await running;
  if (!ended.ok) screen.cast(news("failed"));
  else screen.cast({ ...news(statusAt(ended.value)), ...endOf(ended.value) });
  return ended;
}

function statusAt({ kind, state }: RunEnd): CastNews["status"] {
  return kind === "paused" ? "paused" : statusOf(state, false);
}

function endOf(end: RunEnd): Pick<CastNews, "totals" | "reason"> {
  const { phase } = end.state;
  const stopped = phase.kind === "ended" && phase.outcome !== "completed" ? phase.reason : "";
  const reason = end.kind === "broken" ? end.problem : stopped;
  return { totals: totalsOf(end.state), ...(reason === "" ? {} : { reason }) };
}
