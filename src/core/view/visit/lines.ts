import { oneLine } from "../../model/values/text.ts";
import { amountText, costText, countedText } from "../numbers.ts";
import { cutColumns } from "../text/columns.ts";
import { fitLine, line, toned, type Line } from "../text/line.ts";
import { FULL_DETAIL, textLines } from "../tell/handed.ts";
import { firstArgumentText, modelText, toolCallsOf, type ToolCall, type VisitDetail } from "./detail.ts";

/** [C39] The tools of a visit in one line: `tools: read ×3, write, bash failed`. */
export function toolSummaryLine(detail: Pick<VisitDetail, "replies">): readonly Line[] {
  const counts = new Map<string, number>();
  for (const { name, failed } of toolCallsOf(detail)) {
    const key = `${oneLine(name, 40)}${failed === true ? " failed" : ""}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const told = [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
  return [line(toned("dim", "tools: "), told.join(", "))];
}

const SAID_LINES = 6;

/** Each call with what it was told and how it ended; what a failed one said stands below it. */
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

const FAILED_CALL_DETAIL = { titles: 0, lines: SAID_LINES, read: 4_000 };

/** [C39] Everything that a visit was told, did and said; `told` is what came of it. */
export function visitDetailLines(detail: VisitDetail, told: readonly Line[], width: number): readonly Line[] {
  const { model, usage, replies, prompt, stdout, stderr } = detail;
  const used = `${amountText(usage.input)} tokens in, ${amountText(usage.output)} out, ${costText(usage.cost)}`;
  return [
    ...told.slice(0, 1),
    ...(model === null ? [] : [line(toned("dim", "Model   "), oneLine(modelText(model), 200))]),
    ...(replies.length === 0
      ? []
      : [line(toned("dim", "Turns   "), `${countedText(replies.length, "turn")}, ${used}`)]),
    ...section(model === null && replies.length === 0 ? "Input" : "Prompt", prompt, width),
    ...replies.flatMap(({ tools, text }, index) => [
      ...(tools.length === 0 ? [] : [[], line(toned("strong", `Tool calls${turnSuffix(index, replies.length)}`))]),
      ...toolCallLines(tools, width - 2).map((each) => line("  ", ...each)),
      ...section(`Reply${turnSuffix(index, replies.length)}`, text, width),
    ]),
    ...section("Printed", stdout, width),
    ...section("Printed as errors", stderr === "" ? null : stderr, width),
    [],
    line(toned("strong", "What came of it")),
    ...told.slice(1),
  ].map((each) => fitLine(each, width));
}

function turnSuffix(index: number, of: number): string {
  return of === 1 ? "" : ` ${index + 1} of ${of}`;
}

function section(title: string, text: string | null, width: number): readonly Line[] {
  if (text === null) return [];
  const lines = textLines(text, text.length, width - 2, FULL_DETAIL).map((each) => line(toned("dim", "│ "), ...each));
  return [[], line(toned("strong", title)), ...lines];
}
