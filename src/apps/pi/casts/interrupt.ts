import * as v from "valibot";
import { agentsText, type TurnCallbacks } from "../agents/turn-control.ts";
import { sessionConversation } from "../conversation/conversations.ts";
import type { CastPhase } from "../../../core/cast/state/state.ts";
import { sleepText } from "../../../core/view/numbers.ts";
import { askHowToContinue, askSleepDecision, type StopChoice, askLeave } from "./cast-dialogs.ts";
import { PAUSE_REASON } from "../../../shell/context/run-context.ts";
import { oneLine } from "../../../core/model/text.ts";
import { parseJson } from "../../../core/model/json.ts";
import { runUnlessReplacedAsync, runUnlessReplaced, piTui } from "../session/user-session.ts";
import { MAX_QUOTED, withdrawMessages } from "./messages.ts";
import type { DetachedAgents } from "./detach.ts";
import { error, fail, failWith, type Result } from "../../../core/model/issue.ts";
import type { CommandContext, RunningCast } from "./session-state.ts";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { KeyId } from "@earendil-works/pi-tui";
import type { Widget } from "../screen/widget.ts";

/** Esc: what it means now. */
function onEscape(context: CommandContext): void {
  const { user, screen, state } = context;
  const { running } = state;
  if (!running) return;
  const { phase } = running.watch.timeline().state;
  if (phase.kind === "sleeping") return askAboutSleep(context, running, phase);
  // [X35] Interrupts the agent's turn and asks how to continue; a utility runs on until the answer.
  if (running.control.interrupt()) return;
  askHowToContinue(user.ctx, undefined, running.endedSignal).then((how) => {
    if (how.kind === "pause" || how.kind === "abort") running.stop(how.kind);
  }, screen.noteFailure);
}

/** [Z11] While the provider refuses: wake the cast, use another model, or abort it. */
function askAboutSleep(
  context: CommandContext,
  running: RunningCast,
  phase: Extract<CastPhase, { kind: "sleeping" }>,
): void {
  const { user, screen } = context;
  askSleepDecision(user.ctx, sleepText(phase, Date.now()), running.endedSignal).then(async (decision) => {
    if (!decision) return;
    if (decision.kind === "abort") return running.stop("abort");
    running.release();
    await running.done;
    const model = decision.kind === "model" ? { model: decision.name } : {};
    context.run({ kind: "recast", castId: running.castId }, model);
  }, screen.noteFailure);
}

/** Asks about an interrupted turn. For a client in RPC mode an abort is the answer already. */
export function turnCallbacks({ user, screen, state }: CommandContext, controller: AbortController): TurnCallbacks {
  return {
    ask: async ({ materia }, count) => {
      const who = agentsText(materia, count);
      const asked = async () =>
        user.ctx.mode === "tui" ? askHowToContinue(user.ctx, who, controller.signal) : { kind: "abort" as const };
      const after = (await runUnlessReplacedAsync(asked)) ?? { kind: "pause" as const };
      if (after.kind === "say") screen.note(`To ${who}: “${oneLine(after.text, MAX_QUOTED)}”`);
      if (after.kind === "go_on" || after.kind === "say") return after;
      stopCast(controller, after.kind);
      return { kind: "stop" };
    },
    onOpened: (session, request) =>
      state.conversations.add(request, (changed) => sessionConversation(session, request.cwd, changed)),
    onUnread: (texts) => void state.heldMessages.push(...texts.map((text) => ({ text }))),
  };
}

export function stopCast(controller: AbortController, how: StopChoice): void {
  if (how === "abort") controller.abort();
  else controller.abort(PAUSE_REASON);
}

export function pausedNote(castId: string): string {
  return `The cast is paused: /materia recast ${castId} continues it`;
}

/** [X6] Asks what to do with the running cast; returns whether the session may be left. */
export async function confirmLeave(context: CommandContext): Promise<boolean> {
  const { user, screen, state } = context;
  const { running } = state;
  if (!running || user.ctx.mode !== "tui") return true;
  const { how, agents } = await askHowToLeave(context, running);
  // The cast may have ended since it was asked.
  if (!how || state.running !== running) return state.running === undefined;
  if (how === "detach") {
    const detached = await detachStopped(context, running, agents);
    if (!detached.ok) screen.refuse(detached.issues);
    return detached.ok;
  }
  running.stop(how);
  await running.done;
  return true;
}

/** [X37] Pauses the cast here and continues it in a background process. */
async function detachStopped({ screen }: CommandContext, running: RunningCast, agents: DetachedAgents) {
  const { castId } = running;
  running.stop("detach");
  await running.done;
  const detached = await running.detach(agents);
  screen.note(
    detached.ok ? `The cast continues in process ${detached.value}: /materia watch ${castId}` : pausedNote(castId),
  );
  return detached;
}

/** [X61] `/materia detach`: the cast continues in the background, and the session stays. */
export async function detachRunningCast(context: CommandContext): Promise<Result<unknown>> {
  const { running } = context.state;
  if (!running) return failWith("unknown_cast", "detach", "no cast runs in this session", "start one with --detach");
  const { refusals, notes, agents } = await running.checkDetach();
  if (refusals.length > 0)
    return fail(...refusals.map((why) => error("detach_failed", running.castId, `it cannot be detached: ${why}`)));
  for (const note of notes) context.screen.note(`Detached: ${note}`);
  return detachStopped(context, running, agents);
}

