import type {
  ExtensionAPI,
  ExtensionCommandContext,
  ExtensionContext,
  InputEvent,
  InputEventResult,
} from "@earendil-works/pi-coding-agent";
import { error } from "../../core/model/issue.ts";
import { createMateriaTool, offerMateriaTool } from "./materia-tool.ts";
import { setPiLoader, type Pi } from "../../shell/agents/pi-sdk.ts";
import { thrownMessage } from "../../core/model/text.ts";
import { runUnlessReplaced, type SeenCasts } from "./session/user-session.ts";
import { createConversations } from "./conversation/conversations.ts";
import { showConversations } from "./conversation/conversation-view.ts";
import { createScreen } from "./screen/screen.ts";
import { answerWaitingCast, startFromCommand } from "./casts/start-cast.ts";
import { confirmLeave } from "./casts/interrupt.ts";
import { returnHeldMessages, routeInput } from "./casts/messages.ts";
import { performCommand } from "./perform-command.ts";
import { refuseMessage } from "./casts/run-in-session.ts";
import type { CommandContext, SessionState } from "./casts/session-state.ts";
import { stopWaiting } from "./casts/waiting-cast.ts";

/** All of `/materia` for one session; loaded on first use. */
export interface ExtensionHandlers {
  readonly performCommand: (text: string, ctx: ExtensionCommandContext) => Promise<void>;
  readonly onInput: (event: InputEvent, ctx: ExtensionContext) => InputEventResult;
  /** [YD13] Lets Pi's own agent propose drafts and casts. */
  readonly offerTool: () => void;
  /** [X43] Shows the conversations of agents. */
  readonly showConversations: (ctx: ExtensionContext) => Promise<void>;
  /** [X64] Shows the patch of a cast or of one of its visits. */
  readonly showPatch: (place: string, ctx: ExtensionContext) => Promise<void>;
  /** Whether the session is in a turn of a cast, with the turn's context. */
  readonly hasVisibleTurn: () => boolean;
  /** [X6] Whether the session may be left; asks the person if a cast runs. */
  readonly confirmLeave: (ctx: ExtensionContext) => Promise<boolean>;
  /** [X6] Pauses running casts; resolves when all of them have stopped. */
  readonly shutDown: (ctx: ExtensionContext) => Promise<void>;
}

export function createHandlers(pi: ExtensionAPI, own: () => Promise<Pi>, seen: SeenCasts): ExtensionHandlers {
  setPiLoader(own);
  const state: SessionState = { heldMessages: [], seen, conversations: createConversations() };
  const contextFor = (ctx: ExtensionContext): CommandContext => {
    const user = { pi, ctx };
    const screen = createScreen(user);
    const context: CommandContext = {
      user,
      screen,
      state,
      run: (command, options) => {
        startFromCommand(context, command, options).then(
          (started) => void (started.ok || screen.refuse(started.issues)),
          screen.noteFailure,
        );
      },
      answer: (said) => {
        const { waiting } = state;
        if (!waiting) return;
        answerWaitingCast(context, waiting, said).then(
          (started) =>
            void (started.ok || refuseMessage(context, started.issues, said.kind === "finish" ? undefined : said.text)),
          screen.noteFailure,
        );
      },
    };
    return context;
  };
  return {
    performCommand: async (text, ctx) => {
      const context = { ...contextFor(ctx), switchTo: switchWith(ctx) };
      state.reload = () => ctx.reload();
      try {
        await performCommand(context, text);
      } catch (thrown) {
        runUnlessReplaced(() => context.screen.refuse([error("internal_error", "", thrownMessage(thrown))]));
      }
    },
    showConversations: (ctx) => openConversations(contextFor(ctx)),
    showPatch: (place, ctx) => performCommand(contextFor(ctx), `diff ${place}`),
    onInput: (event, ctx) => routeInput(contextFor(ctx), event),
    offerTool: () => void (state.running || offerMateriaTool(pi, () => createMateriaTool(contextFor))),
    hasVisibleTurn: () => state.running?.hasVisibleTurn() ?? false,
    confirmLeave: (ctx) => confirmLeave(contextFor(ctx)),
    shutDown: async (ctx) => {
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

function switchWith(ctx: ExtensionCommandContext): NonNullable<CommandContext["switchTo"]> {
  return (file, words) => ctx.switchSession(file, { withSession: async ({ ui }) => ui.notify(words, "warning") });
}
