import { Fragment, useMemo, type ReactElement } from "react";
import { diffLines, type DiffPiece } from "../../../core/model/diff.ts";
import { bindSheets } from "../ui/classes.ts";
import saveSheet from "./save.module.css";
import { diffBlocks, withWordDiffs, type HighlightedLine } from "../../../core/edit/compare-loadouts.ts";

const css = bindSheets(saveSheet);

const CONTEXT_LINES = 3;
const LINE_LOOKS = {
  same: { look: "", sign: " ", spoken: "" },
  gone: { look: "gone", sign: "−", spoken: "removed: " },
  new: { look: "added-line", sign: "+", spoken: "added: " },
} as const;

/** The difference of two texts by line, with changed words marked; unchanged parts are folded. */
export function TextDiff(props: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}): ReactElement {
  const { before, after, label } = props;
  const lines = useMemo(() => withWordDiffs(diffLines(before, after)), [before, after]);
  const hunks = useMemo(() => groupIntoHunks(lines), [lines]);
  if (hunks.length === 0) return <p className={css("faint")}>There is no difference.</p>;
  return (
    <div className={css("diff")} tabIndex={0} role="region" aria-label={label}>
      {hunks.map((hunk, index) => (
        <Fragment key={hunk[0]?.number ?? index}>
          {index > 0 && (
            <div className={css("fold")} aria-hidden="true">
              ⋯
            </div>
          )}
          {hunk.map((line) => (
            <DiffLineRow key={`${line.kind} ${line.number}`} {...line} />
          ))}
        </Fragment>
      ))}
    </div>
  );
}

function groupIntoHunks(lines: readonly HighlightedLine[]): readonly (readonly HighlightedLine[])[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== "same"),
  );
  const hunks: HighlightedLine[][] = [];
  lines.forEach((line, index) => {
    if (!near[index]) return;
    const last = hunks.at(-1);
    if (last && near[index - 1]) last.push(line);
    else hunks.push([line]);
  });
  return hunks;
}

/** [E15] The changes of a save: one block for each socket, loop or field, with changed words marked. */
export function FileDiff({ before, after }: { readonly before: string; readonly after: string }): ReactElement {
  const blocks = useMemo(() => diffBlocks(before, after), [before, after]);
  if (blocks.length === 0) return <p className={css("faint")}>There is no difference.</p>;
  return (
    <div className={css("diff")} tabIndex={0} role="region" aria-label="Difference in the file">
      {blocks.map(({ path, lines }) => {
        const title = path.length === 0 ? "The file" : path.join(" › ");
        return (
          <section key={`${lines[0]?.kind} ${lines[0]?.number}`} aria-label={title}>
            <h3 className={css("block-title")}>{title}</h3>
            {lines.map((line) => (
              <DiffLineRow key={`${line.kind} ${line.number}`} {...line} />
            ))}
          </section>
        );
      })}
    </div>
  );
}

function DiffLineRow({ kind, number, pieces }: HighlightedLine): ReactElement {
  const { look, sign, spoken } = LINE_LOOKS[kind];
  return (
    <div className={css(`diff-line ${look}`)}>
      <span className={css("line-number")} aria-hidden="true">
        {number}
      </span>
      <span className={css("diff-sign")} aria-hidden="true">
        {sign}
      </span>
      {spoken !== "" && <span className={css("spoken")}>{spoken}</span>}
      <code>
        <MarkedText pieces={pieces} />
      </code>
    </div>
  );
}

export function MarkedText({ pieces }: { readonly pieces: readonly DiffPiece[] }): readonly ReactElement[] {
  return pieces.map(({ text, isMarked }, index) =>
    // The index is the key: pieces never move.
    isMarked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
  );
}
