import { useMemo, type ReactElement } from "react";
import { diffBlocks, type DiffBlock, type MarkedLine } from "../../../../../core/edit/text/blocks.ts";
import { classesOf } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import saveSheet from "./save.module.css";

const css = classesOf(saveSheet, baseSheet);

const LOOKS = { same: "", gone: "gone", new: "added-line" } as const;
const SIGNS = { same: " ", gone: "−", new: "+" } as const;

/** [E15] What a save changes in its file: one socket, loop or field per block, with the words that differ marked. */
export function FileDiff({ before, after }: { readonly before: string; readonly after: string }): ReactElement {
  const blocks = useMemo(() => diffBlocks(before, after), [before, after]);
  if (blocks.length === 0) return <p className={css("faint")}>Nothing differs.</p>;
  return (
    <div className={css("diff")} tabIndex={0} role="region" aria-label="Difference in the file">
      {blocks.map((block) => (
        <Block key={`${block.lines[0]?.kind} ${block.lines[0]?.number}`} {...block} />
      ))}
    </div>
  );
}

function Block({ path, lines }: DiffBlock): ReactElement {
  const title = path.length === 0 ? "The file" : path.join(" › ");
  return (
    <section aria-label={title}>
      <h3 className={css("block-title")}>{title}</h3>
      {lines.map((line) => (
        <Line key={`${line.kind} ${line.number}`} {...line} />
      ))}
    </section>
  );
}

function Line({ kind, number, pieces }: MarkedLine): ReactElement {
  return (
    <div className={css(`diff-line ${LOOKS[kind]}`)}>
      <span className={css("line-number")} aria-hidden="true">
        {number}
      </span>
      <span className={css("diff-sign")} aria-hidden="true">
        {SIGNS[kind]}
      </span>
      {kind !== "same" && <span className={css("spoken")}>{kind === "gone" ? "removed: " : "added: "}</span>}
      <code>
        {pieces.map(({ text, isMarked }, index) =>
          // Pieces have no identity but their place.
          isMarked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
        )}
      </code>
    </div>
  );
}
