import type { ReactElement } from "react";
import type { Marked, PatchSide } from "../../../../../../core/view/patch/rows.ts";
import type { Token } from "../../../../../../core/view/patch/tokens.ts";
import { visibleLine } from "../../../../../../core/view/patch/visible.ts";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import filesSheet from "./files.module.css";

const css = classesOf(filesSheet, baseSheet);

export type Colour = (line: string) => readonly Token[];

const LOOKS = { same: "", gone: "gone-line", new: "new-line" } as const;
const SIGNS = { same: " ", gone: "−", new: "+" } as const;
const SAID = { same: "", gone: "removed: ", new: "added: " } as const;

interface LineProps extends PatchSide {
  readonly colour: Colour | null;
}

/** One line below the other. */
export function LineRow({ line, changed, colour }: LineProps): ReactElement {
  return (
    <div className={css(`line ${LOOKS[line.kind]}`)}>
      <span className={css("line-number")} data-number={line.before ?? ""} aria-hidden="true" />
      <span className={css("line-number")} data-number={line.after ?? ""} aria-hidden="true" />
      <Text line={line} changed={changed} colour={colour} />
    </div>
  );
}

/** Before beside after. */
export function PairRow(props: {
  readonly left: PatchSide | null;
  readonly right: PatchSide | null;
  readonly colour: Colour | null;
}): ReactElement {
  const { left, right, colour } = props;
  return (
    <div className={css("pair")}>
      {left ? <Half {...left} number={left.line.before} colour={colour} /> : <span className={css("no-line")} />}
      {right ? <Half {...right} number={right.line.after} colour={colour} /> : <span className={css("no-line")} />}
    </div>
  );
}

function Half({ number, ...props }: LineProps & { readonly number: number | null }): ReactElement {
  return (
    <div className={css(`line ${LOOKS[props.line.kind]}`)}>
      <span className={css("line-number")} data-number={number ?? ""} aria-hidden="true" />
      <Text {...props} />
    </div>
  );
}

/** More of one line than this is nothing to read. */
const LONGEST_SHOWN = 4_000;

function Text({ line, changed, colour }: LineProps): ReactElement {
  const { kind, isUnended } = line;
  const more = line.text.length - LONGEST_SHOWN;
  const text = more > 0 ? line.text.slice(0, LONGEST_SHOWN) : line.text;
  return (
    <>
      <span className={css("line-sign")} data-sign={SIGNS[kind]} aria-hidden="true" />
      {kind !== "same" && <span className={css("spoken")}>{SAID[kind]}</span>}
      <code dir="ltr">
        {piecesOf(text, changed, colour).map(({ look, text: piece }, index) =>
          look === "" ? (
            visibleLine(piece)
          ) : (
            <span key={index} className={css(look)}>
              {visibleLine(piece)}
            </span>
          ),
        )}
        {more > 0 && <span className={css("faint")}>{` … ${more} more characters`}</span>}
        {isUnended && <span className={css("faint")}> (no line break at the end)</span>}
      </code>
    </>
  );
}

const TOKENS = { plain: "", string: "string", comment: "comment", number: "figure", keyword: "keyword" } as const;
type Look = (typeof TOKENS)[Token["kind"]] | "changed";

interface Piece {
  readonly look: Look;
  readonly text: string;
}

/** What differs is marked and keeps the colour of plain text; the rest is coloured by what it is. */
function piecesOf(text: string, changed: Marked | null, colour: Colour | null): readonly Piece[] {
  const tokens: readonly Token[] = colour ? colour(text) : [{ kind: "plain", text }];
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, text: piece } of tokens) {
    const end = at + piece.length;
    const [from, to] = changed ? [Math.max(at, changed.from), Math.min(end, changed.to)] : [end, end];
    const middle = Math.min(from, end);
    const parts: readonly Piece[] = [
      { look: TOKENS[kind], text: text.slice(at, middle) },
      { look: "changed", text: to > middle ? text.slice(middle, to) : "" },
      { look: TOKENS[kind], text: text.slice(Math.max(middle, to), end) },
    ];
    pieces.push(...parts.filter((part) => part.text !== ""));
    at = end;
  }
  return pieces;
}
