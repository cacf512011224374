import { Fragment, useMemo, type ReactElement } from "react";
import { diffLines, type DiffLine } from "../../../../../core/edit/text/lines.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import saveSheet from "./save.module.css";

const css = bindClassNames(saveSheet, baseSheet);

const CONTEXT_LINES = 3;
const LINE_CLASSES = { same: "", gone: "gone", new: "added-line" } as const;
const LINE_SIGNS = { same: " ", gone: "−", new: "+" } as const;

/** Two texts, line by line; what stayed the same is folded away. */
export function TextDiff(props: { readonly before: string; readonly after: string; readonly label: string }): ReactElement {
  const { before, after, label } = props;
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const hunks = useMemo(() => groupIntoHunks(lines), [lines]);
  if (hunks.length === 0) return <p className={css("faint")}>Nothing differs.</p>;
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
            <div key={`${line.kind} ${line.number}`} className={css(`diff-line ${LINE_CLASSES[line.kind]}`)}>
              <span className={css("line-number")} aria-hidden="true">
                {line.number}
              </span>
              <span className={css("diff-sign")} aria-hidden="true">
                {LINE_SIGNS[line.kind]}
              </span>
              {line.kind !== "same" && (
                <span className={css("spoken")}>{line.kind === "gone" ? "removed: " : "added: "}</span>
              )}
              <code>{line.text}</code>
            </div>
          ))}
        </Fragment>
      ))}
    </div>
  );
}

function groupIntoHunks(lines: readonly DiffLine[]): readonly (readonly DiffLine[])[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== "same"),
  );
  const hunks: DiffLine[][] = [];
  lines.forEach((line, index) => {
    if (!near[index]) return;
    const last = hunks.at(-1);
    if (last && near[index - 1]) last.push(line);
    else hunks.push([line]);
  });
  return hunks;
}
