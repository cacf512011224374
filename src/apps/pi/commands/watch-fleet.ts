import { quoteWord } from "../../../core/command/words.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { waitLine } from "../../../core/view/now/fleet.ts";
import { lineText } from "../../../core/view/text/line.ts";
import { thrownMessage } from "../../../core/model/values/text.ts";
import type { QueueStatus } from "../../../shell/casting/drive/driver.ts";
import { exitCodeFor } from "../../../shell/casting/exit-code.ts";
import type { Workspace } from "../../../shell/casting/workspace/workspace.ts";
import { followFleetCast } from "../../../shell/commands/fleet/follow.ts";
import { setupLines } from "../../../shell/commands/fleet/place.ts";
import type { RunOutcome } from "../../../shell/run/run-cast.ts";
import type { LoadedCast } from "../../../shell/store/cast-store.ts";
import { castResultOf, type ResultContext } from "../cards/result-card.ts";
import type { CommandContext } from "../casts/state.ts";
import { announceCast, forwardToScreen } from "../live/news.ts";
import { createCastWatch, type CastWatch } from "../live/watch.ts";
import { openWidget, type Widget } from "../live/widget.ts";
import { runUnlessReplaced } from "../session/user-session.ts";

/** A cast that is shown: over when `requestResult` resolves, which never rejects. */
export interface FleetWatch {
  readonly done: Promise<void>;
}

/** [B30] A cast that a worker of a fleet drives, with all that is heard of it, as if it ran here. */
export async function watchOnFleet(
  context: CommandContext,
  workspace: Workspace,
  { castId, on }: { readonly castId: CastId; readonly on: string },
): Promise<Result<FleetWatch>> {
  const { screen, state } = context;
  const { store } = workspace;
  const cast = await store.load(castId);
  if (!cast.ok) return cast;
  state.stopWatching?.();
  const looking = new AbortController();
  let widget: Widget | undefined;
  const changed = (): void => widget?.scheduleDraw();
  const stands = trackFleetStatus(on, changed);
  const watch = createFleetWatch(context, cast.value, { on, onChange: changed, where: stands.where });
  widget = screen.isWatched ? openWidget(context.user.ctx, watch.widgetContent) : undefined;
  state.stopWatching = () => looking.abort();
  const followed = followFleetCast(workspace, cast.value, {
    ...forwardToScreen(screen, watch),
    onQueued: stands.onQueued,
    onSettingUp: stands.onSettingUp,
    signal: looking.signal,
  });
  const done = announceCast(screen, cast.value, followed)
    .then((end) => {
      const place = { runDir: store.locationOf(castId), on, items: watch.items() };
      if (!end.ok) screen.refuse(end.issues);
      else if (!looking.signal.aborted) showEnd(context, end.value, place);
    })
    .catch((thrown: unknown) => screen.note(`materia: ${thrownMessage(thrown)}`, "error"))
    .finally(() => widget?.close());
  return ok({ done });
}

/** [B29] Who has it, or why nobody has, in the words of a hint. */
function trackFleetStatus(on: string, changed: () => void) {
  let queued: QueueStatus | undefined;
  let settingUp: Parameters<typeof setupLines>[0];
  return {
    onQueued: (why: QueueStatus | undefined): void => {
      queued = why;
      changed();
    },
    onSettingUp: (now: typeof settingUp): void => {
      settingUp = now;
      changed();
    },
    where: (): string => {
      if (queued) return lineText(waitLine(queued, queued.fleet));
      const [setup] = setupLines(settingUp, Date.now());
      return setup ? lineText(setup) : `the fleet ${on} drives it`;
    },
  };
}

function createFleetWatch(
  { user, screen }: CommandContext,
  cast: LoadedCast,
  { on, onChange, where }: { readonly on: string; readonly onChange: () => void; readonly where: () => string },
): CastWatch {
  return createCastWatch(cast, {
    onVisit: screen.addVisitCard,
    onChange,
    isExpanded: () => runUnlessReplaced(() => user.ctx.ui.getToolsExpanded()) ?? false,
    isStreamedElsewhere: () => false,
    agentLabel: () => undefined,
    unread: () => [],
    hint: () => `${where()} · /materia abort --on ${quoteWord(on)} ${cast.castId} stops it`,
  });
}

/** Behind a cast id the rest of a line is a message, so the fleet is named before it. */
function showEnd({ screen }: CommandContext, end: RunOutcome, place: ResultContext & { readonly on: string }): void {
  const { castId } = end.state;
  const on = `--on ${quoteWord(place.on)}`;
  if (end.kind === "waiting" && screen.isWatched) screen.note(`The cast waits for you: /materia continue ${on} ${castId}`);
  else if (end.kind === "paused")
    screen.note(`Nobody drives the cast: /materia recast ${on} ${castId} goes on where it stopped`);
  else screen.showResult(castResultOf(end, place), exitCodeFor(end));
}
