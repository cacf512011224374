import { askedPersonMateria } from "../../../core/cast/prompt-text.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import type { Options } from "../../../core/command/options.ts";
import { socketOf } from "../../../core/compile/graph.ts";
import { visitLabel } from "../../../core/view/graph/labels.ts";
import { line, toned, wrapLine, type Line } from "../../../core/view/line.ts";
import { openWidget } from "../screen/widget.ts";
import { askGate, askText, askChoice, withEscape } from "./cast-dialogs.ts";
import type { CommandContext, PersonAnswer } from "./session-state.ts";
import type { CommandOf } from "../../../core/command/command.ts";
import type { CastId } from "../../../core/model/ids.ts";
import type { Workspace } from "../../../shell/workspace/workspace.ts";
import { markdownLine } from "../screen/card.ts";
import { textLines } from "../screen/result-card.ts";
import { replyMarkdown, workItemListIn } from "../screen/visit-cards.ts";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { castOfBareContinue, loadGateReview } from "../../../shell/commands/waiting-review.ts";
import { userOpenedDialogs } from "../session/dialogs.ts";

interface WaitDetails {
  readonly refinements: readonly string[];
  readonly lines: readonly Line[] | undefined;
  readonly options: Options;
  readonly workspace: Workspace;
}

/** [X17] The cast waits for the person at this screen: their next message goes to its agent. */
export function waitForPerson(
  context: CommandContext,
  state: CastState,
  { refinements, lines, options, workspace }: WaitDetails,
): void {
  const { user, screen } = context;
  const isGate = askedPersonMateria(state) !== undefined;
  if (lines && !isGate) screen.showAnswer({ lines, data: null, code: 4 });
  const widget = openWidget(user.ctx, {
    lines: (width) => waitingLines(state, width, user.ctx.mode),
    status: () => "‖ materia waits for you",
  });
  const dialog = new AbortController();
  context.state.waiting = { castId: state.castId, options, widget, ...(isGate ? { dialog } : {}) };
  if (isGate) {
    // [Q8] A dialog asks; if it is postponed, a command asks again.
    const asked = reviewGate(context, workspace, state, { isWanted: false, signal: dialog.signal });
    asked.then((answer) => void (answer && !dialog.signal.aborted && context.answer(answer)), screen.noteFailure);
    return;
  }
  const answer = refinements.join("\n\n");
  if (answer !== "") context.answer({ kind: "answer", text: answer });
}

/** [X56] Shows question, request and change, and then asks. */
async function reviewGate(
  { user, screen }: CommandContext,
  workspace: Workspace,
  state: CastState,
  { isWanted, signal }: { readonly isWanted: boolean; readonly signal: AbortSignal },
): Promise<PersonAnswer | undefined> {
  const width = screen.width();
  const { question, about, patch } = await loadGateReview(workspace, state, width);
  const drawn = [markdownLine(question), [], ...about];
  screen.showAnswer({ lines: [...textLines(question), [], ...about], drawn, data: null, code: 4 });
  const showChange = patch && (async () => screen.showAnswer({ lines: await patch(), data: null, code: 0 }));
  return askGate(user.ctx, { question, isWanted, showChange, signal });
}

export function stopWaiting({ state }: Pick<CommandContext, "state">): void {
  state.waiting?.dialog?.abort();
  state.waiting?.widget.close();
  delete state.waiting;
}

function waitingLines(state: CastState, width: number, mode: ExtensionContext["mode"]): readonly Line[] {
  const { phase, graph, castId } = state;
  const socket = phase.kind === "waiting" ? socketOf(graph, phase.visit.socket) : undefined;
  const name = toned("strong", socket ? visitLabel(socket.id, socket.materia) : "");
  const help = askedPersonMateria(state)
    ? [
        ...commandHelp("continue", mode === "tui" ? "asks you again · " : "says yes · "),
        ...commandHelp("continue --reject <reason>", "says no · "),
      ]
    : ["type to refine", toned("dim", " · "), ...commandHelp("continue", "approves, refines or edits it · ")];
  return [
    line(toned("wait", "‖ waiting for you"), "  ", name, toned("dim", `  ${castId}`)),
    ...wrapLine(line(...help, ...commandHelp("abort", "stops it")), width),
  ];
}

function commandHelp(command: string, does: string): Line {
  return [toned("accent", `/materia ${command}`), toned("dim", ` ${does}`)];
}

/** A reply that a cast waits with, and the person's decision; undefined if they postpone it. */
export interface ReplyReview {
  readonly castId: CastId;
  readonly decision: PersonAnswer | { readonly kind: "abort" } | undefined;
}

/** [X38, X56] A `continue` without text shows what the cast waits with before it asks. Undefined if there is text, if no cast waits, or if an RPC client has just received it. */
export async function reviewReply(
  context: CommandContext,
  command: CommandOf<"continue">,
  workspace: Workspace,
): Promise<ReplyReview | undefined> {
  const { user, screen, state } = context;
  if (!screen.isWatched) return undefined;
  const castId = await castOfBareContinue(workspace, command, state.waiting?.castId);
  if (castId === undefined || (user.ctx.mode !== "tui" && castId === state.waiting?.castId)) return undefined;
  const cast = await workspace.store.load(castId);
  if (!cast.ok || cast.value.state.phase.kind !== "waiting") return undefined;
  const { reply } = cast.value.state.phase;
  if (askedPersonMateria(cast.value.state)) {
    // A dialog that still waits for an empty editor would open beside this one.
    state.waiting?.dialog?.abort();
    const asked = { isWanted: true, signal: new AbortController().signal };
    return { castId, decision: await reviewGate(context, workspace, cast.value.state, asked) };
  }
  const shown = replyMarkdown(reply);
  screen.showAnswer({ lines: textLines(shown), drawn: [markdownLine(shown)], data: null, code: 4 });
  return { castId, decision: await askReplyDecision(user.ctx, reply) };
}

/** [X38] The person's decision about a reply. */
export async function askReplyDecision(ctx: ExtensionContext, reply: string): Promise<ReplyReview["decision"]> {
  const title = withEscape(ctx, "What do you decide?", "later");
  for (;;) {
    const kind = await askChoice(userOpenedDialogs(ctx), title, [
      ["Approve: continue with it", "finish"],
      ["Refine: say what should change", "answer"],
      ["Edit it", "edit"],
      ["Abort the cast", "abort"],
      ["Later", undefined],
    ]);
    if (kind === undefined) return undefined;
    if (kind === "finish" || kind === "abort") return { kind };
    const text = kind === "answer" ? await askText(ctx, "What should change?") : "";
    const decision = kind === "edit" ? await editReply(ctx, reply) : text !== "" && { kind, text };
    if (decision) return decision;
  }
}

async function editReply({ ui }: ExtensionContext, reply: string): Promise<PersonAnswer | undefined> {
  const plan = workItemListIn(reply);
  let text = plan ? JSON.stringify(plan.object, undefined, 2) : reply;
  for (let title = "Edit it, then save"; ;) {
    const changed = await ui.editor(title, text);
    if (changed === undefined || changed.trim() === "") return undefined;
    if (!plan || workItemListIn(changed)) return { kind: "finish", reply: changed };
    // A syntax error must not lose the person's edit.
    [title, text] = [NOT_A_LIST, changed];
  }
}

const NOT_A_LIST = "Not a list of work items yet: each needs a title and a context, in JSON. Edit it, then save";
