import type { ReactElement } from "react";
import { classesOf } from "../../../browser/classes.ts";
import marksSheet from "../../../parts/marks/marks.module.css";

const css = classesOf(marksSheet);

const TOKEN =
  /("(?:\\.|[^"\\])*"\s*:)|("(?:\\.|[^"\\])*")|(-?\d+(?:\.\d+)?|true|false|null)|(\/\/[^\n]*|\/\*[^]*?\*\/)/g;

/** JSON with its words told apart. */
export function Code({ text, label = "JSON" }: { readonly text: string; readonly label?: string }): ReactElement {
  return (
    <pre className={css("code")} tabIndex={0} aria-label={label}>
      {tokensOf(text).map(({ kind, text: piece }, index) => (
        // Pieces have no identity but their place.
        <span key={index} className={css(kind)}>
          {piece}
        </span>
      ))}
    </pre>
  );
}

interface Token {
  readonly kind: "" | "code-key" | "code-string" | "code-value" | "code-comment";
  readonly text: string;
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > at) tokens.push({ kind: "", text: text.slice(at, match.index) });
    const kind =
      match[1] !== undefined
        ? "code-key"
        : match[2] !== undefined
          ? "code-string"
          : match[3] !== undefined
            ? "code-value"
            : "code-comment";
    tokens.push({ kind, text: match[0] });
    at = match.index + match[0].length;
  }
  return [...tokens, { kind: "", text: text.slice(at) }];
}
