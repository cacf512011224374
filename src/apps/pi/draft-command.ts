import type { DraftCommand } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { ok, type Issue, type Result } from "../../core/model/issue.ts";
import { withoutUndefined } from "../../core/model/json.ts";
import { countedText, oneLine, truncate } from "../../core/model/text.ts";
import { billLines } from "../../core/view/graph/bill.ts";
import { gridLines } from "../../core/view/graph/terminal-grid.ts";
import { line, plainText } from "../../core/view/line.ts";
import {
  draftData,
  draftLines,
  makeDraft,
  readDraftCommand,
  type DraftRequest,
  type FinishedDraft,
  checkDraftName,
  saveDraft,
} from "../../shell/commands/draft.ts";
import { agentSourceOf } from "../../shell/commands/prepare.ts";
import { createUserAgentHost } from "./agents/agent-host.ts";
import { createTurnControl } from "./agents/turn-control.ts";
import { askChoice, withEscape } from "./casts/cast-dialogs.ts";
import { startInProject, startFromCommand } from "./casts/start-cast.ts";
import type { CommandContext } from "./casts/session-state.ts";
import { deferDialogs, userOpenedDialogs } from "./session/dialogs.ts";
import { piTui } from "./session/user-session.ts";
import { resolveProject, trustProject, type SessionProject } from "./session/project.ts";
import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { issueLines } from "../../core/view/issues.ts";
import { activeBill } from "../../shell/commands/forecast.ts";
import { runCommand } from "../../shell/commands/run-command.ts";

/** [YD11] A draft in Pi: with a person the choices, without one it is only drafted and printed. */
export async function runDraftCommand(
  context: CommandContext,
  command: DraftCommand,
  options: Options,
): Promise<Result<unknown>> {
  const place = resolveProject(context.user.ctx, options);
  if (!place.ok) return place;
  const { workspace, from } = place.value;
  const asked = await readDraftCommand(workspace, command, { from }, from);
  if (!asked.ok) return asked;
  const { save } = command;
  const made = await draftInSession(context, place.value, { ...asked.value, options });
  if (!made.ok) return made;
  const draft = made.value;
  const saved = save === undefined ? ok(undefined) : saveIn(context, draft, save);
  if (!saved.ok) return saved;
  const { screen } = context;
  if (screen.isWatched && !options.json) return offerDraft({ context, place: place.value, draft, options, command });
  screen.showAnswer({ lines: draftLines(draft, screen.width()), data: draftData(draft), code: 0 });
  return ok(undefined);
}

/** Drafts with the model of the session. */
async function draftInSession(
  { user, screen }: CommandContext,
  { workspace }: SessionProject,
  { words, from, options, signal }: DraftWords,
): Promise<Result<FinishedDraft>> {
  const control = createTurnControl({ ask: () => Promise.resolve({ kind: "stop" }), onUnread: () => undefined });
  const agents = agentSourceOf({
    options,
    openReal: (choice, patience) => createUserAgentHost(user, { choice, patience, visible: undefined, control }),
  });
  screen.note(user.ctx.mode === "tui" ? "Drafting… Esc stops it" : "Drafting…");
  const onRound = (round: number, issues: readonly Issue[]): void =>
    screen.note(`Draft ${round}: ${countedText(issues.length, "problem")}, sent back to the agent`);
  const stop = new AbortController();
  const off = user.ctx.ui.onTerminalInput((data) => {
    if (!piTui().matchesKey(data, "escape")) return undefined;
    stop.abort();
    return { consume: true };
  });
  const either = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  return makeDraft(workspace, { words, from, agents, signal: either, onRound }).finally(off);
}

interface DraftWords extends Pick<DraftRequest, "words" | "from"> {
  readonly options: Options;
  readonly signal?: AbortSignal | undefined;
}

interface OfferedDraft {
  readonly context: CommandContext;
  readonly place: SessionProject;
  readonly draft: FinishedDraft;
  readonly options: Options;
  readonly command: Pick<DraftCommand, "words" | "cast">;
  /** The agent proposed it while the person may be typing. */
  readonly isUnasked?: true;
}

