import type { Command } from "../../../core/command/command.ts";
import { askedPersonMateria } from "../../../core/cast/question.ts";
import { sanitizeForTerminal, oneLine } from "../../../core/model/values/text.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { mayBeCastName, findOwnCast } from "../../../shell/casting/workspace/named-cast.ts";
import type { Workspace } from "../../../shell/casting/workspace/workspace.ts";
import { markdownLine } from "../cards/card.ts";
import { askReplyDecision, workItemListIn, type ReplyDecision } from "../input/plan-dialog.ts";
import type { CommandContext } from "./state.ts";

/** An answer that a cast waits with, and what the person made of it. */
export interface ReplyReview {
  readonly castId: CastId;
  readonly decision: ReplyDecision;
}

/**
 * [X38] A bare `continue` shows the whole of what it would approve, and asks. Nothing where it is not bare, where no agent
 * waits, or where a client of the RPC mode has just been shown it.
 */
export async function reviewReply(
  { user, screen, state }: CommandContext,
  { text, reject }: Extract<Command, { kind: "continue" }>,
  workspace: Workspace,
): Promise<ReplyReview | undefined> {
  if (!screen.isWatched || reject) return undefined;
  const castId = await castOfBareContinue(workspace, text.trim(), state.waiting?.castId);
  if (castId === undefined || (user.ctx.mode !== "tui" && castId === state.waiting?.castId)) return undefined;
  const cast = await workspace.store.load(castId);
  if (!cast.ok || askedPersonMateria(cast.value.state)) return undefined;
  const { phase } = cast.value.state;
  if (phase.kind !== "waiting") return undefined;
  const drawn = [markdownLine(replyMarkdown(phase.reply))];
  screen.showAnswer({ lines: replyLines(phase.reply), drawn, data: null, code: 4 });
  return { castId, decision: await askReplyDecision(user.ctx, phase.reply) };
}

async function castOfBareContinue(workspace: Workspace, text: string, waiting: CastId | undefined): Promise<CastId | undefined> {
  if (text === "" && waiting !== undefined) return waiting;
  if (/\s/.test(text) || (text !== "" && !(await mayBeCastName(workspace.store, text)))) return undefined;
  const wanted = { matches: ({ status }: { readonly status: string }) => status === "waiting", noneMessage: "" };
  const id = await findOwnCast(workspace, text === "" ? undefined : text, wanted);
  return id.ok ? id.value : undefined;
}

/** A list as a list, anything else as it was said. */
function replyLines(reply: string): readonly Line[] {
  const plan = workItemListIn(reply);
  if (!plan) return indentedLines(reply, "");
  const context = plan.object["context"];
  return [
    ...(typeof context === "string" && context.trim() !== "" ? [...indentedLines(context, ""), []] : []),
    ...plan.items.flatMap((item, index) => [
      line(toned("accent", `${index + 1}. `), toned("strong", sanitizeForTerminal(item.title))),
      ...(item.context.trim() === "" ? [] : indentedLines(item.context, "   ")),
    ]),
  ];
}

/** The same as Markdown, which is what agents write. */
function replyMarkdown(reply: string): string {
  const plan = workItemListIn(reply);
  if (!plan) return reply;
  const context = plan.object["context"];
  const items = plan.items.map(({ title, context: about }, index) => {
    const number = `${index + 1}. `;
    const below = about.trim().replaceAll("\n", `\n${" ".repeat(number.length)}`);
    return `${number}**${oneLine(title, 300)}**${below === "" ? "" : `\n\n${" ".repeat(number.length)}${below}`}`;
  });
  return [...(typeof context === "string" && context.trim() !== "" ? [context] : []), items.join("\n")].join("\n\n");
}

function indentedLines(text: string, indent: string): readonly Line[] {
  return sanitizeForTerminal(text.trim())
    .split("\n")
    .map((each) => line(indent, each));
}
