import { memo, useEffect, useMemo, useRef, useState, type ReactElement, createContext, useContext } from "react";
import {
  type PatchViewMode,
  type PatchRow,
  type ChangedRange,
  type PatchSide,
  showHiddenCharacters,
  tokenizerFor,
  type SyntaxToken,
} from "../../../core/view/patch.ts";
import * as v from "valibot";
import { parseJson } from "../../../core/model/json.ts";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { bindSheets } from "../ui/classes.ts";
import tokensSheet from "../ui/code-tokens.module.css";
import filesSheet from "./files.module.css";
import { Button } from "../ui/buttons.tsx";

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
  const { place, isNear } = useNearView(isFirst);
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

/** True from when the element comes near the visible part of its frame; at once for the first ones. */
export function useNearView(isFirst: boolean) {
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
  return { place, isNear };
}

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

/** [W50] Comments on lines by their place, `src/a.ts:12`; null where nothing is reviewed. */
interface LineComments {
  readonly texts: ReadonlyMap<string, string>;
  readonly write: (place: string, text: string | null) => void;
}

export const LineCommentsContext = createContext<LineComments | null>(null);

const StoredComments = v.array(v.tuple([v.string(), v.string()]));

/** [YW1] Keeps comments on a cast as a draft, and writes them as one text, a place and its comment a line. */
export function useLineComments(castId: string): LineComments & { readonly text: string; readonly clear: () => void } {
  const [stored, store] = useTextDraft(`comments ${castId}`);
  const texts = useMemo(() => {
    const read = v.safeParse(StoredComments, parseJson(stored));
    return new Map(read.success ? read.output : []);
  }, [stored]);
  const write = (place: string, text: string | null): void => {
    const next = new Map(texts);
    if (text === null) next.delete(place);
    else next.set(place, text);
    store(next.size === 0 ? "" : JSON.stringify([...next]));
  };
  const written = [...texts].filter(([, text]) => text.trim() !== "");
  const text = written.map(([place, said]) => `${place}: ${said.trim()}`).join("\n");
  return { texts, write, text, clear: () => store("") };
}

/** A button at a line, and the comment below it. */
function LineCommentButton({ place }: { readonly place: string }): ReactElement | null {
  const comments = useContext(LineCommentsContext);
  if (!comments) return null;
  const isOpen = comments.texts.has(place);
  return (
    <button
      type="button"
      className={css("comment-button")}
      aria-label={`Comment on ${place}`}
      aria-expanded={isOpen}
      onClick={() => comments.write(place, isOpen ? null : "")}
    >
      {isOpen ? "−" : "+"}
    </button>
  );
}

function LineComment({ place }: { readonly place: string }): ReactElement | null {
  const comments = useContext(LineCommentsContext);
  const text = comments?.texts.get(place);
  if (!comments || text === undefined) return null;
  return (
    <div className={css("line-comment")}>
      <textarea
        autoFocus
        dir="auto"
        rows={2}
        aria-label={`Comment on ${place}`}
        value={text}
        onChange={(event) => comments.write(place, event.target.value)}
      />
      <Button look="bare" icon="cross" label="Remove the comment" onClick={() => comments.write(place, null)} />
    </div>
  );
}
