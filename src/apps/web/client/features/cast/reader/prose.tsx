import { memo } from "react";
import type { ReactElement } from "react";
import { Markdown } from "../../../parts/text/markdown.tsx";

/** Text of an agent; a handoff is read more easily with its lines broken. */
export const Prose = memo(function Prose({ text }: { readonly text: string }): ReactElement {
  const json = jsonIn(text);
  return json === null ? <Markdown text={text} /> : <pre className="code wrap">{json}</pre>;
});

function jsonIn(text: string): string | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
