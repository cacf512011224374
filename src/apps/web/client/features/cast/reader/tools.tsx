import type { ReactElement } from "react";
import { countedText } from "../../../../../../core/view/numbers.ts";
import { aboutTool } from "../state/blocks.ts";
import type { Block, ToolBlock } from "../state/blocks.ts";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import readerSheet from "./reader.module.css";

const css = classesOf(readerSheet, baseSheet);

export function ToolsTab({ blocks }: { readonly blocks: readonly Block[] }): ReactElement {
  const tools = blocks.filter((block) => block.kind === "tool");
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Tool calls">
      {tools.map((tool) => (
        <ToolCall key={tool.id} tool={tool} />
      ))}
      {tools.length === 0 && <p className={css("faint")}>No tool was called.</p>}
    </div>
  );
}

/** Folded until it is opened; what failed is opened at once. */
export function ToolCall({ tool }: { readonly tool: ToolBlock }): ReactElement {
  const { name, args, result, failed } = tool;
  const lines = result === null ? 0 : result.trimEnd().split("\n").length;
  return (
    <details className={css(`tool ${failed ? "tool-failed" : ""}`)} open={failed}>
      <summary>
        <span className={css("tool-name")}>{name}</span>
        <span className={css("cut grow")}>{aboutTool(tool)}</span>
        <span className={css(failed ? "tool-bad" : "faint")}>
          {result === null ? "running" : failed ? "failed" : result === "" ? "done" : countedText(lines, "line")}
        </span>
      </summary>
      <pre>{argsText(args)}</pre>
      {result !== null && result !== "" && <pre>{result}</pre>}
    </details>
  );
}

function argsText(args: unknown): string {
  if (typeof args !== "object" || args === null) return args === undefined ? "" : JSON.stringify(args);
  return Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
