import { createContext, useContext, useState, type ReactElement } from "react";
import { Button } from "../ui/buttons.tsx";
import { bindSheets } from "../ui/classes.ts";
import filesSheet from "./files.module.css";

const css = bindSheets(filesSheet);

/** [W50] Comments on lines by their place, `src/a.ts:12`; null where nothing is reviewed. */
interface LineComments {
  readonly texts: ReadonlyMap<string, string>;
  readonly write: (place: string, text: string | null) => void;
}

export const LineCommentsContext = createContext<LineComments | null>(null);

/** Keeps comments, and writes them as one text, a place and its comment a line. */
export function useLineComments(): LineComments & { readonly text: string } {
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const write = (place: string, text: string | null): void =>
    setTexts((before) => {
      const next = new Map(before);
      if (text === null) next.delete(place);
      else next.set(place, text);
      return next;
    });
  const written = [...texts].filter(([, text]) => text.trim() !== "");
  return { texts, write, text: written.map(([place, text]) => `${place}: ${text.trim()}`).join("\n") };
}

/** A button at a line, and the comment below it. */
export function LineCommentButton({ place }: { readonly place: string }): ReactElement | null {
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

export function LineComment({ place }: { readonly place: string }): ReactElement | null {
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
