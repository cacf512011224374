import {
  isCastingCommand,
  type CastingCommand,
  type Command,
  type TerminalCommand,
  type CommandOf,
} from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { quoteWord } from "../../core/command/split-words.ts";
import { failWith, ok, type Result } from "../../core/model/issue.ts";
import { line, lineText } from "../../core/view/line.ts";
import { openPiHost } from "../../shell/workspace/agent-hosts.ts";
import { findCast, type Workspace, loadNamedCast } from "../../shell/workspace/workspace.ts";
import { prepareCommand, prepareStoppedCast, type CommandCaller } from "../../shell/commands/prepare.ts";
import { exitCodeFor } from "../../shell/casting/prepared-cast.ts";
import { showNotes } from "./casts/start-cast.ts";
import { reviewReply, type ReplyReview } from "./casts/waiting-cast.ts";
import type { CommandContext } from "./casts/session-state.ts";
import { resolveProject, trustProject, type SessionProject } from "./session/project.ts";
import { showCommandOutput, announceCast, forwardToScreen } from "./screen/screen.ts";
import type { CastId } from "../../core/model/ids.ts";
import { waitLine } from "../../core/view/progress/fleet-status.ts";
import type { QueueStatus, RunOutcome } from "../../shell/context/run-context.ts";
import { followFleetCast } from "../../shell/commands/prepare-on-fleet.ts";
import { setupLines } from "../../shell/commands/status.ts";
import type { CastStep } from "../../core/cast/timeline.ts";
import { loadPi } from "../../shell/agents/pi-sdk.ts";
import { watchCast } from "../../shell/casting/watch-cast.ts";
import type { CastStore, LoadedCast } from "../../shell/store/cast-store.ts";
import { followTranscripts } from "./conversation/conversations.ts";
import { showConversations } from "./conversation/conversation-view.ts";
import { castResultOf, type ResultContext } from "./screen/result-card.ts";
import { both, createCastWatch, type CastWatch, type WatchHooks } from "./screen/cast-watch.ts";
import { openWidget, type Widget } from "./screen/widget.ts";

type FleetOptions = Options & { readonly on: string };
type CommandOnFleet = Exclude<Command, { kind: "help" | "ui" } | TerminalCommand>;

/** [B30] The same command on the casts of a fleet: this session submits and watches them. */
export async function performOnFleet(
  context: CommandContext,
  command: CommandOnFleet,
  options: FleetOptions,
): Promise<Result<unknown>> {
  const place = resolveProject(context.user.ctx, options);
  if (!place.ok) return place;
  const { openFleetWorkspace: workspaceOn } = await import("../../shell/fleet/fleet-workspace.ts");
  const opened = await workspaceOn(place.value.workspace, options.on, options);
  if (!opened.ok) return opened;
  const { workspace, close } = opened.value;
  const done = await runOnFleet(context, { ...place.value, workspace }, { command, options });
  // A watched cast needs the connection.
  const looked = (done.ok ? done.value?.ended : undefined) ?? Promise.resolve();
  const closed = looked.then(close).catch(() => undefined);
  if (!context.screen.isWatched) await closed;
  return done;
}

async function runOnFleet(
  context: CommandContext,
  place: SessionProject,
  { command, options }: { readonly command: CommandOnFleet; readonly options: FleetOptions },
): Promise<Result<RemoteWatch | undefined>> {
  if (isCastingCommand(command)) return submitCast(context, place, { command, options });
  if (command.kind === "watch") {
    const { running } = context.state;
    if (running) return failWith("cast_running", running.castId, "a cast of this session is shown already");
    const castId = await findCast(place.workspace.store, command.castId);
    return castId.ok ? watchOnFleet(context, place.workspace, { castId: castId.value, on: options.on }) : castId;
  }
  if (command.kind === "demo" || command.kind === "draft")
    return failWith("bad_option", "--on", `${command.kind} cannot run on a fleet`);
  return showCommandOutput(context.screen, place, { command, options });
}

