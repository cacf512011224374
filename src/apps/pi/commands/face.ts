import type {
  ExtensionAPI,
  ExtensionCommandContext,
  ExtensionContext,
  InputEvent,
  InputEventResult,
} from "@earendil-works/pi-coding-agent";
import { error } from "../../../core/model/issue.ts";
import { usePi, type Pi } from "../../../shell/agents/pi/pi.ts";
import { thrownText } from "../../../core/model/values/text.ts";
import { unlessReplaced } from "../session/user-session.ts";
import { openConversations } from "../conversation/conversations.ts";
import { showConversations } from "../conversation/view.ts";
import { openScreen } from "../live/screen.ts";
import { answerWaitingCast, startFromCommand } from "../casts/start.ts";
import { mayLeave } from "../casts/leaving.ts";
import { giveBackHeld, onInput } from "../casts/messages.ts";
import { perform } from "./perform.ts";
import { refuseSaid } from "../casts/running.ts";
import type { CommandContext, FaceState } from "../casts/state.ts";
import { stopWaiting } from "../casts/waiting.ts";

/** The whole of `/materia` for one session; loaded when it is first wanted. */
export interface Face {
  readonly perform: (text: string, ctx: ExtensionCommandContext) => Promise<void>;
  readonly onInput: (event: InputEvent, ctx: ExtensionContext) => InputEventResult;
  /** [X43] Shows what agents say and do. */
  readonly showAgents: (ctx: ExtensionContext) => Promise<void>;
  /** Whether the session is in a turn of a cast now, with a context of its own. */
  readonly isInTurn: () => boolean;
  /** [X6] Whether the session may be left; the person is asked where a cast runs. */
  readonly mayLeave: (ctx: ExtensionContext) => Promise<boolean>;
  /** [X6] Pauses what still runs, and resolves when nothing of it goes on. */
  readonly leave: (ctx: ExtensionContext) => Promise<void>;
}

export function openFace(pi: ExtensionAPI, own: () => Promise<Pi>): Face {
  usePi(own);
  const state: FaceState = { held: [], conversations: openConversations() };
  const contextFor = (ctx: ExtensionContext): CommandContext => {
    const user = { pi, ctx };
    const screen = openScreen(user);
    const context: CommandContext = {
      user,
      screen,
      state,
      run: (command, options) => {
        startFromCommand(context, command, options).then(
          (started) => void (started.ok || screen.refuse(started.issues)),
          (thrown: unknown) => screen.note(`materia: ${thrownText(thrown)}`, "error"),
        );
      },
      answer: (said) => {
        const { waiting } = state;
        if (!waiting) return;
        answerWaitingCast(context, waiting, said).then(
          (started) =>
            void (started.ok || refuseSaid(context, started.issues, said.kind === "finish" ? undefined : said.text)),
          (thrown: unknown) => screen.note(`materia: ${thrownText(thrown)}`, "error"),
        );
      },
    };
    return context;
  };
  return {
    perform: async (text, ctx) => {
      const context = { ...contextFor(ctx), switchTo: (file: string) => ctx.switchSession(file) };
      try {
        await perform(context, text);
      } catch (thrown) {
        unlessReplaced(() => context.screen.refuse([error("broken", "", thrownText(thrown))]));
      }
    },
    showAgents: async (ctx) => {
      const { screen } = contextFor(ctx);
      try {
        if (state.conversations.all().length > 0) await showConversations(ctx, state.conversations);
        else screen.note("No agent has worked in a session of its own yet; one that plans with you answers here");
      } catch (thrown) {
        unlessReplaced(() => screen.note(`materia: ${thrownText(thrown)}`, "error"));
      }
    },
    onInput: (event, ctx) => onInput(contextFor(ctx), event),
    isInTurn: () => state.running?.isInTurn() ?? false,
    mayLeave: (ctx) => mayLeave(contextFor(ctx)),
    leave: async (ctx) => {
      const { running } = state;
      giveBackHeld({ state, user: { pi, ctx } });
      running?.stop("pause");
      await running?.done;
      stopWaiting({ state });
      state.stopWatching?.();
      state.closeUi?.();
    },
  };
}