/** [YD11] Nothing is cast, saved or trusted without the choice of the person. Only *Discard* loses the draft. */
async function offerDraft(offer: OfferedDraft): Promise<Result<string>> {
  const { user, screen } = offer.context;
  const { draft, isUnasked } = offer;
  let dialogs: ReturnType<typeof deferDialogs> = isUnasked
    ? deferDialogs(user.ctx.ui, user.ctx.mode)
    : userOpenedDialogs(user.ctx);
  const bill = billLines(draft.bill);
  const drawn = gridLines(draft.graph, { width: screen.width() });
  screen.showAnswer({ lines: [...drawn, line(""), ...bill], data: draftData(draft), code: 0 });
  for (;;) {
    const choice = await askChoice(dialogs, withEscape(user.ctx, plainText(bill), "asks whether to keep it"), [
      ["Cast it", "cast"],
      ["Open in the page", "page"],
      ["Save as…", "save"],
      ["Change it…", "change"],
      ["Discard", "discard"],
    ]);
    const isClosed = choice === undefined && user.ctx.mode === "tui";
    if (isClosed && (await dialogs.confirm("Keep the draft?", "No discards it."))) continue;
    if (choice === undefined || choice === "discard") return ok("The person discarded the draft.");
    dialogs = userOpenedDialogs(user.ctx);
    const done = await performChoice(offer, choice);
    if (done?.ok) return done;
    if (done) screen.refuse(done.issues);
  }
}

/** What came of a choice; undefined if the person went back. */
async function performChoice(offer: OfferedDraft, choice: "cast" | "page" | "save" | "change") {
  const { context, place, draft, options, command } = offer;
  const dialogs = userOpenedDialogs(context.user.ctx);
  // An empty answer is the one that is offered; a closed dialog is none.
  const ask = async (title: string, offered: string): Promise<string | undefined> => {
    const said = await dialogs.input(`${title}\nEnter takes: ${oneLine(offered, MAX_REQUEST)}`, offered);
    return said?.trim() === "" ? offered : said?.trim();
  };
  switch (choice) {
    case "cast": {
      const request = command.cast ?? (await ask("The request of this cast", command.words));
      return request === undefined ? undefined : castDraft(offer, request);
    }
    case "page": {
      const { startUiProcess } = await import("./ui-process.ts");
      const opened = await startUiProcess(context, { kind: "ui", open: true }, { draft });
      return opened.ok ? ok("The person opened the draft in the page.") : opened;
    }
    case "save": {
      const name = await ask("Save the loadout as", draft.name);
      if (name === undefined) return undefined;
      const named = checkDraftName(place.workspace, name, undefined);
      return named.ok ? saveIn(context, draft, name) : named;
    }
    case "change": {
      const words = (await dialogs.input("What should change?"))?.trim();
      if (!words) return undefined;
      const next = await draftInSession(context, place, { words, from: draft, options });
      return next.ok ? offerDraft({ context, place, draft: next.value, options, command }) : next;
    }
  }
}

async function castDraft({ context, place, draft, options }: OfferedDraft, prompt: string): Promise<Result<string>> {
  const trusted = await trustProject(context.user.ctx, place, options);
  if (!trusted.ok) return trusted;
  const workspace = { ...draft.workspace, trust: trusted.value.workspace.trust };
  const command = { kind: "cast" as const, prompt, literal: true as const, loadout: draft.name };
  const started = await startInProject(context, { ...trusted.value, workspace }, command, options);
  return started.ok ? ok(`The person cast the draft ${draft.name}.`) : started;
}

function saveIn({ screen }: CommandContext, draft: FinishedDraft, name: string): Result<string> {
  const saved = saveDraft(draft.workspace.place, draft, name);
  if (!saved.ok) return saved;
  const text = `Saved as ${name} in ${saved.value}`;
  screen.note(text);
  return ok(text);
}

const MAX_ANSWER = 4_000;
/** A person sees the whole request that they say yes to. */
const MAX_REQUEST = 1_000;
const ACTIONS = ["draft", "cast", "status", "show", "diff"] as const;

