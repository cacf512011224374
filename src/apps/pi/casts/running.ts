import type { Options } from "../../../core/command/options.ts";
import { error, fail, type Issue, type Result } from "../../../core/model/issue.ts";
import type { Usage } from "../../../core/cast/state/usage.ts";
import { statusOf, statusText } from "../../../core/view/casts.ts";
import { thrownText } from "../../../core/model/values/text.ts";
import type { Workspace } from "../../../shell/casting/workspace/workspace.ts";
import type { PreparedCast } from "../../../shell/casting/drive/prepared-cast.ts";
import type { RunEnd } from "../../../shell/run/run-cast.ts";
import type { VisibleBody } from "../agents/visible.ts";
import type { Transcripts } from "../conversation/transcripts.ts";
import { callPerson, stopCalling } from "../live/call-person.ts";
import type { ItemTale } from "../cards/item-tales.ts";
import { resultOf } from "../cards/result-card.ts";
import { openWatch, type Watch } from "../live/watch.ts";
import { openWidget, type Widget } from "../live/widget.ts";
import { unlessReplaced, type UserSession } from "../session/user-session.ts";
import { exitCode } from "../../../shell/casting/exit-code.ts";
import type { TurnControl } from "../agents/turn-control.ts";
import { onCastKeys } from "../input/keys.ts";
import { onRpcRequests } from "../input/rpc-requests.ts";
import type { StopChoice } from "../input/stop-dialogs.ts";
import { announce, heardBy } from "../live/news.ts";
import { detach, detachableIn } from "./detach.ts";
import { interrupt, stopCast } from "./interrupt.ts";
import { leavePi } from "./leaving.ts";
import { deliverHeld, giveBackHeld, keep, putBack, takeBack, unheardIn } from "./messages.ts";
import { decideAtLimit } from "./rework-limit.ts";
import type { CommandContext } from "./state.ts";
import { stopWaiting, waitFor } from "./waiting.ts";
import type { LoadedCast } from "../../../shell/store/cast-store.ts";

interface Run {
  readonly options: Options;
  /** Where Pi works; kept, because the session may be gone when the cast ends. */
  readonly cwd: string;
  readonly prepared: PreparedCast;
  /** What happened to it before. */
  readonly past: Pick<LoadedCast, "file" | "events">;
  readonly workspace: Workspace;
  readonly controller: AbortController;
  readonly control: TurnControl;
  readonly visible: VisibleBody | undefined;
  /** Where agents are rehearsed: what they say and do is read from what they wrote down. */
  readonly transcripts?: Transcripts;
  /** Lets a process of its own trust what this one does. */
  readonly vouch?: () => void;
  /** What the person has said with it. */
  readonly said?: string;
}

/** [X4, X13] Runs a cast beside the user's session. The answer resolves when nothing of it is left, and never rejects. */
export function runInSession(context: CommandContext, run: Run): Promise<void> {
  const { user, screen, state } = context;
  const { prepared, controller, control, visible, workspace } = run;
  const isInTurn = (): boolean => visible?.isRunning() ?? false;
  let widget: Widget | undefined;
  const refinements: string[] = [];
  const watch = openWatch(run.past, {
    ...(run.transcripts ? { onStep: run.transcripts.follow } : {}),
    onVisit: screen.visit,
    onChange: () => widget?.changed(),
    opened: () => unlessReplaced(() => user.ctx.ui.getToolsExpanded()) ?? false,
    streams: isInTurn,
    unheard: () => unheardIn(context, { control, refinements }),
    // Replies of a file come from no model.
    agent: () =>
      prepared.file.rehearsal === null ? agentText(control.session() ?? unlessReplaced(() => user.ctx)) : undefined,
    hint: () => hintFor(user, isInTurn()),
  });
  stopWaiting(context);
  stopCalling(user.ctx);
  state.stopWatching?.();
  const over = new AbortController();
  const onScreen = (): (() => void) => {
    widget = screen.live ? openWidget(user.ctx, watch.picture) : undefined;
    const requests = { abort: () => abortIdle(user, controller), clear_queue: () => void takeBack(context) };
    const offs = [onCastKeys(user, widget, keysOf(context)), onRpcRequests(user.ctx, requests)];
    return () => offs.forEach((off) => off());
  };
  const showing = { open: onScreen, close: () => widget?.close() };
  const done = announce(screen, prepared, runShown(run, heardBy(screen, watch), showing))
    .finally(() => {
      delete state.running;
      over.abort();
      run.transcripts?.close();
    })
    .then((ended) => {
      if (ended.ok)
        return finish(context, run, { end: ended.value, used: watch.used(), items: watch.items(), refinements });
      refuseSaid(context, ended.issues, run.said);
      giveBackHeld(context);
    })
    .catch((thrown: unknown) => screen.note(`materia: ${thrownText(thrown)}`, "error"));
  state.running = {
    castId: prepared.castId,
    watch,
    control,
    stop: (how: StopChoice) => stopCast(controller, how),
    over: over.signal,
    isInTurn,
    done,
    refinements,
    detachable: () => detachableIn(user, prepared.file),
    detach: (agents) => {
      run.vouch?.();
      const { place, store } = workspace;
      return detach({ castId: prepared.castId, place, store, agents });
    },
  };
  return done;
}

