import type { ReactElement } from "react";
import { bindClassNames } from "../../../browser/classes.ts";
import marksSheet from "../../../parts/marks/marks.module.css";

const codeCss = bindClassNames(marksSheet);

const JSON_TOKEN =
  /("(?:\\.|[^"\\])*"\s*:)|("(?:\\.|[^"\\])*")|(-?\d+(?:\.\d+)?|true|false|null)|(\/\/[^\n]*|\/\*[^]*?\*\/)/g;

/** JSON with its words told apart. */
export function HighlightedJson({ text, label = "JSON" }: { readonly text: string; readonly label?: string }): ReactElement {
  return (
    <pre className={codeCss("code")} tabIndex={0} aria-label={label}>
      {jsonTokens(text).map(({ kind, text: piece }, index) => (
        // Pieces have no identity but their place.
        <span key={index} className={codeCss(kind)}>
          {piece}
        </span>
      ))}
    </pre>
  );
}

interface JsonToken {
  readonly kind: "" | "code-key" | "code-string" | "code-value" | "code-comment";
  readonly text: string;
}

function jsonTokens(text: string): readonly JsonToken[] {
  const tokens: JsonToken[] = [];
  let at = 0;
  for (const match of text.matchAll(JSON_TOKEN)) {
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
