import { memo, useEffect, useMemo, useRef, useState, type ReactElement, type RefObject } from "react";
import type { PatchViewMode, PatchRow } from "../../../../../../core/view/patch/rows.ts";
import { tokenizerFor } from "../../../../../../core/view/patch/tokens.ts";
import { PatchLineRow, SideBySideRow, type LineTokenizer } from "./lines.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import filesSheet from "./files.module.css";

const css = bindClassNames(filesSheet, baseSheet);

/** So many rows are drawn at once, when they come near; a file of 5,000 lines costs no more than one of 100 at first. */
const ROWS_PER_SLICE = 100;
/** Colours help to read, and nobody reads so much. */
const MAX_COLOURED_ROWS = 20_000;

export function PatchRows(props: {
  readonly rows: readonly PatchRow[];
  readonly path: string;
  readonly form: PatchViewMode;
  readonly isCut: boolean;
}): ReactElement {
  const { rows, path, form, isCut } = props;
  const frame = useRef<HTMLDivElement>(null);
  const colour = useMemo(() => (rows.length > MAX_COLOURED_ROWS ? null : tokenizerFor(path)), [rows, path]);
  const slices = useMemo(
    () => Array.from({ length: Math.ceil(rows.length / ROWS_PER_SLICE) }, (_, at) => rows.slice(at * ROWS_PER_SLICE, (at + 1) * ROWS_PER_SLICE)),
    [rows],
  );
  return (
    <div className={css("rows")} ref={frame} tabIndex={0} role="region" aria-label="Lines">
      {slices.map((slice, index) => (
        // Rows never change their place; another file is another key above.
        <RowSlice key={`${path} ${form} ${index}`} rows={slice} isFirst={index === 0} frame={frame} colour={colour} />
      ))}
      {isCut && <p className={css("faint rows-end")}>The rest is too long to be shown here.</p>}
    </div>
  );
}

/** Empty space of about its height until it comes near. */
const RowSlice = memo(function Slice(props: {
  readonly rows: readonly PatchRow[];
  readonly isFirst: boolean;
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly colour: LineTokenizer | null;
}): ReactElement {
  const { rows, isFirst, frame, colour } = props;
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(isFirst);
  useEffect(() => {
    const element = place.current;
    if (isNear || !element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { root: frame.current, rootMargin: "600px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isNear, frame]);
  if (!isNear) return <div ref={place} style={{ height: `${rows.length * 1.5}em` }} />;
  return (
    <div>
      {rows.map((row, index) => {
        if (row.kind === "hunk")
          return (
            <div key={index} className={css("hunk")}>
              <span aria-hidden="true">⋯</span> {row.about}
            </div>
          );
        if (row.kind === "line") return <PatchLineRow key={index} line={row.line} changed={row.changed} colour={colour} />;
        return <SideBySideRow key={index} left={row.left} right={row.right} colour={colour} />;
      })}
    </div>
  );
});
