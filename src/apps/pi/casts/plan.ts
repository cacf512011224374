import type { Command } from "../../../core/command/command.ts";
import { personAsked } from "../../../core/cast/question.ts";
import { harmless, oneLine } from "../../../core/model/values/text.ts";
import { line, toned, type Line } from "../../../core/view/text/line.ts";
import type { CastId } from "../../../core/model/ids.ts";
import { mayNameCast, ownCastNamed } from "../../../shell/casting/workspace/named-cast.ts";
import type { Workspace } from "../../../shell/casting/workspace/workspace.ts";
import { markdownLine } from "../cards/card.ts";
import { askPlan, planIn, type PlanDecision } from "../input/plan-dialog.ts";
import type { CommandContext } from "./state.ts";

/** An answer that a cast waits with, and what the person made of it. */
export interface Reviewed {
  readonly castId: CastId;
  readonly decision: PlanDecision;
}

/**
 * [X38] A bare `continue` shows the whole of what it would approve, and asks. Nothing where it is not bare, where no agent
 * waits, or where a client of the RPC mode has just been shown it.
 */
export async function reviewPlan(
  { user, screen, state }: CommandContext,
  { text, reject }: Extract<Command, { kind: "continue" }>,
  workspace: Workspace,
): Promise<Reviewed | undefined> {
  if (!screen.live || reject) return undefined;
  const castId = await bareCast(workspace, text.trim(), state.waiting?.castId);
  if (castId === undefined || (user.ctx.mode !== "tui" && castId === state.waiting?.castId)) return undefined;
  const cast = await workspace.store.load(castId);
  if (!cast.ok || personAsked(cast.value.state)) return undefined;
  const { phase } = cast.value.state;
  if (phase.kind !== "waiting") return undefined;
  const drawn = [markdownLine(planText(phase.reply))];
  screen.answer({ lines: planLines(phase.reply), drawn, data: null, code: 4 });
  return { castId, decision: await askPlan(user.ctx, phase.reply) };
}

async function bareCast(workspace: Workspace, text: string, waiting: CastId | undefined): Promise<CastId | undefined> {
  if (text === "" && waiting !== undefined) return waiting;
  if (/\s/.test(text) || (text !== "" && !(await mayNameCast(workspace.store, text)))) return undefined;
  const wanted = { suits: ({ status }: { readonly status: string }) => status === "waiting", none: "" };
  const id = await ownCastNamed(workspace, text === "" ? undefined : text, wanted);
  return id.ok ? id.value : undefined;
}

/** A list as a list, anything else as it was said. */
function planLines(reply: string): readonly Line[] {
  const plan = planIn(reply);
  if (!plan) return textLines(reply, "");
  const context = plan.object["context"];
  return [
    ...(typeof context === "string" && context.trim() !== "" ? [...textLines(context, ""), []] : []),
    ...plan.items.flatMap((item, index) => [
      line(toned("accent", `${index + 1}. `), toned("strong", harmless(item.title))),
      ...(item.context.trim() === "" ? [] : textLines(item.context, "   ")),
    ]),
  ];
}

/** The same as Markdown, which is what agents write. */
function planText(reply: string): string {
  const plan = planIn(reply);
  if (!plan) return reply;
  const context = plan.object["context"];
  const items = plan.items.map(({ title, context: about }, index) => {
    const number = `${index + 1}. `;
    const below = about.trim().replaceAll("\n", `\n${" ".repeat(number.length)}`);
    return `${number}**${oneLine(title, 300)}**${below === "" ? "" : `\n\n${" ".repeat(number.length)}${below}`}`;
  });
  return [...(typeof context === "string" && context.trim() !== "" ? [context] : []), items.join("\n")].join("\n\n");
}

function textLines(text: string, indent: string): readonly Line[] {
  return harmless(text.trim())
    .split("\n")
    .map((each) => line(indent, each));
}
