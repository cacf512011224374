import type { Command } from "../../../core/command/command.ts";
import type { Options } from "../../../core/command/options.ts";
import { error, fail, ok, type Result } from "../../../core/model/issue.ts";
import type { CastStep } from "../../../core/cast/step.ts";
import { loadPi } from "../../../shell/agents/pi/pi.ts";
import { exitCode } from "../../../shell/casting/exit-code.ts";
import { watchCast } from "../../../shell/casting/watch.ts";
import { castNamed } from "../../../shell/casting/workspace/named-cast.ts";
import { thrownText } from "../../../core/model/values/text.ts";
import type { CastStore, LoadedCast } from "../../../shell/store/cast-store.ts";
import type { RunEnd } from "../../../shell/run/run-cast.ts";
import { followTranscripts } from "../conversation/transcripts.ts";
import { showConversations } from "../conversation/view.ts";
import { resultOf, type ResultPlace } from "../cards/result-card.ts";
import { openWatch, type Watch } from "../live/watch.ts";
import { openWidget, type Widget } from "../live/widget.ts";
import { openPlace } from "../session/place.ts";
import { unlessReplaced } from "../session/user-session.ts";
import type { CommandContext } from "../casts/state.ts";

/** [X37] Shows a cast that another process drives, as if it ran here; it is neither stopped nor changed. */
export async function watch(
  context: CommandContext,
  { castId: named }: Extract<Command, { kind: "watch" }>,
  options: Options,
): Promise<Result<undefined>> {
  const { user, screen, state } = context;
  if (state.running) {
    if (user.ctx.mode !== "tui" || state.conversations.all().length === 0)
      return fail(error("cast_is_running", state.running.castId, "a cast of this session is shown already"));
    await showConversations(user.ctx, state.conversations);
    return ok(undefined);
  }
  const place = openPlace(user.ctx, options);
  if (!place.ok) return place;
  const { store } = place.value.workspace;
  const castId = await castNamed(store, named);
  if (!castId.ok) return castId;
  const cast = await store.load(castId.value);
  if (!cast.ok) return cast;
  state.stopWatching?.();
  const { done } = await watchOther(context, store, cast.value);
  if (!screen.live) await done;
  return ok(undefined);
}

/** The answer resolves when it is over, waits, or nobody looks any more; it never rejects. */
async function watchOther(
  context: CommandContext,
  store: CastStore,
  cast: LoadedCast,
): Promise<{ readonly done: Promise<void> }> {
  const { user, screen, state } = context;
  const { castId, file } = cast;
  const looking = new AbortController();
  const transcripts = followTranscripts({
    pi: await loadPi(),
    store,
    cwd: file.cwd,
    conversations: state.conversations,
    onProgress: (progress, at) =>
      at.castId === castId ? live.onProgress(progress, at) : live.onItemProgress(progress, at),
    onProblem: (words) => screen.note(words, "error"),
  });
  let widget: Widget | undefined;
  const live = openWatch(cast, {
    onStep: transcripts.follow,
    onVisit: screen.visit,
    onChange: () => widget?.changed(),
    opened: () => unlessReplaced(() => user.ctx.ui.getToolsExpanded()) ?? false,
    streams: () => false,
    agent: () => undefined,
    unheard: () => [],
    hint: () =>
      `another process drives it${user.ctx.mode === "tui" ? " · Alt+W shows all it does" : ""} · /materia abort ${castId} stops it`,
  });
  widget = screen.live ? openWidget(user.ctx, live.picture) : undefined;
  state.stopWatching = () => looking.abort();
  // Behind the last words of a visit, which its card tells of.
  let told = transcripts.read();
  const later = (tell: Watch["onSteps"]) => (steps: readonly CastStep[]) => {
    told = told.then(transcripts.read).then(() => tell(steps));
  };
  const listening = { onSteps: later(live.onSteps), onItemSteps: later(live.onItemSteps) };
  const done = watchCast(store, cast, { ...listening, signal: looking.signal })
    .then(async (end) => {
      await told;
      if (!end.ok) screen.refuse(end.issues);
      else if (!looking.signal.aborted)
        tell(context, end.value, { runDir: store.placeOf(castId), items: live.items() });
    })
    .catch((thrown: unknown) => screen.note(`materia: ${thrownText(thrown)}`, "error"))
    .finally(() => {
      widget?.close();
      transcripts.close();
    });
  return { done };
}

function tell({ screen }: CommandContext, end: RunEnd, place: ResultPlace): void {
  const { castId } = end.state;
  if (end.kind === "waiting") screen.note(`The cast waits for you: /materia continue ${castId}`);
  else if (end.kind === "paused")
    screen.note(`Nobody drives the cast: /materia recast ${castId} goes on where it stopped`);
  else screen.result(resultOf(end, place), exitCode(end));
}
