import { useLayoutEffect, useRef, useState, type ReactElement } from "react";
import { Button } from "../../../parts/controls/button.tsx";
import { CopyButton } from "../../../parts/controls/copy.tsx";
import type { TranscriptBlock } from "../state/blocks.ts";
import { AgentText } from "./prose.tsx";
import type { VisitProps } from "./reader.tsx";
import { ToolCallView } from "./tools.tsx";
import { useVisitFile } from "./use-visit-file.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import readerSheet from "./reader.module.css";

const css = bindClassNames(readerSheet, marksSheet, baseSheet);

/** What was said, with the tool calls where they were made. Follows what streams until a person scrolls up. */
export function OutputTab(props: VisitProps & { readonly blocks: readonly TranscriptBlock[] }): ReactElement {
  const { cast, visit, blocks } = props;
  const isUtility = cast.castFile.graph.materia[visit.materia]?.type === "utility";
  return isUtility ? (
    <UtilityOutput {...props} />
  ) : (
    <AgentOutput {...props} key={`${visit.socket} ${visit.visit}`} blocks={blocks} />
  );
}

function AgentOutput({
  cast,
  visit,
  view,
  blocks,
}: VisitProps & { readonly blocks: readonly TranscriptBlock[] }): ReactElement {
  const isLive = visit.to === null && view.latest.status === "running";
  const output = useVisitFile(
    cast,
    visit,
    blocks.length === 0 && visit.to !== null && visit.outcome !== "failed" ? "output.md" : null,
  );
  const follow = useAutoScroll(isLive, blocks);
  const shown =
    blocks.length > 0 ? blocks : output.kind === "text" ? [{ kind: "text", text: output.text } as const] : [];
  const said = shown.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n\n");
  return (
    <div
      className={css("output")}
      ref={follow.box}
      onScroll={follow.onScroll}
      tabIndex={0}
      role="region"
      aria-label="Output"
      aria-live="off"
    >
      {said !== "" && !isLive && (
        <div className={css(`copy-place ${shown[0]?.kind === "text" ? "" : "in-a-row"}`)}>
          <CopyButton text={said} what="the output" />
        </div>
      )}
      {shown.map((block, index) => (
        // Blocks are only ever added behind the others.
        <OutputBlock key={index} block={block} isLast={isLive && index === shown.length - 1} />
      ))}
      {shown.length === 0 && (
        <p className={css("faint")}>
          {isLive ? "Nothing said yet." : output.kind === "loading" ? "" : "It said nothing."}
        </p>
      )}
      {isLive && shown.at(-1)?.kind === "tool" && <Caret />}
      {follow.missed > 0 && (
        <Button className={css("new-lines")} onClick={follow.resume}>
          {follow.missed === 1 ? "1 new line" : `${follow.missed} new lines`}
        </Button>
      )}
    </div>
  );
}

function OutputBlock({ block, isLast }: { readonly block: TranscriptBlock; readonly isLast: boolean }): ReactElement {
  switch (block.kind) {
    case "tool":
      return <ToolCallView tool={block} />;
    case "thinking":
      return (
        <details className={css("thinking")} open={isLast}>
          <summary className={css("faint")}>{isLast ? "Thinking…" : "Thinking"}</summary>
          <AgentText text={block.text} />
        </details>
      );
    case "note":
      return <p className={css("note")}>{block.text}</p>;
    case "text":
      return (
        <div className={css("said")}>
          <AgentText text={block.text} />
          {isLast && <Caret />}
        </div>
      );
  }
}

function Caret(): ReactElement {
  return <span className={css("caret")} aria-hidden="true" />;
}

function UtilityOutput({ cast, visit }: VisitProps): ReactElement {
  const out = useVisitFile(cast, visit, "stdout.txt");
  const err = useVisitFile(cast, visit, "stderr.txt");
  const text = out.kind === "text" ? out.text : "";
  const errors = err.kind === "text" ? err.text : "";
  return (
    <div className={css("output")} tabIndex={0} role="region" aria-label="Output">
      {text !== "" && <pre className={css("code wrap")}>{prettyJson(text)}</pre>}
      {errors !== "" && (
        <>
          <h3>Standard error</h3>
          <pre className={css("code wrap")}>{errors}</pre>
        </>
      )}
      {text === "" && errors === "" && out.kind !== "loading" && <p className={css("faint")}>It printed nothing.</p>}
    </div>
  );
}

export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const NEAR_END_PX = 24;

function useAutoScroll(isLive: boolean, blocks: readonly TranscriptBlock[]) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [seen, setSeen] = useState(0);
  const lines = countLines(blocks);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !isLive) return;
    if (!follows.current) return;
    element.scrollTop = element.scrollHeight;
    setSeen(lines);
  }, [isLive, lines, blocks]);
  return {
    box,
    missed: isLive && !follows.current ? Math.max(0, lines - seen) : 0,
    onScroll: () => {
      const element = box.current;
      if (!element) return;
      follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
      if (follows.current) setSeen(lines);
    },
    resume: () => {
      follows.current = true;
      box.current?.scrollTo({ top: box.current.scrollHeight });
      setSeen(lines);
    },
  };
}

function countLines(blocks: readonly TranscriptBlock[]): number {
  return blocks.reduce((sum, block) => sum + (block.kind === "tool" ? 1 : block.text.split("\n").length), 0);
}
