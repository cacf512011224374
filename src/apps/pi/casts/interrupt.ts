import type { TurnCallbacks } from "../agents/turn-control.ts";
import { sessionConversation } from "../conversation/from-session.ts";
import { askAfterInterrupt, askStop, type StopChoice } from "../input/stop-dialogs.ts";
import { PAUSE_REASON } from "../../../shell/run/effect.ts";
import { thrownMessage } from "../../../core/model/values/text.ts";
import { runUnlessReplacedAsync } from "../session/user-session.ts";
import type { CommandContext } from "./state.ts";

/** [X35] Esc: the agent's turn stops, and the person says how it goes on; a program goes on until they have. */
export function interruptCast({ user, screen, state: { running } }: CommandContext): void {
  if (!running || running.control.interrupt()) return;
  askStop(user.ctx, running.endedSignal).then(
    (how) => {
      if (how) running.stop(how);
    },
    (thrown: unknown) => screen.note(`materia: ${thrownMessage(thrown)}`, "error"),
  );
}

/** What is asked about a turn that was interrupted. A client of the RPC mode has said what it wants: an abort is one. */
export function turnCallbacks({ user, state }: CommandContext, controller: AbortController): TurnCallbacks {
  return {
    ask: async ({ materia }) => {
      const asked = async () =>
        user.ctx.mode === "tui" ? askAfterInterrupt(user.ctx, materia, controller.signal) : { kind: "abort" as const };
      const after = (await runUnlessReplacedAsync(asked)) ?? { kind: "pause" as const };
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
