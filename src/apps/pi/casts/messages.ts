import type { ExtensionContext, InputEvent, InputEventResult } from "@earendil-works/pi-coding-agent";
import { socketOf } from "../../../core/compile/graph.ts";
import { oneLine } from "../../../core/model/text.ts";
import type { UnreadMessage } from "../screen/cast-watch.ts";
import { restoreTitle } from "../screen/screen.ts";
import { runUnlessReplaced } from "../session/user-session.ts";
import type { CommandContext, HeldMessage, RunningCast } from "./session-state.ts";

/** [X17, X19] Where a message goes that the user has typed: to the agent that waits, to afterwards, or its usual way. */
export function routeInput(
  context: CommandContext,
  { text, images, source, streamingBehavior }: InputEvent,
): InputEventResult {
  const { state, screen, user } = context;
  restoreTitle(user.ctx);
  // What begins with a slash is meant for Pi: a template, a skill, or a command of another extension.
  if (source === "extension" || text.startsWith("/")) return { action: "continue" };
  // An answer that Pi gives to the user is the user's to steer.
  if (streamingBehavior !== undefined && !state.running?.hasVisibleTurn()) return { action: "continue" };
  if (state.running) {
    if (isInteractiveVisit(state.running)) {
      state.running.refinements.push(text);
      screen.note(`The agent is still answering; it gets this next: “${oneLine(text, MAX_QUOTED)}”`);
    } else if (state.running.control.steer(images === undefined ? { text } : { text, images }))
      screen.note(`${agentName(state.running)} gets this now: “${oneLine(text, MAX_QUOTED)}”`);
    else holdMessage(context, images === undefined ? { text } : { text, images });
    return { action: "handled" };
  }
  // [Q8] At a gate a person may talk with their own agent before they decide.
  if (!state.waiting || state.waiting.dialog) return { action: "continue" };
  context.answer({ kind: "answer", text });
  return { action: "handled" };
}

/** As much of a message as its writer needs to know it again. */
const MAX_QUOTED = 80;

/** [X36] For when the cast is over. */
export function holdMessage({ state, screen }: CommandContext, message: HeldMessage): void {
  state.heldMessages.push(message);
  screen.note(`Kept until the cast is over; then it is sent: “${oneLine(message.text, MAX_QUOTED)}”`);
}

/** [X36] What no agent has read yet and what is kept, back in the editor; says whether there was anything. */
export function withdrawMessages(context: CommandContext): boolean {
  const { state } = context;
  state.heldMessages.unshift(...(state.running?.control.withdrawUnread() ?? []).map((text) => ({ text })));
  const has = state.heldMessages.length + (state.running?.refinements.length ?? 0) > 0;
  returnHeldMessages(context);
  return has;
}

/** [X36] All that was said and nobody has read yet, in the order in which it will be. */
export function unreadMessages(
  { state, user }: Pick<CommandContext, "state" | "user">,
  { control, refinements }: Pick<RunningCast, "control" | "refinements">,
): readonly UnreadMessage[] {
  const by = runUnlessReplaced(() => user.ctx.mode) === "tui" ? "Alt+Up" : "clear_queue";
  const told = [...control.unread(), ...refinements].map((text): UnreadMessage => ({
    target: "agent",
    text,
    withdrawWith: by,
  }));
  return [
    ...told,
    ...state.heldMessages.map(({ text }): UnreadMessage => ({ target: "later", text, withdrawWith: by })),
  ];
}

function agentName({ watch }: RunningCast): string {
  const { phase, graph } = watch.timeline().state;
  return phase.kind === "visiting" ? socketOf(graph, phase.visit.socket).materia : "the agent";
}

function isInteractiveVisit({ watch }: RunningCast): boolean {
  const { phase, graph } = watch.timeline().state;
  return phase.kind === "visiting" && socketOf(graph, phase.visit.socket).interactive;
}

/** [X19] Sends what was kept, as one message, once no cast is in hand any more. */
export function sendHeldMessages({ state, user: { pi, ctx } }: CommandContext): void {
  if (state.running || state.waiting || state.heldMessages.length === 0) return;
  const content = messageContent(state.heldMessages.splice(0));
  runUnlessReplaced(() =>
    ctx.isIdle() ? pi.sendUserMessage(content) : pi.sendUserMessage(content, { deliverAs: "followUp" }),
  );
}

/** [X19] After an abort or a failure, or when the session is left, nothing is sent: what was kept goes back to where it was typed. */
export function returnHeldMessages({ state, user: { ctx } }: Pick<CommandContext, "state" | "user">): void {
  const kept = [
    ...state.heldMessages.splice(0).map(({ text }) => text),
    ...(state.running?.refinements.splice(0) ?? []),
  ];
  if (kept.length > 0) runUnlessReplaced(() => ctx.hasUI && prependToEditor(ctx, kept.join("\n\n")));
}

/** Into the editor, before what is typed there. */
export function prependToEditor(ctx: ExtensionContext, text: string): void {
  const typed = ctx.ui.getEditorText();
  ctx.ui.setEditorText(typed === "" ? text : `${text}\n\n${typed}`);
}

function messageContent(held: readonly HeldMessage[]) {
  const text = held.map((message) => message.text).join("\n\n");
  const images = held.flatMap((message) => message.images ?? []);
  return images.length === 0 ? text : [{ type: "text" as const, text }, ...images];
}