/** What streams in the session is seen there. */
function hintFor({ ctx }: UserSession, isInTurn: boolean): string {
  if (unlessReplaced(() => ctx.mode) !== "tui") return "/materia abort stops it";
  return isInTurn ? "Esc interrupts" : "Esc interrupts · Alt+W shows all it does";
}

/** A turn in the user's own session is Pi's to abort. */
function abortIdle({ ctx }: UserSession, controller: AbortController): void {
  if (unlessReplaced(() => ctx.isIdle()) ?? true) stopCast(controller, "abort");
}

function agentText(
  agent: { readonly model?: { readonly id: string } | undefined; readonly thinkingLevel?: string } | undefined,
) {
  if (!agent?.model) return undefined;
  return agent.thinkingLevel === undefined ? agent.model.id : `${agent.model.id} · ${agent.thinkingLevel}`;
}

function keysOf(context: CommandContext) {
  const { ui } = context.user.ctx;
  return {
    onEscape: () => interrupt(context),
    onLeave: () => leavePi(context),
    onKeep: (text: string) => {
      ui.setEditorText("");
      keep(context, { text });
    },
    onTakeBack: () => takeBack(context),
  };
}

interface Showing {
  /** The answer stops listening to the keys. */
  readonly open: () => () => void;
  readonly close: () => void;
}

/** [X13] Whatever throws, the cast included, is its end: nothing of it stays on the screen or in hand. */
async function runShown(
  { prepared, controller: { signal } }: Run,
  { onSteps, onProgress, onItemSteps, onItemProgress }: Watch,
  { open, close }: Showing,
): Promise<Result<RunEnd>> {
  try {
    const stopListening = open();
    try {
      return await prepared.run({ signal, onSteps, onProgress, onItemSteps, onItemProgress });
    } finally {
      stopListening();
    }
  } catch (thrown) {
    return fail(brokenIssue(prepared.castId, thrown));
  } finally {
    close();
  }
}

/** A refused message is not lost: it stands in the editor again. */
export function refuseSaid(
  { screen, user: { ctx } }: CommandContext,
  issues: readonly Issue[],
  said: string | undefined,
): void {
  screen.refuse(issues);
  if (said !== undefined) unlessReplaced(() => putBack(ctx, said));
}

function brokenIssue(castId: string, thrown: unknown) {
  return error("broken", castId, `the cast broke: ${thrownText(thrown)}`);
}

interface Finished {
  readonly end: RunEnd;
  /** What a turn that was cut off had used. */
  readonly used: Usage;
  readonly items: readonly ItemTale[];
  readonly refinements: readonly string[];
}

function finish(
  context: CommandContext,
  { prepared, workspace, visible, options, cwd }: Run,
  { end, used, items, refinements }: Finished,
): void {
  const { screen, state, user } = context;
  const isCalled = workspace.catalog.settings.notify;
  if (isCalled && end.kind !== "paused") callPerson(user.ctx, statusText(statusOf(end.state, false)));
  const place = {
    runDir: workspace.store.placeOf(prepared.castId),
    ...(workspace.place.cwd === cwd ? {} : { elsewhere: workspace.place.cwd }),
    used,
    items,
  };
  if (end.kind === "waiting" && screen.live) {
    const seen = visible?.hasAnswered() ?? false;
    waitFor(context, { state: end.state, refinements, result: resultOf(end, place), seen, options });
    return;
  }
  if (end.kind === "paused" && screen.live)
    screen.note(`The cast is paused: /materia recast ${prepared.castId} goes on where it stopped`);
  else screen.result(resultOf(end, place), exitCode(end));
  if (isFinished(end)) return deliverHeld(context);
  if (end.kind === "ended") decideAtLimit(context, end.state, options);
  state.held.push(...refinements.map((text) => ({ text })));
  giveBackHeld(context);
}

/** [X19] Only then a message that was kept is sent. */
function isFinished({ kind, state: { phase } }: RunEnd): boolean {
  if (kind !== "ended" || phase.kind !== "ended") return false;
  return phase.outcome === "completed" || phase.outcome === "not_satisfied";
}
