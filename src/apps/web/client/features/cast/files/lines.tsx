import type { ReactElement } from "react";
import type { ChangedRange, PatchSide } from "../../../../../../core/view/patch/rows.ts";
import type { SyntaxToken } from "../../../../../../core/view/patch/tokens.ts";
import { showHiddenCharacters } from "../../../../../../core/view/patch/visible.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import filesSheet from "./files.module.css";

const linesCss = bindClassNames(filesSheet, baseSheet);

export type LineTokenizer = (line: string) => readonly SyntaxToken[];

const LINE_CLASSES = { same: "", gone: "gone-line", new: "new-line" } as const;
const LINE_SIGNS = { same: " ", gone: "−", new: "+" } as const;
const SPOKEN_PREFIXES = { same: "", gone: "removed: ", new: "added: " } as const;

interface PatchLineProps extends PatchSide {
  readonly colour: LineTokenizer | null;
}

/** One line below the other. */
export function PatchLineRow({ line, changed, colour }: PatchLineProps): ReactElement {
  return (
    <div className={linesCss(`line ${LINE_CLASSES[line.kind]}`)}>
      <span className={linesCss("line-number")} data-number={line.before ?? ""} aria-hidden="true" />
      <span className={linesCss("line-number")} data-number={line.after ?? ""} aria-hidden="true" />
      <LineText line={line} changed={changed} colour={colour} />
    </div>
  );
}

/** Before beside after. */
export function SideBySideRow(props: {
  readonly left: PatchSide | null;
  readonly right: PatchSide | null;
  readonly colour: LineTokenizer | null;
}): ReactElement {
  const { left, right, colour } = props;
  return (
    <div className={linesCss("pair")}>
      {left ? <SideBySideHalf {...left} number={left.line.before} colour={colour} /> : <span className={linesCss("no-line")} />}
      {right ? <SideBySideHalf {...right} number={right.line.after} colour={colour} /> : <span className={linesCss("no-line")} />}
    </div>
  );
}

function SideBySideHalf({ number, ...props }: PatchLineProps & { readonly number: number | null }): ReactElement {
  return (
    <div className={linesCss(`line ${LINE_CLASSES[props.line.kind]}`)}>
      <span className={linesCss("line-number")} data-number={number ?? ""} aria-hidden="true" />
      <LineText {...props} />
    </div>
  );
}

/** More of one line than this is nothing to read. */
const MAX_LINE_CHARS = 4_000;

function LineText({ line, changed, colour }: PatchLineProps): ReactElement {
  const { kind, lacksFinalNewline: isUnended } = line;
  const more = line.text.length - MAX_LINE_CHARS;
  const text = more > 0 ? line.text.slice(0, MAX_LINE_CHARS) : line.text;
  return (
    <>
      <span className={linesCss("line-sign")} data-sign={LINE_SIGNS[kind]} aria-hidden="true" />
      {kind !== "same" && <span className={linesCss("spoken")}>{SPOKEN_PREFIXES[kind]}</span>}
      <code dir="ltr">
        {highlightPieces(text, changed, colour).map(({ look, text: piece }, index) =>
          look === "" ? (
            showHiddenCharacters(piece)
          ) : (
            <span key={index} className={linesCss(look)}>
              {showHiddenCharacters(piece)}
            </span>
          ),
        )}
        {more > 0 && <span className={linesCss("faint")}>{` … ${more} more characters`}</span>}
        {isUnended && <span className={linesCss("faint")}> (no line break at the end)</span>}
      </code>
    </>
  );
}

const TOKEN_CLASSES = { plain: "", string: "string", comment: "comment", number: "figure", keyword: "keyword" } as const;
type PieceClass = (typeof TOKEN_CLASSES)[SyntaxToken["kind"]] | "changed";

interface TextPiece {
  readonly look: PieceClass;
  readonly text: string;
}

/** What differs is marked and keeps the colour of plain text; the rest is coloured by what it is. */
function highlightPieces(text: string, changed: ChangedRange | null, colour: LineTokenizer | null): readonly TextPiece[] {
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
