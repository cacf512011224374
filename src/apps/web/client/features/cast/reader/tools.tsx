import type { ReactElement } from "react";
import { changesIn, countsText } from "../state/tool-changes.ts";
import { Diff } from "../../../dialogs/save/diff.tsx";
import { countedText } from "../../../../../../core/view/numbers.ts";
import { aboutTool, type TranscriptBlock, type ToolBlock } from "../state/blocks.ts";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import readerSheet from "./reader.module.css";

const css = classesOf(readerSheet, baseSheet);

export function ToolsTab({ blocks }: { readonly blocks: readonly TranscriptBlock[] }): ReactElement {
  const tools = blocks.filter((block) => block.kind === "tool");
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Tool calls">
      {tools.map((tool) => (
        <ToolView key={tool.id} tool={tool} />
      ))}
      {tools.length === 0 && <p className={css("faint")}>No tool was called.</p>}
    </div>
  );
}

/** Folded until it is opened; what failed is opened at once, and what runs as soon as it says something. */
export function ToolView({ tool }: { readonly tool: ToolBlock }): ReactElement {
  const { name, result, soFar, failed } = tool;
  const lines = result === null ? 0 : result.trimEnd().split("\n").length;
  const changes = changesIn(tool);
  const said = result ?? soFar ?? "";
  const isTalking = result === null && said !== "";
  return (
    <details className={css(`tool ${failed ? "tool-failed" : ""}`)} open={failed || isTalking}>
      <summary>
        <span className={css("tool-name")}>{name}</span>
        <span className={css("cut grow")}>{aboutTool(tool)}</span>
        <span className={css(failed ? "tool-bad" : "faint")}>
          {result === null
            ? "running"
            : failed
              ? "failed"
              : changes.length > 0
                ? countsText(changes)
                : result === ""
                  ? "done"
                  : countedText(lines, "line")}
        </span>
      </summary>
      {changes.length === 0 && <pre>{argsText(tool.args)}</pre>}
      {changes.map(({ before, after }, index) => (
        // The same text may be replaced twice.
        <div key={index} className={css("tool-diff")}>
          <Diff before={before} after={after} label={`What ${name} changed`} />
        </div>
      ))}
      {said !== "" && <pre ref={isTalking ? showEnd : undefined}>{said}</pre>}
    </details>
  );
}

/** What is being said is followed at its end. */
function showEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight;
}

function argsText(args: unknown): string {
  if (typeof args !== "object" || args === null) return args === undefined ? "" : JSON.stringify(args);
  return Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
