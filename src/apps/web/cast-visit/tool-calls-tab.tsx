import type { ReactElement } from "react";
import { TextDiff } from "../dialogs/diff.tsx";
import { mainArgumentOf, type TranscriptBlock, type ToolCallBlock } from "../cast-replay/transcript.ts";
import { bindSheets } from "../ui/classes.ts";
import readerSheet from "./visit.module.css";
import * as v from "valibot";
import { diffLines } from "../../../core/model/diff.ts";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(readerSheet);

export function ToolCallsTab({ blocks }: { readonly blocks: readonly TranscriptBlock[] }): ReactElement {
  const tools = blocks.filter((block) => block.kind === "tool");
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Tool calls">
      {tools.map((tool) => (
        <ToolCallView key={tool.id} tool={tool} />
      ))}
      {tools.length === 0 && <p className={css("faint")}>No tool was called.</p>}
    </div>
  );
}

/** Folded; opens by itself after a failure or the first output. */
export function ToolCallView({ tool }: { readonly tool: ToolCallBlock }): ReactElement {
  const { name, result, partialResult: soFar, failed } = tool;
  const lines = result === null ? 0 : result.trimEnd().split("\n").length;
  const changes = toolChangesOf(tool);
  const said = result ?? soFar ?? "";
  const isTalking = result === null && said !== "";
  return (
    <details className={css(`tool ${failed ? "tool-failed" : ""}`)} open={failed || isTalking}>
      <summary>
        <span className={css("tool-name")}>{name}</span>
        <span className={css("cut grow")}>{mainArgumentOf(tool)}</span>
        <span className={css(failed ? "tool-bad" : "faint")}>
          {result === null
            ? "running"
            : failed
              ? "failed"
              : changes.length > 0
                ? lineCountsText(changes)
                : result === ""
                  ? "done"
                  : countedText(lines, "line")}
        </span>
      </summary>
      {changes.length === 0 && <pre>{argumentsText(tool.args)}</pre>}
      {changes.map(({ before, after }, index) => (
        // The index is the key: an edit may repeat.
        <div key={index} className={css("tool-diff")}>
          <TextDiff before={before} after={after} label={`What ${name} changed`} />
        </div>
      ))}
      {said !== "" && <pre ref={isTalking ? scrollToEnd : undefined}>{said}</pre>}
    </details>
  );
}

/** Keep the end of growing output visible. */
function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}

function argumentsText(args: unknown): string {
  if (typeof args !== "object" || args === null) return args === undefined ? "" : JSON.stringify(args);
  return Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

export interface ToolChange {
  readonly before: string;
  readonly after: string;
}

const TextReplacement = v.object({ oldText: v.string(), newText: v.string() });
const EditArguments = v.union([
  v.object({ edits: v.array(TextReplacement) }),
  v.pipe(
    TextReplacement,
    v.transform((one) => ({ edits: [one] })),
  ),
]);
const WriteArguments = v.object({ path: v.string(), content: v.string() });

/** A longer text is shown without a comparison. */
const MAX_COMPARED_CHARS = 100_000;

/** [W34] The replacement of an `edit` or `write` call; undefined for other calls. */
function toolChangesOf({ name, args }: ToolCallBlock): readonly ToolChange[] {
  if (name === "edit") {
    const edited = v.safeParse(EditArguments, args);
    const changes = edited.success
      ? edited.output.edits.map(({ oldText, newText }) => ({ before: oldText, after: newText }))
      : [];
    return changes.every(({ before, after }) => before.length + after.length <= MAX_COMPARED_CHARS) ? changes : [];
  }
  if (name !== "write") return [];
  const written = v.safeParse(WriteArguments, args);
  return written.success && written.output.content.length <= MAX_COMPARED_CHARS
    ? [{ before: "", after: written.output.content }]
    : [];
}

/** `+3 −1`. */
function lineCountsText(changes: readonly ToolChange[]): string {
  const lines = changes
    .flatMap(({ before, after }) => diffLines(before, after))
    .filter(({ text, kind }) => kind === "new" || text !== "");
  const count = (kind: "new" | "gone"): number => lines.filter((line) => line.kind === kind).length;
  return `+${count("new")} −${count("gone")}`;
}
