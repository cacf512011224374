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
  const { name, result, failed, inRow = 1 } = tool;
  const changes = toolChangesOf(tool);
  const said = result ?? tool.partialResult ?? "";
  const isTalking = result === null && said !== "";
  const follow = isTalking ? scrollToEnd : undefined;
  return (
    <details className={css(`tool ${failed ? "tool-failed" : ""}`)} open={failed || isTalking}>
      <summary>
        <span className={css("tool-name")}>{name}</span>
        <span className={css("cut grow")}>{mainArgumentOf(tool)}</span>
        <span className={css(failed || inRow > 1 ? "tool-bad" : "faint")}>
          {`${inRow > 1 ? `${inRow} times in a row · ` : ""}${resultText(tool, changes)}`}
        </span>
      </summary>
      {changes.length === 0 && <pre tabIndex={0}>{argumentsText(tool.args)}</pre>}
      {changes.map(({ oldText, newText }, index) => (
        // The index is the key: an edit may repeat.
        <div key={index} className={css("tool-diff")}>
          <TextDiff before={oldText} after={newText} label={`What ${name} changed`} />
        </div>
      ))}
      {said !== "" && (
        <pre tabIndex={0} ref={follow}>
          {said}
        </pre>
      )}
    </details>
  );
}

function resultText({ result, failed }: ToolCallBlock, changes: ToolChanges): string {
  if (result === null) return failed ? "no answer" : "running";
  if (failed) return "failed";
  if (changes.length > 0) return lineCountsText(changes);
  return result === "" ? "done" : countedText(result.trimEnd().split("\n").length, "line");
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

const TextReplacement = v.object({ oldText: v.string(), newText: v.string() });
const EditArguments = v.union([
  v.pipe(
    v.object({ edits: v.array(TextReplacement) }),
    v.transform(({ edits }) => edits),
  ),
  v.pipe(
    TextReplacement,
    v.transform((one) => [one]),
  ),
]);
const WriteArguments = v.pipe(
  v.object({ path: v.string(), content: v.string() }),
  v.transform(({ content }) => [{ oldText: "", newText: content }]),
);
type ToolChanges = v.InferOutput<typeof EditArguments>;

/** A longer text is shown without a comparison. */
const MAX_COMPARED_CHARS = 100_000;

/** [W34] The replacements of an `edit` or `write` call; none for other calls. */
function toolChangesOf({ name, args }: ToolCallBlock): ToolChanges {
  if (name !== "edit" && name !== "write") return [];
  const read = v.safeParse(name === "edit" ? EditArguments : WriteArguments, args);
  const changes = read.success ? read.output : [];
  return changes.every(({ oldText, newText }) => oldText.length + newText.length <= MAX_COMPARED_CHARS) ? changes : [];
}

/** `+3 −1`. */
function lineCountsText(changes: ToolChanges): string {
  const lines = changes
    .flatMap(({ oldText, newText }) => diffLines(oldText, newText))
    .filter(({ text, kind }) => kind === "new" || text !== "");
  const count = (kind: "new" | "gone"): number => lines.filter((line) => line.kind === kind).length;
  return `+${count("new")} −${count("gone")}`;
}
