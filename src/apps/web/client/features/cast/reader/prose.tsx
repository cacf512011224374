import { memo } from "react";
import type { ReactElement } from "react";

/** Text of an agent: paragraphs, fenced code and inline code. Nothing else is interpreted, so nothing can harm. */
export const Prose = memo(function Prose({ text }: { readonly text: string }): ReactElement {
  const json = jsonIn(text);
  if (json !== null) return <pre className="code wrap">{json}</pre>;
  const parts = text.split(/^```[^\n]*\n?/m);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <pre key={index} className="code">
            {part.replace(/\n$/, "")}
          </pre>
        ) : (
          part
            .split(/\n{2,}/)
            .filter((paragraph) => paragraph.trim() !== "")
            // Paragraphs of a text have no identity but their place.
            .map((paragraph, at) => <p key={`${index} ${at}`}>{inline(paragraph)}</p>)
        ),
      )}
    </>
  );
});

function inline(text: string): readonly (string | ReactElement)[] {
  return text
    .replace(/^\n+/, "")
    .split(/(`[^`\n]+`)/)
    .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece.slice(1, -1)}</code> : piece));
}

/** A handoff is read more easily with its lines broken. */
function jsonIn(text: string): string | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
