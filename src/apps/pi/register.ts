import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Pi } from "../../shell/agents/pi-sdk.ts";
import type { ExtensionHandlers } from "./handlers.ts";
import { resetCards, openNextCard, drawCard, shownCardPlace } from "./screen/card.ts";
import {
  NEXT_CARD_KEY,
  CONVERSATIONS_KEY,
  PATCH_KEY,
  setPiTui,
  type PiTui,
  ANSWER_ENTRY,
  areSettingsChanged,
  hasCastMessages,
  keepLastResults,
  runUnlessReplaced,
  saveSessionFile,
  type SeenCasts,
  type SessionCasts,
  type UserSession,
  RESULT_ENTRY,
  TURN_ENTRY,
  VISIT_ENTRY,
  withoutCastTurns,
} from "./session/user-session.ts";

/** Pi's own copies of its libraries. */
export interface PiLibraries {
  readonly tui: PiTui;
  readonly library: () => Promise<Pi>;
}

/** A message, not a command, about loadouts. */
const MENTION = /^(?!\/)[^]*\b(materia|loadouts?)\b/i;

/** [X26] Pi waits for this at every start, so it only registers; everything else is loaded on demand. */
export function register(pi: ExtensionAPI, { tui, library }: PiLibraries): void {
  setPiTui(tui);
  let face: ExtensionHandlers | undefined;
  let current: ExtensionContext | undefined;
  let stopWatching: (() => void) | undefined;
  const seen: SeenCasts = new Map();
  const open = async (): Promise<ExtensionHandlers> =>
    (face ??= (await import("./handlers.ts")).createHandlers(pi, library, seen));
  const watchProject = async (): Promise<void> => {
    const casts: SessionCasts = { seen, onContinued: (castId) => face?.leaveWaitingCast(castId) };
    if (current) stopWatching ??= await watchCastsOfProject({ pi, ctx: current }, casts);
  };

  pi.registerCommand("materia", {
    description: "Run repeatable agent work as graphs; /materia help lists the commands",
    // [X13] Pi ends if this rejects, as it would after an update of the package: its files are no longer there.
    getArgumentCompletions: (typed) =>
      import("./completion.ts").then((module) => module.completeCommand(typed, current)).catch(() => null),
    handler: async (text, ctx) => {
      await (await open()).performCommand(text, ctx);
      await watchProject();
    },
  });

  registerKeys(pi, open);
  registerCards(pi);

  pi.on("session_start", async (_event, ctx) => {
    current = ctx;
    resetCards();
    if (areSettingsChanged(ctx.sessionManager.getBranch()))
      await (await import("./session/turn-settings.ts")).restoreSettings(pi, ctx);
    await watchProject();
  });
  const unlessStaying = async (ctx: ExtensionContext) => (await face?.confirmLeave(ctx)) === false && { cancel: true };
  pi.on("session_before_switch", async (_event, ctx) => (await unlessStaying(ctx)) || undefined);
  pi.on("session_before_fork", async (_event, ctx) => (await unlessStaying(ctx)) || undefined);
  pi.on("session_shutdown", async (_event, ctx) => {
    stopWatching?.();
    if (!face) return;
    await face.shutDown(ctx);
    saveSessionFile(ctx.sessionManager);
  });
  pi.on("input", async (event, ctx) => {
    await watchProject();
    // [YD13] The tool is offered from the first message on that names it.
    if (event.source !== "extension" && MENTION.test(event.text)) (await open()).offerTool();
    return face?.onInput(event, ctx);
  });
  pi.on("context", ({ messages }) =>
    !face?.hasVisibleTurn() && hasCastMessages(messages)
      ? { messages: keepLastResults(withoutCastTurns(messages)) }
      : undefined,
  );
}

/** [X60, YI6] Without our folder here and without an inbox there is nothing to watch. */
async function watchCastsOfProject(user: UserSession, casts: SessionCasts): Promise<(() => void) | undefined> {
  const { ctx } = user;
  const cwd = runUnlessReplaced(() => (ctx.hasUI ? ctx.cwd : undefined));
  if (cwd === undefined) return undefined;
  const inbox = join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "pi", "pi-materia", "inbox");
  if (!existsSync(join(cwd, ".pi")) && !existsSync(inbox)) return undefined;
  return (await import("./casts/other-casts.ts")).watchProjectCasts(user, casts);
}

function registerKeys(pi: ExtensionAPI, open: () => Promise<ExtensionHandlers>): void {
  pi.registerShortcut(CONVERSATIONS_KEY, {
    description: "Show what the agents of a materia cast say and do",
    handler: async (ctx) => (await open()).showConversations(ctx),
  });
  pi.registerShortcut(PATCH_KEY, {
    description: "Show the patch of the open materia card, or of the newest",
    handler: async (ctx) => {
      const place = shownCardPlace();
      if (place !== undefined) await (await open()).showPatch(place, ctx);
    },
  });
  pi.registerShortcut(NEXT_CARD_KEY, {
    description: "Open the cards of materia casts, one after the other, from the newest on",
    handler: (ctx) => {
      openNextCard();
      // Draws all of them again, as after Pi's own key.
      ctx.ui.setToolsExpanded(ctx.ui.getToolsExpanded());
    },
  });
}

function registerCards(pi: ExtensionAPI): void {
  for (const type of [VISIT_ENTRY, ANSWER_ENTRY])
    pi.registerEntryRenderer(type, ({ data }, { expanded }, theme) => drawCard(data, expanded, theme));
  for (const type of [RESULT_ENTRY, TURN_ENTRY])
    pi.registerMessageRenderer(type, ({ details }, { expanded }, theme) => drawCard(details, expanded, theme));
}
