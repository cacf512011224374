import { resolve } from "node:path";
import type { DraftCommand } from "../../core/command/command.ts";
import type { Options } from "../../core/command/options.ts";
import { ok, type Issue, type Result } from "../../core/model/issue.ts";
import { countedText } from "../../core/model/text.ts";
import { billLines } from "../../core/view/graph/bill.ts";
import { gridLines } from "../../core/view/graph/terminal-grid.ts";
import { line, plainText } from "../../core/view/line.ts";
import { readCommandText } from "../../shell/commands/command-text.ts";
import {
  draftData,
  draftLines,
  makeDraft,
  readDraftSource,
  type FinishedDraft,
  checkDraftName,
  saveDraft,
} from "../../shell/commands/draft.ts";
import { agentSourceOf } from "../../shell/commands/prepare.ts";
import { createUserAgentHost } from "./agents/agent-host.ts";
import { createTurnControl } from "./agents/turn-control.ts";
import { startInProject } from "./casts/start-cast.ts";
import type { CommandContext } from "./casts/session-state.ts";
import { userOpenedDialogs } from "./session/dialogs.ts";
import { resolveProject, trustProject, type SessionProject } from "./session/project.ts";

/** [YD11] A draft in Pi: with a person the choices, without one it is only drafted and printed. */
export async function runDraftCommand(
  context: CommandContext,
  command: DraftCommand,
  options: Options,
): Promise<Result<undefined>> {
  const place = resolveProject(context.user.ctx, options);
  if (!place.ok) return place;
  const words = await readCommandText(command.words, command.literal ? undefined : { from: context.user.ctx.cwd });
  if (!words.ok) return words;
  const { save, from } = command;
  const { workspace } = place.value;
  const source = from === undefined ? ok(undefined) : readDraftSource(workspace, from, resolve(place.value.from, from));
  if (!source.ok) return source;
  const named = save === undefined ? ok(undefined) : checkDraftName(workspace, save, source.value?.name);
  if (!named.ok) return named;
  const draft = await draftInSession(context, place.value, { words: words.value, from: source.value, options });
  if (!draft.ok) return draft;
  if (save !== undefined) {
    const saved = saveIn(context, draft.value, save);
    if (!saved.ok) return saved;
  }
  const { screen } = context;
  if (screen.isWatched && !options.json) {
    const decided = await offerDraft(context, place.value, { draft: draft.value, options, command });
    return decided.ok ? ok(undefined) : decided;
  }
  screen.showAnswer({ lines: draftLines(draft.value, screen.width()), data: draftData(draft.value), code: 0 });
  return ok(undefined);
}

/** Drafts with the model of the session. */
export async function draftInSession(
  { user, screen }: CommandContext,
  { workspace }: SessionProject,
  { words, from, options, signal }: DraftWords,
): Promise<Result<FinishedDraft>> {
  const stop = new AbortController();
  const control = createTurnControl({ ask: () => Promise.resolve({ kind: "stop" }), onUnread: () => undefined });
  const agents = agentSourceOf({
    options,
    openReal: (choice, patience) => createUserAgentHost(user, { choice, patience, visible: undefined, control }),
  });
  screen.note("Drafting…");
  const onRound = (round: number, issues: readonly Issue[]): void =>
    screen.note(`Draft ${round}: ${countedText(issues.length, "problem")}, sent back to the agent`);
  return makeDraft(workspace, { words, from, agents, signal: signal ?? stop.signal, onRound });
}

interface DraftWords {
  readonly words: string;
  readonly from?: FinishedDraft | { readonly name: string; readonly config: FinishedDraft["config"] } | undefined;
  readonly options: Options;
  readonly signal?: AbortSignal | undefined;
}

const [CAST, SAVE, CHANGE, DISCARD] = ["Cast it", "Save as…", "Change it…", "Discard"];
const NOTHING = "The person discarded the draft.";

/** [YD11] Nothing is cast, saved or trusted without the choice of the person. */
export async function offerDraft(
  context: CommandContext,
  place: SessionProject,
  {
    draft,
    options,
    command,
  }: {
    readonly draft: FinishedDraft;
    readonly options: Options;
    readonly command: Pick<DraftCommand, "words" | "cast">;
  },
): Promise<Result<string>> {
  const { user, screen } = context;
  const dialogs = userOpenedDialogs(user.ctx);
  const bill = billLines(draft.bill);
  screen.showAnswer({
    lines: [...gridLines(draft.graph, { width: screen.width() }), line(""), ...bill],
    data: draftData(draft),
    code: 0,
  });
  const chosen = await dialogs.select(
    plainText(bill),
    [CAST, SAVE, CHANGE, DISCARD].flatMap((each) => each ?? []),
  );
  if (chosen === CAST) {
    const request = command.cast ?? (await dialogs.input("The request of this cast", command.words));
    return request?.trim() ? castDraft(context, place, { draft, options, request }) : ok(NOTHING);
  }
  if (chosen === SAVE) {
    const name = (await dialogs.input("Save the loadout as", draft.name))?.trim();
    if (!name) return ok(NOTHING);
    const named = checkDraftName(place.workspace, name, undefined);
    return named.ok ? saveIn(context, draft, name) : named;
  }
  if (chosen !== CHANGE) return ok(NOTHING);
  const words = (await dialogs.input("What should change?"))?.trim();
  if (!words) return ok(NOTHING);
  const next = await draftInSession(context, place, { words, from: draft, options });
  return next.ok ? offerDraft(context, place, { draft: next.value, options, command }) : next;
}

async function castDraft(
  context: CommandContext,
  place: SessionProject,
  { draft, options, request }: { readonly draft: FinishedDraft; readonly options: Options; readonly request: string },
): Promise<Result<string>> {
  const trusted = await trustProject(context.user.ctx, place, options);
  if (!trusted.ok) return trusted;
  const workspace = { ...draft.workspace, trust: trusted.value.workspace.trust };
  const command = { kind: "cast" as const, prompt: request, literal: true as const, loadout: draft.name };
  const started = await startInProject(context, { ...trusted.value, workspace }, { command, options });
  return started.ok ? ok(`The person cast the draft ${draft.name}.`) : started;
}

function saveIn({ screen }: CommandContext, draft: FinishedDraft, name: string): Result<string> {
  const saved = saveDraft(draft.workspace.place, draft, name);
  if (!saved.ok) return saved;
  const text = `Saved as ${name} in ${saved.value}`;
  screen.note(text);
  return ok(text);
}
