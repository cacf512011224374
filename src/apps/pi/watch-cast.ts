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
import { followTranscripts } from "./conversation/conversations.ts";
import { showConversations } from "./conversation/conversation-view.ts";
import { castResultOf, type ResultContext } from "./screen/result-card.ts";
import { createCastWatch, type CastWatch, type WatchHooks } from "./screen/cast-watch.ts";
import { openWidget, type Widget } from "./screen/widget.ts";
import { resolveProject } from "./session/project.ts";
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
  const done = await watchOtherProcess(context, store, cast.value);
  if (!screen.isWatched) await done.ended;
  return ok(undefined);
}

async function watchOtherProcess(context: CommandContext, store: CastStore, cast: LoadedCast): Promise<RemoteWatch> {
  const { user, screen, state } = context;
  const { castId, file } = cast;
  let live: CastWatch | undefined;
  const transcripts = followTranscripts({
    pi: await loadPi(),
    store,
    cwd: file.cwd,
    conversations: state.conversations,
    onProgress: (progress, at) => (at.castId === castId ? live?.onProgress : live?.onItemProgress)?.(progress, at),
    onProblem: (words) => screen.note(words, "error"),
  });
  const view = user.ctx.mode === "tui" ? " · Alt+W shows all it does" : "";
  return watchRemoteCast(context, cast, {
    store,
    onStep: transcripts.follow,
    hint: () => `another process runs it${view} · /materia abort ${castId} stops it`,
    follow: async (watch, { signal }) => {
      live = watch;
      state.seen.set(castId, Infinity);
      // After the last words of a visit, which its card shows.
      let told = transcripts.read();
      const later = (tell: CastWatch["onSteps"]) => (steps: readonly CastStep[]) => {
        told = told.then(transcripts.read).then(() => tell(steps));
      };
      const listening = { onSteps: later(watch.onSteps), onItemSteps: later(watch.onItemSteps) };
      try {
        const end = await watchCast(store, cast, { ...listening, signal });
        await told;
        return end;
      } finally {
        state.seen.set(castId, watch.timeline().state.seq);
        transcripts.close();
      }
    },
  });
}

/** Resolves when the cast has ended, waits, or is no longer watched; never rejects. */
export interface RemoteWatch {
  readonly ended: Promise<void>;
}

interface RemoteCast extends Pick<WatchHooks, "onStep" | "hint"> {
  readonly store: CastStore;
  /** The fleet that it runs on. */
  readonly on?: string;
  readonly follow: (
    watch: CastWatch,
    widget: { readonly signal: AbortSignal; readonly redraw: () => void },
  ) => Promise<Result<RunOutcome>>;
}

/** Shows a cast whose agents are asked elsewhere, in place of the one that was watched before. */
export function watchRemoteCast(
  { user, screen, state }: CommandContext,
  cast: LoadedCast,
  { store, on, follow, ...hooks }: RemoteCast,
): RemoteWatch {
  state.stopWatching?.();
  const looking = new AbortController();
  let widget: Widget | undefined;
  const redraw = (): void => widget?.scheduleDraw();
  const watch = createCastWatch(cast, { ...hooks, user, onVisit: screen.addVisitCard, onChange: redraw });
  widget = screen.isWatched ? openWidget(user.ctx, watch.widgetContent) : undefined;
  state.stopWatching = () => looking.abort();
  const ended = follow(watch, { signal: looking.signal, redraw })
    .then((end) => {
      const place = { runDir: store.locationOf(cast.castId), on, ...watch.result() };
      if (!end.ok) screen.refuse(end.issues);
      else if (!looking.signal.aborted) showEnd(screen, end.value, place);
    })
    .catch(screen.noteFailure)
    .finally(() => widget?.close());
  return { ended };
}

/** After a cast id the rest of a line is a message, so a fleet is named before it. */
function showEnd(screen: CommandContext["screen"], end: RunOutcome, place: ResultContext): void {
  const castId = `${place.on === undefined ? "" : `--on ${quoteWord(place.on)} `}${end.state.castId}`;
  if (end.kind === "waiting" && (screen.isWatched || place.on === undefined))
    screen.note(`The cast waits for you: /materia continue ${castId}`);
  else if (end.kind === "paused") screen.note(`No process runs the cast: /materia recast ${castId} continues it`);
  else screen.showResult(castResultOf(end, place), exitCodeFor(end));
}
