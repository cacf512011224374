import { quoteWord } from "../../../core/command/words.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { ok, type Result } from "../../../core/model/issue.ts";
import { waitLine } from "../../../core/view/now/fleet.ts";
import { lineText } from "../../../core/view/text/line.ts";
import { thrownText } from "../../../core/model/values/text.ts";
import type { Queued } from "../../../shell/casting/drive/driver.ts";
import { exitCode } from "../../../shell/casting/exit-code.ts";
import type { Workspace } from "../../../shell/casting/workspace/workspace.ts";
import { followOnFleet } from "../../../shell/commands/fleet/follow.ts";
import { setupLines } from "../../../shell/commands/fleet/place.ts";
import type { RunEnd } from "../../../shell/run/run-cast.ts";
import type { LoadedCast } from "../../../shell/store/cast-store.ts";
import { resultOf, type ResultPlace } from "../cards/result-card.ts";
import type { CommandContext } from "../casts/state.ts";
import { announce, heardBy } from "../live/news.ts";
import { openWatch, type Watch } from "../live/watch.ts";
import { openWidget, type Widget } from "../live/widget.ts";
import { unlessReplaced } from "../session/user-session.ts";

/** A cast that is shown: over when `done` resolves, which never rejects. */
export interface ShownCast {
  readonly done: Promise<void>;
}

/** [B30] A cast that a worker of a fleet drives, with all that is heard of it, as if it ran here. */
export async function showOnFleet(
  context: CommandContext,
  workspace: Workspace,
  { castId, on }: { readonly castId: CastId; readonly on: string },
): Promise<Result<ShownCast>> {
  const { screen, state } = context;
  const { store } = workspace;
  const cast = await store.load(castId);
  if (!cast.ok) return cast;
  state.stopWatching?.();
  const looking = new AbortController();
  let widget: Widget | undefined;
  const changed = (): void => widget?.changed();
  const stands = openStanding(on, changed);
  const watch = openFleetWatch(context, cast.value, { on, onChange: changed, where: stands.where });
  widget = screen.live ? openWidget(context.user.ctx, watch.picture) : undefined;
  state.stopWatching = () => looking.abort();
  const followed = followOnFleet(workspace, cast.value, {
    ...heardBy(screen, watch),
    onQueued: stands.onQueued,
    onSettingUp: stands.onSettingUp,
    signal: looking.signal,
  });
  const done = announce(screen, cast.value, followed)
    .then((end) => {
      const place = { runDir: store.placeOf(castId), on, items: watch.items() };
      if (!end.ok) screen.refuse(end.issues);
      else if (!looking.signal.aborted) tell(context, end.value, place);
    })
    .catch((thrown: unknown) => screen.note(`materia: ${thrownText(thrown)}`, "error"))
    .finally(() => widget?.close());
  return ok({ done });
}

/** [B29] Who has it, or why nobody has, in the words of a hint. */
function openStanding(on: string, changed: () => void) {
  let queued: Queued | undefined;
  let settingUp: Parameters<typeof setupLines>[0];
  return {
    onQueued: (why: Queued | undefined): void => {
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

function openFleetWatch(
  { user, screen }: CommandContext,
  cast: LoadedCast,
  { on, onChange, where }: { readonly on: string; readonly onChange: () => void; readonly where: () => string },
): Watch {
  return openWatch(cast, {
    onVisit: screen.visit,
    onChange,
    opened: () => unlessReplaced(() => user.ctx.ui.getToolsExpanded()) ?? false,
    streams: () => false,
    agent: () => undefined,
    unheard: () => [],
    hint: () => `${where()} · /materia abort --on ${quoteWord(on)} ${cast.castId} stops it`,
  });
}

/** Behind a cast id the rest of a line is a message, so the fleet is named before it. */
function tell({ screen }: CommandContext, end: RunEnd, place: ResultPlace & { readonly on: string }): void {
  const { castId } = end.state;
  const on = `--on ${quoteWord(place.on)}`;
  if (end.kind === "waiting" && screen.live) screen.note(`The cast waits for you: /materia continue ${on} ${castId}`);
  else if (end.kind === "paused")
    screen.note(`Nobody drives the cast: /materia recast ${on} ${castId} goes on where it stopped`);
  else screen.result(resultOf(end, place), exitCode(end));
}