interface ToolCall {
  readonly action: (typeof ACTIONS)[number];
  readonly text?: string;
  readonly loadout?: string;
  readonly cast?: string;
}

/** [YD13] The one tool of Pi's own agent. A person decides about everything that it proposes. */
export function createMateriaTool(contextFor: (ctx: ExtensionContext) => CommandContext): ToolDefinition {
  return {
    name: MATERIA_TOOL,
    label: "Materia",
    description:
      "Propose repeatable agent work to the person, or look at it. draft: a new loadout from a description (text). cast: run an existing loadout on a request (text). The person sees the bill and decides. status, show, diff: read a cast.",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: [...ACTIONS] },
        text: { type: "string", description: "the description of a draft, or the request of a cast" },
        loadout: { type: "string", description: "for cast; the active one if unset" },
        cast: { type: "string", description: "the id of a cast; the newest if unset" },
      },
      required: ["action"],
    },
    execute: async (_id, params, signal, _onUpdate, ctx) => {
      const context = contextFor(ctx);
      const place = resolveProject(ctx, {});
      const said = place.ok ? await perform(context, place.value, params as ToolCall, signal) : place; // checked by Pi
      const text = said.ok ? said.value : plainText(issueLines(said.issues));
      return { content: [{ type: "text", text: truncate(text, MAX_ANSWER) }], details: {} };
    },
  };
}

const MATERIA_TOOL = "materia";

/** Once offered it stays: a tool that comes and goes would break the provider's cache. */
export function offerMateriaTool(pi: ExtensionAPI, create: () => ToolDefinition): void {
  const active = pi.getActiveTools();
  if (active.includes(MATERIA_TOOL)) return;
  pi.registerTool(create());
  pi.setActiveTools([...active, MATERIA_TOOL]);
}

async function perform(
  context: CommandContext,
  place: SessionProject,
  { action, text = "", loadout, cast }: ToolCall,
  signal: AbortSignal | undefined,
): Promise<Result<string>> {
  if (action === "draft") {
    const draft = await draftInSession(context, place, { words: text, options: {}, signal });
    if (!draft.ok) return draft;
    if (!context.screen.isWatched) return ok(plainText(draftLines(draft.value, MAX_WIDTH)));
    const words = oneLine(text, MAX_REQUEST);
    return offerDraft({ context, place, draft: draft.value, options: {}, command: { words }, isUnasked: true });
  }
  if (action === "cast") return proposeCast(context, place, text, loadout);
  const castId = cast === undefined ? {} : { castId: cast };
  const command = action === "diff" ? { kind: action, as: "patch" as const, ...castId } : { kind: action, ...castId };
  const answered = await runCommand(command, place.workspace, place.from);
  return answered.ok ? ok(plainText(answered.value.lines(MAX_WIDTH))) : answered;
}

const MAX_WIDTH = 120;

/** [YD13] The person sees the bill and says yes; without a person nothing is cast. */
async function proposeCast(
  context: CommandContext,
  { workspace }: SessionProject,
  request: string,
  loadout: string | undefined,
): Promise<Result<string>> {
  const bill = await activeBill(workspace, withoutUndefined({ loadout }));
  if (!bill || request.trim() === "" || request.length > MAX_REQUEST)
    return ok(`A cast needs a sound loadout that exists, and a request of at most ${MAX_REQUEST} characters in text.`);
  const shown = plainText(billLines(bill));
  if (!context.screen.isWatched) return ok(`Nobody can be asked here, so nothing was cast.\n${shown}`);
  // One line behind the bill: no request can look like a bill, or push the real one out of sight.
  const asked = `${shown}\n\nRequest: ${oneLine(request, MAX_REQUEST)}`;
  const { ctx } = context.user;
  const yes = await deferDialogs(ctx.ui, ctx.mode).confirm(`Cast ${oneLine(bill.loadout, 100)}?`, asked);
  if (!yes) return ok("The person said no. Nothing was cast.");
  const command = { kind: "cast" as const, prompt: request, literal: true as const, loadout: bill.loadout };
  const started = await startFromCommand(context, command, {});
  return started.ok ? ok("The person said yes, and the cast has started.") : started;
}
