import type { CommandOf } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import type { CastStep } from "../../core/cast/timeline.ts";
import { loadPi } from "../../shell/agents/pi-sdk.ts";
import { exitCodeFor } from "../../shell/casting/prepared-cast.ts";
import { watchCast } from "../../shell/casting/watch-cast.ts";
import { loadNamedCast } from "../../shell/workspace/workspace.ts";
import type { CastStore, LoadedCast } from "../../shell/store/cast-store.ts";
import type { RunOutcome } from "../../shell/context/run-context.ts";
import { followTranscripts } from "./conversation/transcript-conversations.ts";
import { showConversations } from "./conversation/conversation-view.ts";
import { castResultOf, type ResultContext } from "./screen/result-card.ts";
import { createCastWatch, type CastWatch, type WatchHooks } from "./screen/cast-watch.ts";
import { openWidget, type Widget } from "./screen/widget.ts";
import { resolveProject } from "./session/project.ts";
import { runUnlessReplaced } from "./session/user-session.ts";
import type { CommandContext } from "./casts/session-state.ts";

/** [X37] Shows a cast that another process runs; it is neither stopped nor changed. */
export async function runWatchCommand(
  context: CommandContext,
  { castId: named }: CommandOf<"watch">,
  options: Options,
): Promise<Result<undefined>> {
  const { user, screen, state } = context;
  if (state.running) {
    if (user.ctx.mode !== "tui" || state.conversations.all().length === 0)
      return failWith("cast_running", state.running.castId, "a cast of this session is shown already");
    await showConversations(user.ctx, state.conversations);
    return ok(undefined);
  }
  const place = resolveProject(user.ctx, options);
  if (!place.ok) return place;
  const { store } = place.value.workspace;
  const cast = await loadNamedCast(store, named);
  if (!cast.ok) return cast;
  state.stopWatching?.();
  const { done } = await watchOtherProcess(context, store, cast.value);
  if (!screen.isWatched) await done;
  return ok(undefined);
}

/** Resolves when it has ended, waits, or is no longer watched; never rejects. */
async function watchOtherProcess(
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
  const live = createRemoteWatch(context, cast, {
    onStep: transcripts.follow,
    onChange: () => widget?.scheduleDraw(),
    hint: () =>
      `another process runs it${user.ctx.mode === "tui" ? " · Alt+W shows all it does" : ""} · /materia abort ${castId} stops it`,
  });
  widget = screen.isWatched ? openWidget(user.ctx, live.widgetContent) : undefined;
  state.stopWatching = () => looking.abort();
  state.seen.set(castId, Infinity);
  // After the last words of a visit, which its card shows.
  let told = transcripts.read();
  const later = (tell: CastWatch["onSteps"]) => (steps: readonly CastStep[]) => {
    told = told.then(transcripts.read).then(() => tell(steps));
  };
  const listening = { onSteps: later(live.onSteps), onItemSteps: later(live.onItemSteps) };
  const done = watchCast(store, cast, { ...listening, signal: looking.signal })
    .then(async (end) => {
      await told;
      if (!end.ok) screen.refuse(end.issues);
      else if (!looking.signal.aborted)
        showEnd(context, end.value, { runDir: store.locationOf(castId), ...live.result() });
    })
    .catch(screen.noteFailure)
    .finally(() => {
      state.seen.set(castId, live.timeline().state.seq);
      widget?.close();
      transcripts.close();
    });
  return { done };
}

/** The watch of a cast that this session does not run: its agents are asked elsewhere. */
export function createRemoteWatch(
  { user, screen }: CommandContext,
  cast: LoadedCast,
  hooks: Pick<WatchHooks, "onStep" | "onChange" | "hint">,
): CastWatch {
  return createCastWatch(cast, {
    ...hooks,
    onVisit: screen.addVisitCard,
    isExpanded: () => runUnlessReplaced(() => user.ctx.ui.getToolsExpanded()) ?? false,
    isStreamedElsewhere: () => false,
    agentLabel: () => undefined,
    unread: () => [],
  });
}

/** After a cast id the rest of a line is a message, so a fleet is named before it. */
export function showEnd({ screen }: CommandContext, end: RunOutcome, place: ResultContext): void {
  const castId = `${place.on === undefined ? "" : `--on ${quoteWord(place.on)} `}${end.state.castId}`;
  if (end.kind === "waiting" && (screen.isWatched || place.on === undefined))
    screen.note(`The cast waits for you: /materia continue ${castId}`);
  else if (end.kind === "paused") screen.note(`No process runs the cast: /materia recast ${castId} continues it`);
  else screen.showResult(castResultOf(end, place), exitCodeFor(end));
}
