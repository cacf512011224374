import type { ReactElement } from "react";
import { toolChangesOf, lineCountsText } from "../state/tool-changes.ts";
import { TextDiff } from "../../../dialogs/save/diff.tsx";
import { countedText } from "../../../../../../core/view/numbers.ts";
import { mainArgumentOf, type TranscriptBlock, type ToolCallBlock } from "../state/blocks.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import readerSheet from "./reader.module.css";

const css = bindClassNames(readerSheet, baseSheet);

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

/** Folded until it is opened; what failed is opened at once, and what runs as soon as it says something. */
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
        // The same text may be replaced twice.
        <div key={index} className={css("tool-diff")}>
          <TextDiff before={before} after={after} label={`What ${name} changed`} />
        </div>
      ))}
      {said !== "" && <pre ref={isTalking ? scrollToEnd : undefined}>{said}</pre>}
    </details>
  );
}

/** What is being said is followed at its end. */
function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}

function argumentsText(args: unknown): string {
  if (typeof args !== "object" || args === null) return args === undefined ? "" : JSON.stringify(args);
  return Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
