import { useMemo, type ReactElement } from "react";
import { diffBlocks, type DiffBlock, type HighlightedLine } from "../../../../../core/edit/text/blocks.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import saveSheet from "./save.module.css";

const fileDiffCss = bindClassNames(saveSheet, baseSheet);

const FILE_LINE_CLASSES = { same: "", gone: "gone", new: "added-line" } as const;
const FILE_LINE_SIGNS = { same: " ", gone: "−", new: "+" } as const;

/** [E15] What a save changes in its file: one socket, loop or field per block, with the words that differ marked. */
export function FileDiff({ before, after }: { readonly before: string; readonly after: string }): ReactElement {
  const blocks = useMemo(() => diffBlocks(before, after), [before, after]);
  if (blocks.length === 0) return <p className={fileDiffCss("faint")}>Nothing differs.</p>;
  return (
    <div className={fileDiffCss("diff")} tabIndex={0} role="region" aria-label="Difference in the file">
      {blocks.map((block) => (
        <DiffBlockSection key={`${block.lines[0]?.kind} ${block.lines[0]?.number}`} {...block} />
      ))}
    </div>
  );
}

function DiffBlockSection({ path, lines }: DiffBlock): ReactElement {
  const title = path.length === 0 ? "The file" : path.join(" › ");
  return (
    <section aria-label={title}>
      <h3 className={fileDiffCss("block-title")}>{title}</h3>
      {lines.map((line) => (
        <DiffLineRow key={`${line.kind} ${line.number}`} {...line} />
      ))}
    </section>
  );
}

function DiffLineRow({ kind, number, pieces }: HighlightedLine): ReactElement {
  return (
    <div className={fileDiffCss(`diff-line ${FILE_LINE_CLASSES[kind]}`)}>
      <span className={fileDiffCss("line-number")} aria-hidden="true">
        {number}
      </span>
      <span className={fileDiffCss("diff-sign")} aria-hidden="true">
        {FILE_LINE_SIGNS[kind]}
      </span>
      {kind !== "same" && <span className={fileDiffCss("spoken")}>{kind === "gone" ? "removed: " : "added: "}</span>}
      <code>
        {pieces.map(({ text, isMarked }, index) =>
          // Pieces have no identity but their place.
          isMarked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
        )}
      </code>
    </div>
  );
}
