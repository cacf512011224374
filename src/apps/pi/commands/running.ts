import type { Options } from "../../../core/command/options.ts";
import { error, fail } from "../../../core/model/issue.ts";
import type { Issue, Result } from "../../../core/model/issue.ts";
import { textOf } from "../../../shell/agents/turn.ts";
import type { Workspace } from "../../../shell/casting/workspace/workspace.ts";
import type { PreparedCast } from "../../../shell/commands/prepare.ts";
import type { RunEnd } from "../../../shell/run/run-cast.ts";
import type { VisibleBody } from "../agents/visible.ts";
import { resultOf } from "../live/result-card.ts";
import { openWatch } from "../live/watch.ts";
import type { Watch } from "../live/watch.ts";
import { openWidget } from "../live/widget.ts";
import type { Widget } from "../live/widget.ts";
import { unlessReplaced } from "../session/user-session.ts";
import { exitCode } from "../../../shell/casting/exit-code.ts";
import { onEscape } from "../input/escape.ts";
import { deliverHeld, putBack } from "./messages.ts";
import type { CommandContext } from "./state.ts";
import { stopWaiting, waitFor } from "./waiting.ts";

interface Run {
  readonly options: Options;
  /** Where Pi works; kept, because the session may be gone when the cast ends. */
  readonly cwd: string;
  readonly prepared: PreparedCast;
  readonly workspace: Workspace;
  readonly controller: AbortController;
  readonly visible: VisibleBody | undefined;
  /** What the person has said with it. */
  readonly said?: string;
}

/** [X4, X13] Runs a cast beside the user's session. The answer resolves when nothing of it is left, and never rejects. */
export function runInSession(context: CommandContext, run: Run): Promise<void> {
  const { user, screen, state } = context;
  const { prepared, controller, visible } = run;
  const isInTurn = (): boolean => visible?.isRunning() ?? false;
  let widget: Widget | undefined;
  const watch = openWatch(prepared, {
    onVisit: screen.visit,
    onChange: () => widget?.changed(),
    opened: () => unlessReplaced(() => user.ctx.ui.getToolsExpanded()) ?? false,
    streams: isInTurn,
    hint: `${user.ctx.mode === "tui" ? "Esc or " : ""}/materia abort stops it`,
  });
  stopWaiting(context);
  const abort = (): void => controller.abort();
  const refinements: string[] = [];
  const onScreen = (): (() => void) => {
    widget = screen.live ? openWidget(user.ctx, watch.picture) : undefined;
    return onEscape(user, widget, abort);
  };
  const done = runShown(run, watch, { open: onScreen, close: () => widget?.close() })
    .finally(() => delete state.running)
    .then((ended) => {
      if (ended.ok) finish(context, run, ended.value, refinements);
      else refuseSaid(context, ended.issues, run.said);
    })
    .catch((thrown: unknown) => screen.note(`materia: ${textOf(thrown)}`, "error"))
    .then(() => deliverHeld(context));
  state.running = { castId: prepared.castId, watch, abort, isInTurn, done, refinements };
  return done;
}

interface Showing {
  /** The answer stops listening to the keys. */
  readonly open: () => () => void;
  readonly close: () => void;
}

/** [X13] Whatever throws, the cast included, is its end: nothing of it stays on the screen or in hand. */
async function runShown(
  { prepared, controller: { signal } }: Run,
  { onSteps, onProgress }: Watch,
  { open, close }: Showing,
): Promise<Result<RunEnd>> {
  try {
    const stopListening = open();
    try {
      return await prepared.run({ signal, onSteps, onProgress });
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
  return error("broken", castId, `the cast broke: ${textOf(thrown)}`);
}

function finish(
  context: CommandContext,
  { prepared, workspace, visible, options, cwd }: Run,
  end: RunEnd,
  refinements: readonly string[],
): void {
  const place = {
    runDir: workspace.store.placeOf(prepared.castId),
    ...(workspace.place.cwd === cwd ? {} : { elsewhere: workspace.place.cwd }),
  };
  if (end.kind === "waiting" && context.screen.live) {
    const seen = visible?.hasAnswered() ?? false;
    waitFor(context, { state: end.state, refinements, result: resultOf(end, place), seen, options });
    return;
  }
  context.screen.result(resultOf(end, place), exitCode(end));
}
