import { memo, type ReactElement } from "react";
import { Markdown } from "../../../parts/text/markdown.tsx";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";

const proseCss = bindClassNames(marksSheet, baseSheet);

/** Text of an agent; a handoff is read more easily with its lines broken. */
export const AgentText = memo(function Prose({ text }: { readonly text: string }): ReactElement {
  const json = prettyJsonOrNull(text);
  return json === null ? <Markdown text={text} /> : <pre className={proseCss("code wrap")}>{json}</pre>;
});

function prettyJsonOrNull(text: string): string | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
