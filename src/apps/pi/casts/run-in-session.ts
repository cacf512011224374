import type { Options } from "../../../core/command/options.ts";
import { error, fail, type Issue, type Result } from "../../../core/model/issue.ts";
import { statusText } from "../../../core/view/cast-list.ts";
import { thrownMessage } from "../../../core/model/text.ts";
import { markLookedAt } from "../../../shell/workspace/inbox.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";
import { changeCountsText } from "../../../shell/commands/diff.ts";
import { type PreparedCast, exitCodeFor } from "../../../shell/casting/prepared-cast.ts";
import type { RunOutcome } from "../../../shell/context/run-context.ts";
import type { VisibleTurns } from "../agents/visible-turns.ts";
import type { TranscriptFollower } from "../conversation/conversations.ts";
import { notifyPerson, restoreTitle, announceCast, forwardToScreen } from "../screen/screen.ts";
import { castResultOf } from "../screen/result-card.ts";
import { createCastWatch, type CastWatch } from "../screen/cast-watch.ts";
import { openWidget, type Widget } from "../screen/widget.ts";
import { runUnlessReplaced, type UserSession, runUnlessReplacedAsync } from "../session/user-session.ts";
import type { TurnControl } from "../agents/turn-control.ts";
import { onCastKeys, onEscape, onRpcRequests, pausedNote, stopCast, leaveIfConfirmed } from "./interrupt.ts";
import { type StopChoice, askReworkDecision } from "./cast-dialogs.ts";
import { detachPausedCast, checkDetach, type DetachedAgents } from "./detach.ts";
import {
  sendHeldMessages,
  returnHeldMessages,
  prependToEditor,
  withdrawMessages,
  unreadMessages,
  receiverText,
} from "./messages.ts";
import type { CommandContext } from "./session-state.ts";
import { stopWaiting, waitForPerson } from "./waiting-cast.ts";
import type { LoadedCast } from "../../../shell/store/cast-store.ts";
import { reworkLimitOf } from "../../../core/cast/rework-limit.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { castStatus } from "../../../core/cast/summary.ts";

interface SessionRun {
  readonly options: Options;
  /** Pi's folder; stored because the session may be gone when the cast ends. */
  readonly cwd: string;
  readonly prepared: PreparedCast;
  /** Its earlier events. */
  readonly past: Pick<LoadedCast, "file" | "events">;
  readonly workspace: Workspace;
  readonly controller: AbortController;
  readonly control: TurnControl;
  readonly visible: VisibleTurns | undefined;
  /** For a rehearsal: the agents' activity is read from their transcripts. */
  readonly transcripts?: TranscriptFollower;
  /** Passes this process's trust to a separate process. */
  readonly vouch?: () => void;
  /** The person's message. */
  readonly said?: string;
}