/** Submitted as from a terminal, and shown here until it ends, unless detached. */
async function submitCast(
  context: CommandContext,
  place: SessionProject,
  { command, options }: { readonly command: CastingCommand; readonly options: FleetOptions },
): Promise<Result<RemoteWatch | undefined>> {
  const { user, screen, state } = context;
  const trusted = await trustProject(user.ctx, place, options);
  if (!trusted.ok) return trusted;
  const how = { options: { ...options, detach: true as const }, openReal: openPiHost, texts: { from: user.ctx.cwd } };
  const asker: CommandCaller = { ...trusted.value, ...how };
  const prepared = await prepareReviewed(context, command, asker);
  if (!prepared?.ok) return prepared ?? ok(undefined);
  const { castId, notes, run } = prepared.value;
  showNotes(screen, notes);
  const sent = await run({ signal: new AbortController().signal });
  if (!sent.ok) return sent;
  if (!options.detach && !state.running)
    return watchOnFleet(context, trusted.value.workspace, { castId, on: options.on });
  if (screen.isWatched)
    screen.note(`${castId} runs on ${options.on}: /materia watch --on ${quoteWord(options.on)} ${castId}`);
  else screen.showAnswer({ lines: [line(castId)], data: { castId }, code: 0 });
  return ok(undefined);
}

/** [X38] Shows what a `continue` without text approves; undefined if the person declines. */
async function prepareReviewed(context: CommandContext, command: CastingCommand, asker: CommandCaller) {
  const reviewed: ReplyReview | undefined =
    command.kind === "continue" ? await reviewReply(context, command, asker.workspace) : undefined;
  if (!reviewed) return prepareCommand(command, asker);
  const { castId, decision } = reviewed;
  if (!decision) return undefined;
  if (decision.kind !== "abort") return prepareStoppedCast(castId, decision, asker);
  const asked = await asker.workspace.fleet?.abort(castId);
  return asked && !asked.ok ? asked : undefined;
}

/** [B30] Shows a cast of a fleet with everything reported about it, as if it ran here. */
async function watchOnFleet(
  context: CommandContext,
  workspace: Workspace,
  { castId, on }: { readonly castId: CastId; readonly on: string },
): Promise<Result<RemoteWatch>> {
  const { store } = workspace;
  const cast = await store.load(castId);
  if (!cast.ok) return cast;
  const stands = trackFleetStatus(on);
  return ok(
    watchRemoteCast(context, cast.value, {
      store,
      on,
      hint: () => `${stands.where()} · /materia abort --on ${quoteWord(on)} ${castId} stops it`,
      follow: (watch, { signal, redraw }) => {
        const observer = { ...forwardToScreen(context.screen, watch), ...stands.observe(redraw), signal };
        return announceCast(context.screen, cast.value, followFleetCast(workspace, cast.value, observer));
      },
    }),
  );
}

/** [B29] The worker that runs it, or why none does, as a hint. */
function trackFleetStatus(on: string) {
  let queued: QueueStatus | undefined;
  let settingUp: Parameters<typeof setupLines>[0];
  return {
    observe: (redraw: () => void) => ({
      onQueued: both((why: QueueStatus | undefined) => void (queued = why), redraw),
      onSettingUp: both((now: typeof settingUp) => void (settingUp = now), redraw),
    }),
    where: (): string => {
      if (queued) return lineText(waitLine(queued, queued.fleet));
      const [setup] = setupLines(settingUp, Date.now());
      return setup ? lineText(setup) : `the fleet ${on} drives it`;
    },
  };
}

/** [X37] Shows a cast that another process runs; it is neither stopped nor changed. */
export async function runWatchCommand(
  context: CommandContext,
  { castId: named }: CommandOf<"watch">,
  options: Options,
): Promise<Result<unknown>> {
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
  const place = { pi: await loadPi(), store, cwd: file.cwd, conversations: state.conversations };
  const transcripts = followTranscripts({
    ...place,
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
      let reading = transcripts.read();
      const later = (tell: CastWatch["onSteps"]) => (steps: readonly CastStep[]) => {
        reading = reading.then(transcripts.read).then(() => tell(steps));
      };
      const listening = { onSteps: later(watch.onSteps), onItemSteps: later(watch.onItemSteps) };
      try {
        const end = await watchCast(store, cast, { ...listening, signal });
        await reading;
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
