import type { CommandOf } from "../../core/command/command.ts";
import { failWith } from "../../core/model/issue.ts";
import { countedText } from "../../core/model/text.ts";
import { otlpTraces, type TraceSpan } from "../../core/telemetry/span.ts";
import { amountText, durationText } from "../../core/view/numbers.ts";
import { fitLine, line, toned, type Line } from "../../core/view/line.ts";
import { sendSpans, readCastSpans, spanOptions } from "../casting/telemetry.ts";
import { VERSION } from "../system/package.ts";
import { loadNamedCast, type Workspace } from "../workspace/workspace.ts";
import { telemetryTarget } from "../workspace/telemetry-target.ts";
import { answer, type CommandResult } from "./command-output.ts";

/** [TM1] The spans of a cast: sent to a collector with --otlp, as OTLP/JSON with --json, otherwise as a tree. */
export async function runExport(workspace: Workspace, command: CommandOf<"export">): CommandResult {
  const { store, catalog, place } = workspace;
  const target = telemetryTarget(catalog, place.env, command.url);
  if (!target.ok) return target;
  if (command.sends && !target.value)
    return failWith("missing_option", "--otlp", "no collector is named", 'name one, or set "telemetry" in your file');
  const cast = await loadNamedCast(store, command.castId);
  if (!cast.ok) return cast;
  const { castId } = cast.value;
  const spans = await readCastSpans(store, castId, spanOptions(catalog.telemetry?.contents === true));
  if (!spans.ok) return spans;
  if (!command.sends || !target.value)
    return answer(otlpTraces(spans.value, VERSION), (width) => spanTreeLines(spans.value, width));
  const { collector } = target.value;
  const taken = await sendSpans(collector, spans.value, { version: VERSION });
  if (!taken.ok) return taken;
  const { sent, rejected } = taken.value;
  const refused = rejected === 0 ? "" : `; the collector refused ${rejected}`;
  const text = `Sent ${countedText(sent, "span")} of ${castId} to ${new URL(collector.url).host}${refused}`;
  const traceId = spans.value[0]?.traceId ?? null;
  return answer({ castId, traceId, sent, rejected }, () => [line(text)], { code: rejected === 0 ? 0 : 1 });
}

/** Each span below its parent, in the order of their starts, with its duration and its tokens. */
function spanTreeLines(spans: readonly TraceSpan[], width: number): readonly Line[] {
  const byParent = Map.groupBy(spans, ({ parentSpanId = "" }) => parentSpanId);
  const spanIds = new Set(spans.map(({ spanId }) => spanId));
  const write = (span: TraceSpan, depth: number): readonly Line[] => {
    const { name, startMs, endMs, attributes, failed } = span;
    const { "materia.item": item, "materia.tokens": tokens, "gen_ai.usage.input_tokens": input } = attributes;
    const ms = endMs - startMs;
    const facts = [
      ms < 10_000 ? `${ms} ms` : durationText(ms),
      ...(typeof item === "string" ? [item] : []),
      ...(typeof tokens === "number" ? [`${amountText(tokens)} tokens`] : []),
      ...(typeof input === "number" ? [`${amountText(input)} tokens in`] : []),
    ].join(" · ");
    const title = toned(failed === undefined ? "strong" : "bad", name);
    const head = line(" ".repeat(depth * 2), title, toned("dim", `  ${facts}`));
    const below = (byParent.get(span.spanId) ?? []).toSorted((a, b) => a.startMs - b.startMs);
    return [fitLine(head, width), ...below.flatMap((each) => write(each, depth + 1))];
  };
  return spans
    .filter(({ parentSpanId }) => parentSpanId === undefined || !spanIds.has(parentSpanId))
    .flatMap((span) => write(span, 0));
}