/** [X4, X13] Runs a cast beside the user's session. The promise resolves when all of it has ended, and never rejects. */
export function runCastInSession(context: CommandContext, run: SessionRun): Promise<void> {
  const { user, screen, state } = context;
  const { prepared, controller, control, visible } = run;
  const isInTurn = (): boolean => visible?.isRunning() ?? false;
  let [widget, isDetaching]: [Widget | undefined, boolean] = [undefined, false];
  const refinements: string[] = [];
  const watch = createCastWatch(run.past, {
    user,
    onStep: run.transcripts?.follow,
    onVisit: screen.addVisitCard,
    onChange: () => widget?.scheduleDraw(),
    isStreamedElsewhere: isInTurn,
    unread: () => unreadMessages(context, { control, refinements }),
    // Replies from a file need no model.
    agentLabel: () =>
      prepared.file.rehearsal === null ? agentText(control.session() ?? runUnlessReplaced(() => user.ctx)) : undefined,
    hint: () => widgetHint(user, isInTurn(), { watch, control }),
  });
  stopWaiting(context);
  restoreTitle(user.ctx);
  state.stopWatching?.();
  state.seen.set(prepared.castId, Infinity);
  const [over, release] = [new AbortController(), new AbortController()];
  const onScreen = (): (() => void) => {
    widget = screen.isWatched ? openWidget(user.ctx, watch.widgetContent) : undefined;
    return listenWhileRunning(context, widget, controller);
  };
  const showing = { open: onScreen, close: () => widget?.close(), released: release.signal };
  const done = announceCast(screen, prepared, runWithWidget(run, forwardToScreen(screen, watch), showing))
    .finally(() => {
      delete state.running;
      state.seen.set(prepared.castId, watch.timeline().state.seq);
      over.abort();
      run.transcripts?.close();
    })
    .then((ended) => {
      if (ended.ok) return finishRun(context, run, { end: ended.value, watch, refinements, isDetaching });
      refuseMessage(context, ended.issues, run.said);
      returnHeldMessages(context);
    })
    .catch(screen.noteFailure);
  state.running = {
    castId: prepared.castId,
    watch,
    control,
    stop: (how: StopChoice) => {
      isDetaching = how === "detach";
      stopCast(controller, how === "detach" ? "pause" : how);
    },
    release: () => release.abort(),
    endedSignal: over.signal,
    hasVisibleTurn: isInTurn,
    done,
    refinements,
    checkDetach: () => checkDetach(user, prepared.file),
    detach: (agents) => detachRun(run, agents),
  };
  return done;
}

function detachRun({ prepared: { castId }, workspace: { place, store }, vouch }: SessionRun, agents: DetachedAgents) {
  vouch?.();
  return detachPausedCast({ castId, place, store, agents });
}

function listenWhileRunning(context: CommandContext, widget: Widget | undefined, controller: AbortController) {
  const { user } = context;
  const offs = [
    onCastKeys(user, widget, castKeysFor(context)),
    onRpcRequests(user.ctx, {
      // Pi aborts a turn in the user's session itself.
      abort: () => (runUnlessReplaced(() => user.ctx.isIdle()) ?? true) && stopCast(controller, "abort"),
      clear_queue: () => void withdrawMessages(context),
    }),
  ];
  return () => offs.forEach((off) => off());
}

/** [X57] Where typed text goes, and what Esc does. */
function widgetHint({ ctx }: UserSession, isInTurn: boolean, running: Parameters<typeof receiverText>[1]): string {
  if (runUnlessReplaced(() => ctx.mode) !== "tui") return "/materia abort stops it";
  const isPiAnswering = !isInTurn && !(runUnlessReplaced(() => ctx.isIdle()) ?? true);
  const where = receiverText(isPiAnswering, running);
  if (running.watch.timeline().state.phase.kind === "sleeping")
    return `${where}\nEsc: wake it now, use another model, or abort`;
  if (isPiAnswering) return `${where}\nEsc stops Pi's answer · Alt+W shows all agents do`;
  return `${where}\n${isInTurn ? "Esc interrupts" : "Esc interrupts · Alt+W shows all it does"}`;
}

function agentText(
  agent: { readonly model?: { readonly id: string } | undefined; readonly thinkingLevel?: string } | undefined,
) {
  if (!agent?.model) return undefined;
  return agent.thinkingLevel === undefined ? agent.model.id : `${agent.model.id} · ${agent.thinkingLevel}`;
}

function castKeysFor(context: CommandContext) {
  const { ui } = context.user.ctx;
  return {
    onEscape: () => onEscape(context),
    onLeave: () => leaveIfConfirmed(context, () => context.user.ctx.shutdown()),
    onReload: () =>
      leaveIfConfirmed(context, () => {
        ui.setEditorText("");
        return context.state.reload?.();
      }),
    onSendToPi: (text: string) => {
      ui.setEditorText("");
      context.user.pi.sendUserMessage(text);
    },
    onTakeBack: () => withdrawMessages(context),
  };
}

