import { oneLine, countedText } from "../../model/text.ts";
import { amountText, costText } from "../numbers.ts";
import { cutColumns, fitLine, line, toned, type Line } from "../line.ts";
import { FULL_DETAIL, textLines } from "./handoff-lines.ts";
import type { SocketId } from "../../model/ids.ts";
import type { Usage } from "../../cast/state/usage.ts";
import type { ReplyWithTools, ToolCall } from "../../cast/transcript.ts";

/** [C39] The tools of a visit in one line: `tools: read ×3, write, bash failed`. */
export function toolSummaryLine(detail: Pick<VisitDetail, "replies">): readonly Line[] {
  const counts = new Map<string, number>();
  for (const { name, failed } of toolCallsOf(detail)) {
    const key = `${oneLine(name, 40)}${failed === null ? " without answer" : failed ? " failed" : ""}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const tools = [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
  return [line(toned("dim", "tools: "), tools.join(", "))];
}

/** Each call with its argument and its outcome; the output of a failed call follows it. */
export function toolCallLines(tools: readonly ToolCall[], width: number): readonly Line[] {
  return tools.flatMap((call, index) => {
    const outcome = call.failed === null ? "no answer" : call.failed ? "failed" : "ok";
    const head = line(
      toned("dim", `${index + 1}. `),
      toned("strong", oneLine(call.name, 40)),
      toned(call.failed === false ? "ok" : "bad", `  ${outcome}  `),
      cutColumns(oneLine(firstArgumentText(call), 400), Math.max(10, width - 30)),
    );
    const said = call.failed === false ? [] : textLines(call.said, call.said.length, width - 3, FAILED_CALL_DETAIL);
    return [fitLine(head, width), ...(call.said === "" ? [] : said).map((each) => line("   ", ...each))];
  });
}

const FAILED_CALL_DETAIL = { titles: 0, lines: 6, read: 4_000 };

/** [C48] The prompt, the tool calls and the replies of a visit, then the lines of its story. */
export function visitDetailLines(detail: VisitDetail, story: readonly Line[], width: number): readonly Line[] {
  const { model, replies } = detail;
  return [
    ...story.slice(0, 1),
    ...(model === null ? [] : [line(toned("dim", "Model   "), oneLine(modelText(model), 200))]),
    ...(replies.length === 0 ? [] : [line(toned("dim", "Turns   "), turnsText(detail))]),
    ...visitSections(detail).flatMap((part) => [
      [],
      line(toned("strong", part.title)),
      ...("tools" in part
        ? toolCallLines(part.tools, width - 2).map((each) => line("  ", ...each))
        : quotedTextLines(part.text, width)),
    ]),
    [],
    line(toned("strong", "What came of it")),
    ...story.slice(1),
  ].map((each) => fitLine(each, width));
}

export function quotedTextLines(text: string, width: number): readonly Line[] {
  return textLines(text, text.length, width - 2, FULL_DETAIL).map((each) => line(toned("dim", "│ "), ...each));
}

/** `2 turns, 1.2 k tokens in, 300 out, $0.03`. */
export function turnsText({ replies, usage }: VisitDetail): string {
  const used = `${amountText(usage.input)} tokens in, ${amountText(usage.output)} out, ${costText(usage.cost)}`;
  return `${countedText(replies.length, "turn")}, ${used}${usage.estimated ? ", estimated" : ""}`;
}

type VisitSection =
  | { readonly title: string; readonly text: string }
  | { readonly title: string; readonly tools: readonly ToolCall[] };

export function visitSections({ model, replies, prompt, stdout, stderr }: VisitDetail): readonly VisitSection[] {
  const part = (title: string, text: string | null): readonly VisitSection[] =>
    text === null ? [] : [{ title, text }];
  return [
    ...part(model === null && replies.length === 0 ? "Input" : "Prompt", prompt),
    ...replies.flatMap(({ tools, text }, index) => {
      const turn = replies.length === 1 ? "" : ` ${index + 1} of ${replies.length}`;
      return [...(tools.length === 0 ? [] : [{ title: `Tool calls${turn}`, tools }]), ...part(`Reply${turn}`, text)];
    }),
    ...part("Printed", stdout),
    ...part("Printed as errors", stderr === "" ? null : stderr),
  ];
}

/** [C48] The artifacts of a visit. */
export interface VisitDetail {
  readonly socket: SocketId;
  readonly visit: number;
  /** The model, as `provider/id`; null unless an agent answered. */
  readonly model: string | null;
  readonly usage: Usage;
  readonly replies: readonly ReplyWithTools[];
  /** The prompt of the agent or the input of the program; null if it was not stored. */
  readonly prompt: string | null;
  readonly stdout: string | null;
  readonly stderr: string | null;
}

export function toolCallsOf({ replies }: Pick<VisitDetail, "replies">): readonly ToolCall[] {
  return replies.flatMap(({ tools }) => tools);
}

/** The first argument of a tool call: a path, a command, a pattern. */
export function firstArgumentText({ arguments: given }: ToolCall): string {
  if (typeof given !== "object" || given === null) return "";
  const values = Object.values(given).filter((value) => typeof value === "string" || typeof value === "number");
  return values.length === 0 ? "" : String(values[0]);
}

/** The arguments of a running call: the first one if it is a text, otherwise all. */
export function liveArgumentText(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const [first] = Object.values(args);
  return typeof first === "string" ? first : JSON.stringify(args);
}

/** `a/b`, or each model with its materia if there are several. */
export function modelsText(asked: readonly { readonly materia: string; readonly model: string }[]): string {
  const models = new Map<string, Set<string>>();
  for (const { materia, model } of asked) models.set(model, (models.get(model) ?? new Set()).add(materia));
  if (models.size <= 1) return [...models.keys()].map(modelText).join("");
  return [...models].map(([model, materia]) => `${modelText(model)} (${[...materia].join(", ")})`).join(", ");
}

const REHEARSAL = "rehearsal/";

export function modelText(model: string): string {
  return model.startsWith(REHEARSAL) ? "none, the replies come from a file" : model;
}
