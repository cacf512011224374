import { askedPersonMateria } from "../../../core/cast/prompt-text.ts";
import type { CastState } from "../../../core/cast/state/state.ts";
import type { Options } from "../../../core/command/options.ts";
import { socketOf } from "../../../core/compile/graph.ts";
import { visitLabel } from "../../../core/view/graph/labels.ts";
import { line, toned, wrapLine, type Line } from "../../../core/view/line.ts";
import { oneLine } from "../../../core/model/text.ts";
import { openWidget } from "../screen/widget.ts";
import { askGate, withEscape } from "./cast-dialogs.ts";
import type { CommandContext } from "./session-state.ts";
import type { CommandOf } from "../../../core/command/command.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { mayBeCastName, findOwnCast, type Workspace } from "../../../shell/workspace/workspace.ts";
import { markdownLine } from "../screen/card.ts";
import { textLines, type CastResult } from "../screen/result-card.ts";
import { planMarkdown } from "../screen/visit-cards.ts";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { findObject } from "../../../core/handoff/find-object.ts";
import { isWorkItem } from "../../../core/model/handoff.ts";
import type { Resumption } from "../../../shell/casting/resume-cast.ts";
import { runDiff } from "../../../shell/commands/diff.ts";
import { userOpenedDialogs } from "../session/dialogs.ts";

interface WaitDetails {
  readonly state: CastState;
  /** Messages that the person typed while the agent was still answering. */
  readonly refinements: readonly string[];
  readonly result: CastResult;
  /** Whether the answer is in the user's session already. */
  readonly seen: boolean;
  readonly options: Options;
  readonly workspace: Workspace;
}

/** [X17] The cast waits for the person at this screen: their next message goes to its agent. */
export function waitForPerson(
  context: CommandContext,
  { state, refinements, result, seen, options, workspace }: WaitDetails,
): void {
  const { user, screen } = context;
  const isGate = askedPersonMateria(state) !== undefined;
  if (!seen && !isGate) screen.showAnswer({ lines: result.lines, data: null, code: 4 });
  const widget = openWidget(user.ctx, {
    lines: (width) => waitingLines(state, width, user.ctx.mode),
    status: () => "‖ materia waits for you",
  });
  context.state.waiting = {
    castId: state.castId,
    options,
    widget,
    ...(isGate ? { dialog: new AbortController() } : {}),
  };
  if (isGate) return askAtGate(context, workspace, state);
  const said = refinements.join("\n\n");
  if (said !== "") context.answer({ kind: "answer", text: said });
}

/** [Q8] A dialog asks; if it is postponed, a command asks again. */
function askAtGate(context: CommandContext, workspace: Workspace, state: CastState): void {
  const { signal } = context.state.waiting?.dialog ?? new AbortController();
  reviewGate(context, workspace, { state, isWanted: false, signal }).then(
    (said) => void (said && !signal.aborted && context.answer(said)),
    context.screen.noteFailure,
  );
}

interface ShownGate {
  readonly state: CastState;
  readonly isWanted: boolean;
  readonly signal: AbortSignal;
}

/** [X56] Shows question, request and change, and then asks. */
async function reviewGate(
  { user, screen }: CommandContext,
  workspace: Workspace,
  { state, isWanted, signal }: ShownGate,
): Promise<Exclude<Resumption, { kind: "recast" }> | undefined> {
  const { castId, request, phase } = state;
  const question = phase.kind === "waiting" ? phase.reply : "";
  const changed = await runDiff(workspace, { kind: "diff", castId, as: "stat" });
  const width = screen.width();
  const changes = changed.ok ? changed.value.lines(width) : changed.issues.map(({ message }) => line(message));
  const wanted = question.includes(request) ? [] : [line(toned("dim", "Request: "), oneLine(request, 300))];
  const about = [...wanted, line(toned("dim", "Change so far:")), ...changes];
  const drawn = [markdownLine(question), [], ...about];
  screen.showAnswer({ lines: [...textLines(question), [], ...about], drawn, data: null, code: 4 });
  const showChange = async (): Promise<void> => {
    const patch = await runDiff(workspace, { kind: "diff", castId, as: "patch" });
    if (patch.ok) screen.showAnswer({ lines: patch.value.lines(width), data: null, code: 0 });
    else screen.refuse(patch.issues);
  };
  return askGate(user.ctx, { question, isWanted, showChange: changed.ok ? showChange : undefined, signal });
}

export function stopWaiting({ state }: Pick<CommandContext, "state">): void {
  state.waiting?.dialog?.abort();
  state.waiting?.widget.close();
  delete state.waiting;
}

function waitingLines(state: CastState, width: number, mode: ExtensionContext["mode"]): readonly Line[] {
  const { phase, graph, castId } = state;
  const socket = phase.kind === "waiting" ? socketOf(graph, phase.visit.socket) : undefined;
  return [
    line(
      toned("wait", "‖ waiting for you"),
      "  ",
      toned("strong", socket ? visitLabel(socket.id, socket.materia) : ""),
      toned("dim", `  ${castId}`),
    ),
    ...wrapLine(askedPersonMateria(state) ? gateLine(mode) : AGENT_LINE, width),
  ];
}