interface WidgetLifecycle {
  /** The returned function stops listening to the keys. */
  readonly open: () => () => void;
  readonly close: () => void;
  /** [Z11] Aborted when a sleeping cast is to be continued otherwise. */
  readonly released: AbortSignal;
}

/** [X13] Any error ends the cast: clear the screen and the state. */
async function runWithWidget(
  { prepared, controller: { signal } }: SessionRun,
  { onSteps, onProgress, onItemSteps, onItemProgress }: CastWatch,
  { open, close, released }: WidgetLifecycle,
): Promise<Result<RunOutcome>> {
  try {
    const stopListening = open();
    try {
      return await prepared.run({ signal, released, onSteps, onProgress, onItemSteps, onItemProgress });
    } finally {
      stopListening();
    }
  } catch (thrown) {
    return fail(brokenIssue(prepared.castId, thrown));
  } finally {
    close();
  }
}

/** Put a refused message back into the editor. */
export function refuseMessage(
  { screen, user: { ctx } }: CommandContext,
  issues: readonly Issue[],
  said: string | undefined,
): void {
  screen.refuse(issues);
  if (said !== undefined) runUnlessReplaced(() => prependToEditor(ctx, said));
}

function brokenIssue(castId: string, thrown: unknown) {
  return error("internal_error", castId, `the cast failed: ${thrownMessage(thrown)}`);
}

interface FinishedRun {
  readonly end: RunOutcome;
  readonly watch: Pick<CastWatch, "used" | "result">;
  readonly refinements: readonly string[];
  /** [X37] Another process continues it at once. */
  readonly isDetaching: boolean;
}

async function finishRun(
  context: CommandContext,
  { prepared, workspace, visible, options, cwd }: SessionRun,
  { end, watch, refinements, isDetaching }: FinishedRun,
): Promise<void> {
  const { screen, state, user } = context;
  const isCalled = workspace.catalog.settings.notify;
  if (isCalled && end.kind !== "paused") notifyPerson(user.ctx, statusText(castStatus(end.state, false)));
  const place = {
    runDir: workspace.store.locationOf(prepared.castId),
    ...(workspace.place.cwd === cwd ? {} : { elsewhere: workspace.place.cwd }),
    used: watch.used(),
    change: await changeCountsText(workspace, prepared.castId),
    ...watch.result(),
  };
  if (end.kind === "waiting" && screen.isWatched) {
    const seen = visible?.hasAnswered() ?? false;
    const result = castResultOf(end, place);
    waitForPerson(context, { state: end.state, refinements, result, seen, options, workspace });
    return;
  }
  if (end.kind === "paused" && screen.isWatched) {
    if (!isDetaching) screen.note(pausedNote(prepared.castId));
  } else screen.showResult(castResultOf(end, place), exitCodeFor(end));
  // [YI4] The person has just seen how it ended.
  if (end.kind === "ended" && screen.isWatched) void markLookedAt(workspace, prepared.castId).catch(() => undefined);
  if (hasFinished(end)) return sendHeldMessages(context);
  if (end.kind === "ended") askAtReworkLimit(context, end.state, options);
  state.heldMessages.push(...refinements.map((text) => ({ text })));
  returnHeldMessages(context);
}

/** [X19] Only then send kept messages. */
function hasFinished({ kind, state: { phase } }: RunOutcome): boolean {
  if (kind !== "ended" || phase.kind !== "ended") return false;
  return phase.outcome === "completed" || phase.outcome === "not_satisfied";
}

/** [X45] Asks about a cast that stopped at a rework limit. It has ended: no answer loses nothing. */
function askAtReworkLimit(context: CommandContext, cast: CastState, options: Options): void {
  const { user, screen } = context;
  const limit = reworkLimitOf(cast);
  if (!limit || !screen.isWatched || !user.ctx.hasUI) return;
  runUnlessReplacedAsync(() => askReworkDecision(user.ctx, limit)).then((decision) => {
    if (decision) context.run({ kind: "recast", castId: cast.castId, decision }, options);
  }, screen.noteFailure);
}
