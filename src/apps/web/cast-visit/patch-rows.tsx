import { memo, useEffect, useMemo, useRef, useState, type ReactElement } from "react";
import { LineComment, LineCommentButton } from "./line-comments.tsx";
import {
  type PatchViewMode,
  type PatchRow,
  type ChangedRange,
  type PatchSide,
  showHiddenCharacters,
} from "../../../core/view/patch.ts";
import { tokenizerFor, type SyntaxToken } from "../../../core/view/syntax-tokens.ts";
import { bindSheets } from "../ui/classes.ts";
import tokensSheet from "../ui/code-tokens.module.css";
import filesSheet from "./files.module.css";

const css = bindSheets(filesSheet, tokensSheet);

/** Draw rows in blocks near the view: 5,000 lines must not cost more than 100 at first. */
const ROWS_PER_SLICE = 100;
/** Longer files are drawn without colors: nobody reads them whole. */
const MAX_COLOURED_ROWS = 20_000;

export function PatchRows(props: {
  readonly rows: readonly PatchRow[];
  readonly path: string;
  readonly form: PatchViewMode;
  readonly isCut: boolean;
}): ReactElement {
  const { rows, path, form, isCut } = props;
  const colour = useMemo(() => (rows.length > MAX_COLOURED_ROWS ? null : tokenizerFor(path)), [rows, path]);
  const slices = useMemo(
    () =>
      Array.from({ length: Math.ceil(rows.length / ROWS_PER_SLICE) }, (_, at) =>
        rows.slice(at * ROWS_PER_SLICE, (at + 1) * ROWS_PER_SLICE),
      ),
    [rows],
  );
  return (
    <div className={css("rows")} dir="ltr">
      {slices.map((slice, index) => (
        // The index is the key: another file has another key above.
        <RowSlice key={`${path} ${form} ${index}`} rows={slice} isFirst={index === 0} path={path} colour={colour} />
      ))}
      {isCut && <p className={css("faint rows-end")}>The rest is too long to be shown here.</p>}
    </div>
  );
}

/** A placeholder of about its height until it comes near the view. */
const RowSlice = memo(function Slice(props: {
  readonly rows: readonly PatchRow[];
  readonly isFirst: boolean;
  readonly path: string;
  readonly colour: LineTokenizer | null;
}): ReactElement {
  const { rows, isFirst, path, colour } = props;
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(isFirst);
  useEffect(() => {
    const element = place.current;
    if (isNear || !element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { root: element.closest("[tabindex]"), rootMargin: "600px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isNear]);
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
        if (row.kind === "line")
          return <PatchLineRow key={index} path={path} line={row.line} changed={row.changed} colour={colour} />;
        return <SideBySideRow key={index} left={row.left} right={row.right} colour={colour} />;
      })}
    </div>
  );
});

export type LineTokenizer = (line: string) => readonly SyntaxToken[];

const LINE_CLASSES = { same: "", gone: "gone-line", new: "new-line" } as const;
const LINE_SIGNS = { same: " ", gone: "−", new: "+" } as const;
const SPOKEN_PREFIXES = { same: "", gone: "removed: ", new: "added: " } as const;

interface PatchLineProps extends PatchSide {
  readonly colour: LineTokenizer | null;
}

/** Unified view. */
function PatchLineRow({ path, line, changed, colour }: PatchLineProps & { readonly path: string }): ReactElement {
  const place = `${path}:${line.after ?? line.before ?? 0}`;
  return (
    <>
      <div className={css(`line ${LINE_CLASSES[line.kind]}`)}>
        <LineCommentButton place={place} />
        <span className={css("line-number")} data-number={line.before ?? ""} aria-hidden="true" />
        <span className={css("line-number")} data-number={line.after ?? ""} aria-hidden="true" />
        <LineText line={line} changed={changed} colour={colour} />
      </div>
      <LineComment place={place} />
    </>
  );
}

/** Side-by-side view. */
function SideBySideRow(props: {
  readonly left: PatchSide | null;
  readonly right: PatchSide | null;
  readonly colour: LineTokenizer | null;
}): ReactElement {
  const { left, right, colour } = props;
  return (
    <div className={css("pair")}>
      {left ? (
        <SideBySideHalf {...left} number={left.line.before} colour={colour} />
      ) : (
        <span className={css("no-line")} />
      )}
      {right ? (
        <SideBySideHalf {...right} number={right.line.after} colour={colour} />
      ) : (
        <span className={css("no-line")} />
      )}
    </div>
  );
}

function SideBySideHalf({ number, ...props }: PatchLineProps & { readonly number: number | null }): ReactElement {
  return (
    <div className={css(`line ${LINE_CLASSES[props.line.kind]}`)}>
      <span className={css("line-number")} data-number={number ?? ""} aria-hidden="true" />
      <LineText {...props} />
    </div>
  );
}

/** Longer lines are cut. */
const MAX_LINE_CHARS = 4_000;

function LineText({ line, changed, colour }: PatchLineProps): ReactElement {
  const { kind, lacksFinalNewline: isUnended } = line;
  const more = line.text.length - MAX_LINE_CHARS;
  const text = more > 0 ? line.text.slice(0, MAX_LINE_CHARS) : line.text;
  return (
    <>
      <span className={css("line-sign")} data-sign={LINE_SIGNS[kind]} aria-hidden="true" />
      {kind !== "same" && <span className={css("spoken")}>{SPOKEN_PREFIXES[kind]}</span>}
      <code dir="ltr">
        {highlightPieces(text, changed, colour).map(({ look, text: piece }, index) =>
          look === "" ? (
            showHiddenCharacters(piece)
          ) : (
            <span key={index} className={css(look)}>
              {showHiddenCharacters(piece)}
            </span>
          ),
        )}
        {more > 0 && <span className={css("faint")}>{` … ${more} more characters`}</span>}
        {isUnended && <span className={css("faint")}> (no line break at the end)</span>}
      </code>
    </>
  );
}

const TOKEN_CLASSES = {
  plain: "",
  string: "string",
  comment: "comment",
  number: "figure",
  keyword: "keyword",
} as const;
type PieceClass = (typeof TOKEN_CLASSES)[SyntaxToken["kind"]] | "changed";

interface TextPiece {
  readonly look: PieceClass;
  readonly text: string;
}

/** Changed words are marked in the plain color; the rest has syntax colors. */
function highlightPieces(
  text: string,
  changed: ChangedRange | null,
  colour: LineTokenizer | null,
): readonly TextPiece[] {
  const tokens: readonly SyntaxToken[] = colour ? colour(text) : [{ kind: "plain", text }];
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const { kind, text: piece } of tokens) {
    const end = at + piece.length;
    const [from, to] = changed ? [Math.max(at, changed.from), Math.min(end, changed.to)] : [end, end];
    const middle = Math.min(from, end);
    const parts: readonly TextPiece[] = [
      { look: TOKEN_CLASSES[kind], text: text.slice(at, middle) },
      { look: "changed", text: to > middle ? text.slice(middle, to) : "" },
      { look: TOKEN_CLASSES[kind], text: text.slice(Math.max(middle, to), end) },
    ];
    pieces.push(...parts.filter((part) => part.text !== ""));
    at = end;
  }
  return pieces;
}