const AGENT_LINE = line(
  "type to refine",
  toned("dim", " · "),
  toned("accent", "/materia continue"),
  toned("dim", " approves, refines or edits it · "),
  toned("accent", "/materia abort"),
  toned("dim", " stops it"),
);

function gateLine(mode: ExtensionContext["mode"]): Line {
  return line(
    toned("accent", "/materia continue"),
    toned("dim", mode === "tui" ? " asks you again · " : " says yes · "),
    toned("accent", "/materia continue --reject <reason>"),
    toned("dim", " says no · "),
    toned("accent", "/materia abort"),
    toned("dim", " stops it"),
  );
}

/** A reply that a cast waits with, and the person's decision. */
export interface ReplyReview {
  readonly castId: CastId;
  readonly decision: ReplyDecision;
}

/** [X38, X56] A `continue` without text shows what the cast waits with before it asks. Undefined if there is text, if no cast waits, or if an RPC client has just received it. */
export async function reviewReply(
  context: CommandContext,
  { text, reject }: CommandOf<"continue">,
  workspace: Workspace,
): Promise<ReplyReview | undefined> {
  const { user, screen, state } = context;
  if (!screen.isWatched || reject) return undefined;
  const castId = await castOfBareContinue(workspace, text.trim(), state.waiting?.castId);
  if (castId === undefined || (user.ctx.mode !== "tui" && castId === state.waiting?.castId)) return undefined;
  const cast = await workspace.store.load(castId);
  if (!cast.ok || cast.value.state.phase.kind !== "waiting") return undefined;
  const { reply } = cast.value.state.phase;
  if (askedPersonMateria(cast.value.state)) {
    // A dialog that still waits for an empty editor would open beside this one.
    state.waiting?.dialog?.abort();
    const asked = { state: cast.value.state, isWanted: true, signal: new AbortController().signal };
    return { castId, decision: await reviewGate(context, workspace, asked) };
  }
  const shown = replyMarkdown(reply);
  screen.showAnswer({ lines: textLines(shown), drawn: [markdownLine(shown)], data: null, code: 4 });
  return { castId, decision: await askReplyDecision(user.ctx, reply) };
}

async function castOfBareContinue(
  workspace: Workspace,
  text: string,
  waiting: CastId | undefined,
): Promise<CastId | undefined> {
  if (text === "" && waiting !== undefined) return waiting;
  if (/\s/.test(text) || (text !== "" && !(await mayBeCastName(workspace.store, text)))) return undefined;
  const wanted = { matches: ({ status }: { readonly status: string }) => status === "waiting", noneMessage: "" };
  const id = await findOwnCast(workspace, text === "" ? undefined : text, wanted);
  return id.ok ? id.value : undefined;
}

/** A list of work items as a list, anything else as it is. */
function replyMarkdown(reply: string): string {
  const plan = workItemListIn(reply);
  return plan ? planMarkdown(plan.object) : reply;
}

const APPROVE = "Approve: continue with it";
const REFINE = "Refine: say what should change";
const EDIT = "Edit it";
const ABORT = "Abort the cast";
const LATER = "Later";

/** The person's decision about a reply; undefined if they postpone it. */
export type ReplyDecision = Exclude<Resumption, { kind: "recast" }> | { readonly kind: "abort" } | undefined;

/** [X38] */
export async function askReplyDecision(ctx: ExtensionContext, reply: string): Promise<ReplyDecision> {
  const title = withEscape(ctx, "What do you decide?", "later");
  for (;;) {
    const chosen = await userOpenedDialogs(ctx).select(title, [APPROVE, REFINE, EDIT, ABORT, LATER]);
    if (chosen === APPROVE) return { kind: "finish" };
    if (chosen === ABORT) return { kind: "abort" };
    if (chosen !== REFINE && chosen !== EDIT) return undefined;
    const decision = chosen === REFINE ? await askRefinement(ctx) : await editReply(ctx, reply);
    if (decision) return decision;
  }
}

async function askRefinement(ctx: ExtensionContext): Promise<ReplyDecision> {
  const text = (await userOpenedDialogs(ctx).input("What should change?", ""))?.trim() ?? "";
  return text === "" ? undefined : { kind: "answer", text };
}

/** Only the list in the reply is edited; the text around it is left out. */
async function editReply({ ui }: ExtensionContext, reply: string): Promise<ReplyDecision> {
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

/** The plan in a reply, if it has one. */
function workItemListIn(reply: string) {
  const object = findObject(reply)?.object;
  const items = object?.["workItems"];
  return object && Array.isArray(items) && items.every(isWorkItem)
    ? { object: { ...object, workItems: items } }
    : undefined;
}