/** Ctrl+C again leaves, as in Pi itself; the cast is paused then. */
async function askHowToLeave({ user, state }: CommandContext, { checkDetach, endedSignal }: RunningCast) {
  const again = new AbortController();
  const off = user.ctx.ui.onTerminalInput((data) => {
    if (!matchesAnyKey(data, "ctrl+c", "ctrl+d")) return undefined;
    if (matchesAnyKey(data, "ctrl+c")) again.abort();
    return { consume: true };
  });
  state.isLeaving = true;
  try {
    const detachable = await checkDetach();
    const { signal } = again;
    const chosen = await askLeave(user.ctx, detachable, AbortSignal.any([endedSignal, signal]));
    return { how: signal.aborted ? ("pause" as const) : chosen, agents: detachable.agents };
  } finally {
    runUnlessReplaced(off);
    delete state.isLeaving;
  }
}

/** A key or a command that leaves the session: leave after the person agreed. Returns false if that is being asked already. */
function leaveIfConfirmed(context: CommandContext, leave: () => unknown): boolean {
  if (context.state.isLeaving) return false;
  confirmLeave(context)
    .then((may) => (may ? runUnlessReplacedAsync(async () => leave()) : undefined))
    .catch(context.screen.noteFailure);
  return true;
}

const RpcRequest = v.looseObject({ type: v.picklist(["abort", "clear_queue"]) });
type RpcRequestName = v.InferOutput<typeof RpcRequest>["type"];

/** [X36, X51] A client in RPC mode reaches only Pi's own session, which is idle while an agent works in another one. Listen where its requests arrive. The returned function stops listening. */
function onRpcRequests({ mode }: ExtensionContext, act: Readonly<Record<RpcRequestName, () => void>>): () => void {
  const { stdin } = process;
  // Without a reader, a listener would start reading.
  if (mode !== "rpc" || stdin.listenerCount("data") === 0) return () => undefined;
  let unfinished = "";
  const hear = (chunk: unknown): void => {
    const lines = `${unfinished}${String(chunk)}`.split("\n");
    unfinished = lines.pop() ?? "";
    for (const name of lines.flatMap(parseRpcRequest)) act[name]();
  };
  stdin.on("data", hear);
  return () => void stdin.off("data", hear);
}

function parseRpcRequest(line: string): readonly RpcRequestName[] {
  if (!line.includes('"abort"') && !line.includes('"clear_queue"')) return [];
  const request = v.safeParse(RpcRequest, parseJson(line));
  return request.success ? [request.output.type] : [];
}

const QUIT_COMMANDS: ReadonlySet<string> = new Set(["/quit", "/exit"]);

/** The keys and the requests of a client while a cast runs. The returned function stops listening. */
export function listenWhileRunning(context: CommandContext, widget: Widget | undefined, controller: AbortController) {
  const { ctx } = context.user;
  const offs = [
    onCastKeys(context, widget),
    onRpcRequests(ctx, {
      // Pi aborts a turn in the user's session itself.
      abort: () => (runUnlessReplaced(() => ctx.isIdle()) ?? true) && stopCast(controller, "abort"),
      clear_queue: () => void withdrawMessages(context),
    }),
  ];
  return () => offs.forEach((off) => off());
}

/** Listens while the keys have no other meaning: no dialog is open and Pi is idle (leaving always counts). The returned function stops listening. */
function onCastKeys(context: CommandContext, widget: Widget | undefined): () => void {
  const { ctx, pi } = context.user;
  if (ctx.mode !== "tui" || !widget) return () => undefined;
  const leave = (): boolean => leaveIfConfirmed(context, () => ctx.shutdown());
  /** Whether the key was used. */
  const take = (data: string): boolean => {
    const typed = ctx.ui.getEditorText().trim();
    // [X6] In every session and every state: nobody leaves a running cast without being asked.
    if (typed === "" && matchesAnyKey(data, "ctrl+d", "ctrl+c")) return leave();
    const entered = matchesAnyKey(data, "enter") ? enteredCommand(typed, widget.chosenCompletion()) : "";
    // [X61] Both would interrupt the cast. As after every command the editor is empty.
    if (QUIT_COMMANDS.has(entered) || entered === "/reload") {
      ctx.ui.setEditorText("");
      return entered === "/reload" ? leaveIfConfirmed(context, () => context.state.reload?.()) : leave();
    }
    if (!ctx.isIdle()) return false;
    if (matchesAnyKey(data, "alt+up")) return withdrawMessages(context);
    // [X35] Pi's own meanings come first: Esc closes an open list of completions, and leaves a `!` command.
    const isEscape = !typed.startsWith("!") && !widget.isCompleting() && matchesAnyKey(data, "escape");
    if (isEscape) onEscape(context);
    // [X57] For Pi's own agent.
    const isForPi = typed !== "" && !/^[/!]/.test(typed) && matchesAnyKey(data, "alt+enter");
    if (isForPi) {
      ctx.ui.setEditorText("");
      pi.sendUserMessage(typed);
    }
    return isEscape || isForPi;
  };
  const off = ctx.ui.onTerminalInput((data) => {
    if (piTui().isKeyRelease(data) || !widget.isInFront()) return undefined;
    const isTaken = runUnlessReplaced(() => take(data)) ?? false;
    return isTaken ? { consume: true } : undefined;
  });
  return () => runUnlessReplaced(off);
}

/** Enter also runs the command that is chosen in the list of completions. */
function enteredCommand(typed: string, chosen: string | undefined): string {
  return chosen !== undefined && /^\/\S*$/.test(typed) ? `/${chosen}` : typed;
}

function matchesAnyKey(data: string, ...keys: readonly KeyId[]): boolean {
  return keys.some((key) => piTui().matchesKey(data, key));
}
