import type { Result } from "../../../core/model/issue.ts";
import { statusOf } from "../../../core/view/casts.ts";
import type { PreparedCast } from "../../../shell/commands/prepare.ts";
import type { RunEnd } from "../../../shell/run/run-cast.ts";
import type { CastNews, Screen } from "./screen.ts";
import type { Watch } from "./watch.ts";

/** [X3] Whoever reads a program's output hears all that the screen would have shown. */
export function heardBy(screen: Screen, castId: string, { onSteps, onProgress, ...watch }: Watch): Watch {
  return {
    ...watch,
    onSteps: (steps) => {
      onSteps(steps);
      for (const { event } of steps) screen.heard(castId, { event });
    },
    onProgress: (progress, state) => {
      onProgress(progress, state);
      screen.heard(castId, { progress });
    },
  };
}

/** [X49] Says as data that a cast runs, and what became of it. */
export async function announce(
  screen: Screen,
  { castId, file: { graph, request } }: PreparedCast,
  running: Promise<Result<RunEnd>>,
): Promise<Result<RunEnd>> {
  const news = (status: CastNews["status"]): CastNews => ({ castId, status, loadout: graph.name, request });
  screen.cast(news("running"));
  const ended = await running;
  if (!ended.ok) screen.cast(news("failed"));
  else screen.cast(news(ended.value.kind === "paused" ? "paused" : statusOf(ended.value.state, false)));
  return ended;
}
