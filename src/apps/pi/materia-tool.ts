import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { ok, type Result } from "../../core/model/issue.ts";
import { truncate } from "../../core/model/text.ts";
import { billLines } from "../../core/view/graph/bill.ts";
import { issueLines } from "../../core/view/issues.ts";
import { plainText } from "../../core/view/line.ts";
import { activeBill } from "../../shell/commands/forecast.ts";
import { draftLines } from "../../shell/commands/draft.ts";
import { runCommand } from "../../shell/commands/run-command.ts";
import type { CommandContext } from "./casts/session-state.ts";
import { startFromCommand } from "./casts/start-cast.ts";
import { draftInSession, offerDraft } from "./draft-command.ts";
import { userOpenedDialogs } from "./session/dialogs.ts";
import { resolveProject, type SessionProject } from "./session/project.ts";

const MAX_ANSWER = 4_000;
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
    return offerDraft(context, place, { draft: draft.value, options: {}, command: { words: text } });
  }
  if (action === "cast") return proposeCast(context, place, { request: text, loadout });
  const castId = cast === undefined ? {} : { castId: cast };
  const answered = await runCommand(
    action === "diff" ? { kind: "diff", as: "patch", ...castId } : { kind: action, ...castId },
    place.workspace,
    place.from,
  );
  return answered.ok ? ok(plainText(answered.value.lines(MAX_WIDTH))) : answered;
}

const MAX_WIDTH = 120;

/** [YD13] The person sees the bill and says yes; without a person nothing is cast. */
async function proposeCast(
  context: CommandContext,
  { workspace }: SessionProject,
  { request, loadout }: { readonly request: string; readonly loadout: string | undefined },
): Promise<Result<string>> {
  const bill = await activeBill(workspace, loadout);
  if (!bill || request.trim() === "") return ok("A cast needs a sound loadout that exists, and a request in text.");
  const shown = plainText(billLines(bill));
  if (!context.screen.isWatched) return ok(`Nobody can be asked here, so nothing was cast.\n${shown}`);
  const yes = await userOpenedDialogs(context.user.ctx).confirm(`Cast ${bill.loadout}?`, `${request}\n\n${shown}`);
  if (!yes) return ok("The person said no. Nothing was cast.");
  const command = { kind: "cast" as const, prompt: request, literal: true as const, loadout: bill.loadout };
  const started = await startFromCommand(context, command, {});
  return started.ok ? ok("The person said yes, and the cast has started.") : started;
}
