import type { ExtensionAPI, ExtensionContext, InputEvent, InputEventResult } from "@earendil-works/pi-coding-agent";
import { error } from "../../../core/model/issue.ts";
import { usePi } from "../../../shell/agents/pi/pi.ts";
import type { Pi } from "../../../shell/agents/pi/pi.ts";
import { textOf } from "../../../shell/agents/turn.ts";
import { unlessReplaced } from "../session/user-session.ts";
import { openScreen } from "../live/screen.ts";
import { answerWaitingCast } from "./casting.ts";
import { giveBackHeld, onInput } from "./messages.ts";
import { perform } from "./perform.ts";
import { refuseSaid } from "./running.ts";
import type { CommandContext, FaceState } from "./state.ts";
import { stopWaiting } from "./waiting.ts";

/** The whole of `/materia` for one session; loaded when it is first wanted. */
export interface Face {
  readonly perform: (text: string, ctx: ExtensionContext) => Promise<void>;
  readonly onInput: (event: InputEvent, ctx: ExtensionContext) => InputEventResult;
  /** Whether the session is in a turn of a cast now, with a context of its own. */
  readonly isInTurn: () => boolean;
  /** [X6] Stops what runs, and resolves when it is written down. */
  readonly leave: (ctx: ExtensionContext) => Promise<void>;
}

export function openFace(pi: ExtensionAPI, own: () => Promise<Pi>): Face {
  usePi(own);
  const state: FaceState = { held: [] };
  const contextFor = (ctx: ExtensionContext): CommandContext => {
    const user = { pi, ctx };
    const screen = openScreen(user);
    const context: CommandContext = {
      user,
      screen,
      state,
      answer: (said) => {
        const { waiting } = state;
        if (!waiting) return;
        answerWaitingCast(context, waiting, said).then(
          (started) =>
            void (started.ok || refuseSaid(context, started.issues, said.kind === "finish" ? undefined : said.text)),
          (thrown: unknown) => screen.note(`materia: ${textOf(thrown)}`, "error"),
        );
      },
    };
    return context;
  };
  return {
    perform: async (text, ctx) => {
      const context = contextFor(ctx);
      try {
        await perform(context, text);
      } catch (thrown) {
        unlessReplaced(() => context.screen.refuse([error("broken", "", textOf(thrown))]));
      }
    },
    onInput: (event, ctx) => onInput(contextFor(ctx), event),
    isInTurn: () => state.running?.isInTurn() ?? false,
    leave: async (ctx) => {
      const { running } = state;
      giveBackHeld({ state, ctx });
      running?.abort();
      await running?.done;
      stopWaiting({ state });
      state.closeUi?.();
    },
  };
}
