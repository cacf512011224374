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
import { TOKEN_CLASSES } from "../ui/code-tokens.tsx";
import filesSheet from "./files.module.css";
import { Button } from "../ui/buttons.tsx";

const css = bindSheets(filesSheet);

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
        return <SideBySideRow key={index} sides={[row.left, row.right]} colour={colour} />;
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

type LineTokenizer = (line: string) => readonly SyntaxToken[];

const LINE_LOOKS = {
  same: { look: "", sign: " ", spoken: "" },
  gone: { look: "gone-line", sign: "−", spoken: "removed: " },
  new: { look: "new-line", sign: "+", spoken: "added: " },
} as const;

interface PatchLineProps extends PatchSide {
  readonly colour: LineTokenizer | null;
}

/** Unified view: a button at each line opens a comment below it. */
function PatchLineRow({ path, line, changed, colour }: PatchLineProps & { readonly path: string }): ReactElement {
  const place = `${path}:${line.after ?? line.before ?? 0}`;
  const comments = useContext(LineCommentsContext);
  const text = comments?.texts.get(place);
  const isOpen = text !== undefined;
  return (
    <>
      <div className={css(`line ${LINE_LOOKS[line.kind].look}`)}>
        {comments && (
          <button
            type="button"
            className={css("comment-button")}
            aria-label={`Comment on ${place}`}
            aria-expanded={isOpen}
            onClick={() => comments.write(place, isOpen ? null : "")}
          >
            {isOpen ? "−" : "+"}
          </button>
        )}
        <span className={css("line-number")} data-number={line.before ?? ""} aria-hidden="true" />
        <span className={css("line-number")} data-number={line.after ?? ""} aria-hidden="true" />
        <LineText line={line} changed={changed} colour={colour} />
      </div>
      {comments && isOpen && (
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
      )}
    </>
  );
}

function SideBySideRow(props: {
  readonly sides: readonly (PatchSide | null)[];
  readonly colour: LineTokenizer | null;
}): ReactElement {
  return (
    <div className={css("pair")}>
      {props.sides.map((side, index) => {
        if (!side) return <span key={index} className={css("no-line")} />;
        const number = index === 0 ? side.line.before : side.line.after;
        return (
          <div key={index} className={css(`line ${LINE_LOOKS[side.line.kind].look}`)}>
            <span className={css("line-number")} data-number={number ?? ""} aria-hidden="true" />
            <LineText {...side} colour={props.colour} />
          </div>
        );
      })}
    </div>
  );
}

const MAX_LINE_CHARS = 4_000;

function LineText({ line, changed, colour }: PatchLineProps): ReactElement {
  const { sign, spoken } = LINE_LOOKS[line.kind];
  const more = line.text.length - MAX_LINE_CHARS;
  const text = more > 0 ? line.text.slice(0, MAX_LINE_CHARS) : line.text;
  return (
    <>
      <span className={css("line-sign")} data-sign={sign} aria-hidden="true" />
      {spoken !== "" && <span className={css("spoken")}>{spoken}</span>}
      <code dir="ltr">
        {highlightPieces(text, changed, colour).map(({ look, text: piece }, index) =>
          look === undefined ? (
            showHiddenCharacters(piece)
          ) : (
            <span key={index} className={look}>
              {showHiddenCharacters(piece)}
            </span>
          ),
        )}
        {more > 0 && <span className={css("faint")}>{` … ${more} more characters`}</span>}
        {line.lacksFinalNewline && <span className={css("faint")}> (no line break at the end)</span>}
      </code>
    </>
  );
}

/** Changed words are marked in the plain color; the rest has syntax colors. */
function highlightPieces(text: string, changed: ChangedRange | null, colour: LineTokenizer | null) {
  const tokens: readonly SyntaxToken[] = colour ? colour(text) : [{ kind: "plain", text }];
  let at = 0;
  return tokens.flatMap(({ kind, text: piece }) => {
    const [start, end] = [at, at + piece.length];
    at = end;
    const [from, to] = changed ? [Math.max(start, changed.from), Math.min(end, changed.to)] : [end, end];
    const middle = Math.min(from, end);
    return [
      { look: TOKEN_CLASSES[kind], text: text.slice(start, middle) },
      { look: css("changed"), text: to > middle ? text.slice(middle, to) : "" },
      { look: TOKEN_CLASSES[kind], text: text.slice(Math.max(middle, to), end) },
    ].filter((part) => part.text !== "");
  });
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
