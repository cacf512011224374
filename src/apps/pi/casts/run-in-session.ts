import type { Options } from "../../../core/command/options.ts";
import { failWith, type Issue, type Result } from "../../../core/model/issue.ts";
import { statusText } from "../../../core/view/cast-list.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import { oneLine, thrownMessage } from "../../../core/model/text.ts";
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
import { askForExtensions } from "../session/dialogs.ts";
import { listenWhileRunning, pausedNote, stopCast } from "./interrupt.ts";
import { type StopChoice, askReworkDecision } from "./cast-dialogs.ts";
import { detachPausedCast, checkDetach } from "./detach.ts";
import {
  MAX_QUOTED,
  sendHeldMessages,
  returnHeldMessages,
  prependToEditor,
  unreadMessages,
  receiverText,
} from "./messages.ts";
import type { CommandContext } from "./session-state.ts";
import { stopWaiting, waitForPerson } from "./waiting-cast.ts";
import type { LoadedCast } from "../../../shell/store/cast-store.ts";
import { reworkLimitOf } from "../../../core/cast/rework-limit.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import { castStatus, hasResult } from "../../../core/cast/summary.ts";

interface SessionRun {
  readonly options: Options;
  /** Pi's folder; stored because the session may be gone when the cast ends. */
  readonly cwd: string;
  readonly prepared: PreparedCast;
  readonly past: Pick<LoadedCast, "file" | "events">;
  readonly workspace: Workspace;
  readonly controller: AbortController;
  readonly control: TurnControl;
  readonly visible: VisibleTurns | undefined;
  readonly transcripts: TranscriptFollower | undefined;
  readonly vouch: (() => void) | undefined;
  readonly said: string | undefined;
}

/** [X4, X13] Runs a cast beside the user's session. The promise resolves when all of it has ended, and never rejects. */
export function runCastInSession(context: CommandContext, run: SessionRun): Promise<void> {
  const { user, screen, state } = context;
  const { prepared, controller, control, visible } = run;
  const isInTurn = (): boolean => visible?.isRunning() ?? false;
  const shown: ShownRun = { release: new AbortController() };
  const refinements: string[] = [];
  const watch = createCastWatch(run.past, {
    user,
    onStep: run.transcripts?.follow,
    onVisit: screen.addVisitCard,
    onChange: () => shown.widget?.scheduleDraw(),
    isStreamedElsewhere: isInTurn,
    unread: () => unreadMessages(context, { control, refinements }),
    // Replies from a file need no model.
    agentLabel: () =>
      prepared.file.rehearsal === null ? agentText(control.session() ?? runUnlessReplaced(() => user.ctx)) : undefined,
    hint: () => widgetHint(user, isInTurn(), { watch, control, widget: shown.widget }),
  });
  stopWaiting(context);
  restoreTitle(user.ctx);
  state.stopWatching?.();
  state.seen.set(prepared.castId, Infinity);
  const over = new AbortController();
  const done = announceCast(screen, prepared, runWithWidget(context, run, watch, shown))
    .finally(() => {
      delete state.running;
      state.seen.set(prepared.castId, watch.timeline().state.seq);
      over.abort();
      run.transcripts?.close();
    })
    .then((ended) => {
      if (ended.ok) return finishRun(context, run, ended.value, { watch, refinements, shown });
      refuseMessage(context, ended.issues, run.said);
      returnHeldMessages(context);
    })
    .catch(screen.noteFailure);
  state.running = {
    castId: prepared.castId,
    watch,
    control,
    stop: (how: StopChoice) => {
      shown.isHandedOn = how === "detach";
      stopCast(controller, how === "detach" ? "pause" : how);
    },
    release: () => {
      shown.isHandedOn = true;
      shown.release.abort();
    },
    endedSignal: over.signal,
    hasVisibleTurn: isInTurn,
    done,
    refinements,
    checkDetach: () => checkDetach(user, prepared.file),
    detach: (agents) => {
      run.vouch?.();
      return detachPausedCast(prepared.castId, run.workspace, agents);
    },
  };
  return done;
}

interface ShownRun {
  widget?: Widget | undefined;
  /** [X37, Z11] Another process, or another run of it here, continues it at once. */
  isHandedOn?: boolean;
  /** [Z11] Aborted when a sleeping cast is to be continued otherwise. */
  readonly release: AbortController;
}

