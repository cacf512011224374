import type {
  ExtensionAPI,
  ExtensionCommandContext,
  ExtensionContext,
  InputEvent,
} from "@earendil-works/pi-coding-agent";
import { error, type Result } from "../../core/model/issue.ts";
import { createMateriaTool, offerMateriaTool } from "./draft-command.ts";
import { setPiLoader, type Pi } from "../../shell/agents/pi-sdk.ts";
import { thrownMessage } from "../../core/model/text.ts";
import { runUnlessReplaced, type SeenCasts } from "./session/user-session.ts";
import { createConversations } from "./conversation/conversations.ts";
import { showConversations } from "./conversation/conversation-view.ts";
import { createScreen } from "./screen/screen.ts";
import { answerWaitingCast, startFromCommand, type StartedCast } from "./casts/start-cast.ts";
import { confirmLeave } from "./casts/interrupt.ts";
import { returnHeldMessages, routeInput } from "./casts/messages.ts";
import { performCommand } from "./perform-command.ts";
import { refuseMessage } from "./casts/run-in-session.ts";
import type { CommandContext, SessionState } from "./casts/session-state.ts";
import { stopWaiting } from "./casts/waiting-cast.ts";

export type ExtensionHandlers = ReturnType<typeof createHandlers>;

/** All of `/materia` for one session; loaded on first use. */
export function createHandlers(pi: ExtensionAPI, own: () => Promise<Pi>, seen: SeenCasts) {
  setPiLoader(own);
  const state: SessionState = { heldMessages: [], seen, conversations: createConversations() };
  const contextFor = (ctx: ExtensionContext): CommandContext => {
    const user = { pi, ctx };
    const screen = createScreen(user);
    const report = (starting: Promise<Result<StartedCast>>, said?: string): void => {
      const onStart = (started: Result<StartedCast>) =>
        void (started.ok || refuseMessage(context, started.issues, said));
      starting.then(onStart, screen.noteFailure);
    };
    const context: CommandContext = {
      user,
      screen,
      state,
      run: (command, options) => report(startFromCommand(context, command, options)),
      answer: (said) => {
        const text = said.kind === "finish" ? undefined : said.text;
        if (state.waiting) report(answerWaitingCast(context, state.waiting, said), text);
      },
    };
    return context;
  };
  return {
    performCommand: async (text: string, ctx: ExtensionCommandContext): Promise<void> => {
      const switchTo: CommandContext["switchTo"] = (file, words) =>
        ctx.switchSession(file, { withSession: async ({ ui }) => ui.notify(words, "warning") });
      const context = { ...contextFor(ctx), switchTo };
      state.reload = () => ctx.reload();
      try {
        await performCommand(context, text);
      } catch (thrown) {
        runUnlessReplaced(() => context.screen.refuse([error("internal_error", "", thrownMessage(thrown))]));
      }
    },
    /** [X43] */
    showConversations: (ctx: ExtensionContext) => openConversations(contextFor(ctx)),
    /** [X64] Of a cast or of one of its visits. */
    showPatch: (place: string, ctx: ExtensionContext) => performCommand(contextFor(ctx), `diff ${place}`),
    onInput: (event: InputEvent, ctx: ExtensionContext) => routeInput(contextFor(ctx), event),
    /** [YD13] Lets Pi's own agent propose drafts and casts. */
    offerTool: () => void (state.running || offerMateriaTool(pi, () => createMateriaTool(contextFor))),
    /** Whether the session is in a turn of a cast, with the turn's context. */
    hasVisibleTurn: () => state.running?.hasVisibleTurn() ?? false,
    /** [X60] The cast that waits here was answered elsewhere: nothing is asked here any more. */
    leaveWaitingCast: (castId: string): void => {
      if (state.waiting?.castId === castId) stopWaiting({ state });
    },
    confirmLeave: (ctx: ExtensionContext) => confirmLeave(contextFor(ctx)),
    /** [X6] Pauses running casts; resolves when all of them have stopped. */
    shutDown: async (ctx: ExtensionContext): Promise<void> => {
      const { running } = state;
      returnHeldMessages({ state, user: { pi, ctx } });
      running?.stop("pause");
      await running?.done;
      stopWaiting({ state });
      state.stopWatching?.();
      state.closeUi?.();
    },
  };
}

async function openConversations({ user, screen, state }: CommandContext): Promise<void> {
  try {
    if (state.conversations.all().length > 0) await showConversations(user.ctx, state.conversations);
    else screen.note("No agent has worked in a separate session yet; interactive agents answer here");
  } catch (thrown) {
    runUnlessReplaced(() => screen.noteFailure(thrown));
  }
}
