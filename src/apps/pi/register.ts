import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Pi } from "../../shell/agents/pi/pi.ts";
import type { Face } from "./commands/face.ts";
import { forgetCards, openNextCard } from "./cards/open-card.ts";
import { CARD_KEY, VIEW_KEY } from "./input/own-keys.ts";
import { drawCard } from "./cards/card.ts";
import { useTui, type Tui } from "./tui/tui.ts";
import {
  ANSWER,
  areSettingsChanged,
  hasCasts,
  onlyLastEnds,
  RESULT,
  TURN,
  VISIT,
  withoutTurns,
} from "./session/marks.ts";

/** Pi's own copies of its libraries. */
export interface OwnLibraries {
  readonly tui: Tui;
  readonly library: () => Promise<Pi>;
}

/** [X26] Pi waits for this at every start, so it only registers; what the names stand for is loaded when it is wanted. */
export function register(pi: ExtensionAPI, { tui, library }: OwnLibraries): void {
  useTui(tui);
  let face: Face | undefined;
  let current: ExtensionContext | undefined;
  const open = async (): Promise<Face> => (face ??= (await import("./commands/face.ts")).openFace(pi, library));

  pi.registerCommand("materia", {
    description: "Run repeatable agent work as graphs; /materia help lists the commands",
    getArgumentCompletions: async (typed) => {
      const { complete } = await import("./input/complete.ts");
      return complete(typed, current);
    },
    handler: async (text, ctx) => (await open()).perform(text, ctx),
  });

  pi.registerShortcut(VIEW_KEY, {
    description: "Show what the agents of a materia cast say and do",
    handler: async (ctx) => (await open()).showAgents(ctx),
  });

  pi.registerShortcut(CARD_KEY, {
    description: "Open the cards of materia casts, one after the other, from the newest on",
    handler: (ctx) => {
      openNextCard();
      // Draws all of them again, as it is when Pi's own key is pressed.
      ctx.ui.setToolsExpanded(ctx.ui.getToolsExpanded());
    },
  });

  for (const type of [VISIT, ANSWER])
    pi.registerEntryRenderer(type, ({ data }, { expanded }, theme) => drawCard(data, expanded, theme));
  for (const type of [RESULT, TURN])
    pi.registerMessageRenderer(type, ({ details }, { expanded }, theme) => drawCard(details, expanded, theme));

  pi.on("session_start", async (_event, ctx) => {
    current = ctx;
    forgetCards();
    if (areSettingsChanged(ctx.sessionManager.getBranch()))
      await (await import("./session/settings.ts")).restoreSettings(pi, ctx);
    (await import("./session/greeting.ts")).greetLater(ctx);
  });
  const unlessStaying = async (ctx: ExtensionContext) => (await face?.mayLeave(ctx)) === false && { cancel: true };
  pi.on("session_before_switch", async (_event, ctx) => (await unlessStaying(ctx)) || undefined);
  pi.on("session_before_fork", async (_event, ctx) => (await unlessStaying(ctx)) || undefined);
  pi.on("session_shutdown", async (_event, ctx) => {
    if (!face) return;
    await face.leave(ctx);
    (await import("./session/keep-session.ts")).keepSession(ctx.sessionManager);
  });
  pi.on("input", (event, ctx) => face?.onInput(event, ctx));
  pi.on("context", ({ messages }) =>
    !face?.isInTurn() && hasCasts(messages) ? { messages: onlyLastEnds(withoutTurns(messages)) } : undefined,
  );
}
