import { memo, type ReactElement } from "react";
import { Markdown } from "../../../parts/text/markdown.tsx";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";

const css = classesOf(marksSheet, baseSheet);

/** Text of an agent; a handoff is read more easily with its lines broken. */
export const Prose = memo(function Prose({ text }: { readonly text: string }): ReactElement {
  const json = jsonIn(text);
  return json === null ? <Markdown text={text} /> : <pre className={css("code wrap")}>{json}</pre>;
});

function jsonIn(text: string): string | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
