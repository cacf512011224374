import type { ExtensionContext, InputEvent, InputEventResult } from "@earendil-works/pi-coding-agent";
import { socketOf } from "../../../core/compile/graph.ts";
import { agentsText } from "../agents/turn-control.ts";
import { withoutUndefined } from "../../../core/model/json.ts";
import { oneLine } from "../../../core/model/text.ts";
import type { UnreadMessage } from "../screen/cast-watch.ts";
import { restoreTitle } from "../screen/screen.ts";
import { runUnlessReplaced } from "../session/user-session.ts";
import type { CommandContext, RunningCast } from "./session-state.ts";

/** [X17, X19] Decides where a typed message goes: to the waiting agent, to the time after the cast, or to Pi as usual. */
export function routeInput(
  context: CommandContext,
  { text, images, source, streamingBehavior }: InputEvent,
): InputEventResult {
  const { state, screen, user } = context;
  restoreTitle(user.ctx);
  // Text with a leading slash is for Pi: a template, a skill, or a command of another extension.
  if (source === "extension" || text.startsWith("/")) return { action: "continue" };
  // While Pi answers the user, messages steer that answer.
  if (streamingBehavior !== undefined && !state.running?.hasVisibleTurn()) return { action: "continue" };
  if (state.running) {
    const message = withoutUndefined({ text, images });
    const receiver = receiverOf(state.running);
    const { control, refinements } = state.running;
    const quoted = `“${oneLine(text, MAX_QUOTED)}”`;
    if (receiver.kind === "next") {
      refinements.push(text);
      screen.note(`The agent is still answering; it gets this next: ${quoted}`);
    } else if (receiver.kind === "now") {
      control.steer(message);
      screen.note(`${receiver.who} ${receiver.count > 1 ? "get" : "gets"} this now: ${quoted}`);
    } else {
      // [X36] Until the cast has ended.
      state.heldMessages.push(message);
      screen.note(`Kept until the cast has ended, then sent: ${quoted}`);
    }
    return { action: "handled" };
  }
  // [Q8] At a gate the person may talk with their own agent before deciding.
  if (!state.waiting || state.waiting.dialog) return { action: "continue" };
  context.answer({ kind: "answer", text });
  return { action: "handled" };
}

/** The beginning of a message, enough to recognize it. */
export const MAX_QUOTED = 80;

/** [X36] Puts unread and kept messages back into the editor; returns whether there were any. */
export function withdrawMessages(context: CommandContext): boolean {
  const { state } = context;
  state.heldMessages.unshift(...(state.running?.control.withdrawUnread() ?? []).map((text) => ({ text })));
  const has = state.heldMessages.length + (state.running?.refinements.length ?? 0) > 0;
  returnHeldMessages(context);
  return has;
}

/** [X36] All unread messages, in the order in which they will be read. */
export function unreadMessages(
  { state, user }: Pick<CommandContext, "state" | "user">,
  { control, refinements }: Pick<RunningCast, "control" | "refinements">,
): readonly UnreadMessage[] {
  const withdrawWith = runUnlessReplaced(() => user.ctx.mode) === "tui" ? "Alt+Up" : "clear_queue";
  const unread = [...control.unread(), ...refinements];
  return [
    ...unread.map((text) => ({ label: "not read yet" as const, text, withdrawWith })),
    ...state.heldMessages.map(({ text }) => ({ label: "for later" as const, text, withdrawWith })),
  ];
}

function receiverOf({ watch, control }: Pick<RunningCast, "watch" | "control">) {
  const { phase, graph } = watch.timeline().state;
  const socket = phase.kind === "visiting" ? socketOf(graph, phase.visit.socket) : undefined;
  if (socket?.interactive) return { kind: "next" as const, who: socket.materia };
  const count = control.listening();
  if (count === 0) return { kind: "kept" as const, who: "kept for the end" };
  return { kind: "now" as const, who: agentsText(socket?.materia ?? "the agent", count), count };
}

/** [X57] Where Enter and Alt+Enter send the typed text now. */
export function receiverText(isPiAnswering: boolean, running: Pick<RunningCast, "watch" | "control">): string {
  if (isPiAnswering) return "Enter → Pi, which answers now";
  const { kind, who } = receiverOf(running);
  return `Enter → ${who}${kind === "next" ? "" : " · Alt+Enter → Pi"}`;
}

/** [X19] Sends the kept messages as one, once no cast is running. */
export function sendHeldMessages({ state, user: { pi, ctx } }: CommandContext): void {
  if (state.running || state.waiting || state.heldMessages.length === 0) return;
  const held = state.heldMessages.splice(0);
  const text = held.map((message) => message.text).join("\n\n");
  const images = held.flatMap((message) => message.images ?? []);
  const content = images.length === 0 ? text : [{ type: "text" as const, text }, ...images];
  runUnlessReplaced(() =>
    ctx.isIdle() ? pi.sendUserMessage(content) : pi.sendUserMessage(content, { deliverAs: "followUp" }),
  );
}

/** [X19] After an abort or a failure, or when the session is left, send nothing: put the kept messages back into the editor. */
export function returnHeldMessages({ state, user: { ctx } }: Pick<CommandContext, "state" | "user">): void {
  const held = state.heldMessages.splice(0).map(({ text }) => text);
  const kept = [...held, ...(state.running?.refinements.splice(0) ?? [])];
  if (kept.length > 0) runUnlessReplaced(() => ctx.hasUI && prependToEditor(ctx, kept.join("\n\n")));
}

export function prependToEditor(ctx: ExtensionContext, text: string): void {
  const typed = ctx.ui.getEditorText();
  ctx.ui.setEditorText(typed === "" ? text : `${text}\n\n${typed}`);
}