/** [X13] Any error ends the cast: clear the screen and the state. */
async function runWithWidget(
  context: CommandContext,
  { prepared, controller }: SessionRun,
  watch: CastWatch,
  shown: ShownRun,
): Promise<Result<RunOutcome>> {
  const { user, screen } = context;
  try {
    shown.widget = screen.isWatched ? openWidget(user.ctx, watch.widgetContent) : undefined;
    const stopListening = listenWhileRunning(context, shown.widget, controller);
    const signals = { signal: controller.signal, released: shown.release.signal };
    const asking = withoutUndefined({ askPerson: askForExtensions(user.ctx) });
    return await prepared.run({ ...forwardToScreen(screen, watch), ...signals, ...asking }).finally(stopListening);
  } catch (thrown) {
    return failWith("internal_error", prepared.castId, `the cast failed: ${thrownMessage(thrown)}`);
  } finally {
    shown.widget?.close();
  }
}

/** [X57] Where typed text goes, and what Esc does. */
function widgetHint(
  { ctx }: UserSession,
  isInTurn: boolean,
  running: Parameters<typeof receiverText>[1] & Pick<ShownRun, "widget">,
): string {
  if (runUnlessReplaced(() => ctx.mode) !== "tui") return "/materia abort stops it";
  if (running.widget?.isInFront() === false) return "The question below has the keys";
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

export function refuseMessage(
  { screen, user: { ctx } }: CommandContext,
  issues: readonly Issue[],
  said: string | undefined,
): void {
  screen.refuse(issues);
  if (said !== undefined) runUnlessReplaced(() => prependToEditor(ctx, said));
}

interface FinishedRun {
  readonly watch: Pick<CastWatch, "used" | "result">;
  readonly refinements: readonly string[];
  readonly shown: ShownRun;
}

async function finishRun(
  context: CommandContext,
  { prepared, workspace, visible, options, cwd }: SessionRun,
  end: RunOutcome,
  { watch, refinements, shown }: FinishedRun,
): Promise<void> {
  const { screen, state, user } = context;
  const { place, store, catalog } = workspace;
  const goesOn = shown.isHandedOn === true && (end.kind === "paused" || end.kind === "asleep");
  if (catalog.settings.notify && end.kind !== "paused" && !goesOn)
    notifyPerson(user.ctx, statusText(castStatus(end.state, false)));
  const result = castResultOf(end, {
    runDir: store.locationOf(prepared.castId),
    elsewhere: place.cwd === cwd ? undefined : place.cwd,
    used: watch.used(),
    change: await changeCountsText(workspace, prepared.castId),
    asks: runUnlessReplaced(() => user.ctx.mode) === "tui",
    ...watch.result(),
  });
  if (end.kind === "waiting" && screen.isWatched) {
    const lines = visible?.hasAnswered() ? undefined : result.lines;
    return waitForPerson(context, end.state, { refinements, lines, options, workspace });
  }
  if (end.kind === "paused" && screen.isWatched) {
    if (!goesOn) screen.note(pausedNote(prepared.castId));
  } else if (!goesOn) screen.showResult(result, exitCodeFor(end));
  // [YI4] The person has just seen how it ended.
  if (end.kind === "ended" && screen.isWatched) void markLookedAt(workspace, prepared.castId).catch(() => undefined);
  // [X19] Only then send kept messages.
  if (end.kind === "ended" && hasResult(end.state)) return sendHeldMessages(context);
  if (end.kind === "ended") askAtReworkLimit(context, end.state, options);
  state.heldMessages.push(...refinements.map((text) => ({ text })));
  returnHeldMessages(context);
}

/** [X45] Asks about a cast that stopped at a rework limit. It has ended: no answer loses nothing. */
function askAtReworkLimit(context: CommandContext, cast: CastState, options: Options): void {
  const { user, screen } = context;
  const limit = reworkLimitOf(cast);
  if (!limit || !screen.isWatched || !user.ctx.hasUI) return;
  runUnlessReplacedAsync(() => askReworkDecision(user.ctx, limit)).then((decision) => {
    if (decision?.kind === "hint") screen.note(`With the hint: “${oneLine(decision.text, MAX_QUOTED)}”`);
    if (decision) context.run({ kind: "recast", castId: cast.castId, decision }, options);
  }, screen.noteFailure);
}
