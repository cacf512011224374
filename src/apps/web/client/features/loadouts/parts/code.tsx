import type { ReactElement } from "react";

const TOKEN =
  /("(?:\\.|[^"\\])*"\s*:)|("(?:\\.|[^"\\])*")|(-?\d+(?:\.\d+)?|true|false|null)|(\/\/[^\n]*|\/\*[^]*?\*\/)/g;

/** JSON with its words told apart. */
export function Code({ text, label = "JSON" }: { readonly text: string; readonly label?: string }): ReactElement {
  return (
    <pre className="code" tabIndex={0} aria-label={label}>
      {tokensOf(text).map(({ kind, text: piece }, index) => (
        // Pieces have no identity but their place.
        <span key={index} className={kind}>
          {piece}
        </span>
      ))}
    </pre>
  );
}

function tokensOf(text: string): readonly { readonly kind: string; readonly text: string }[] {
  const tokens: { kind: string; text: string }[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > at) tokens.push({ kind: "", text: text.slice(at, match.index) });
    const kind = match[1] !== undefined ? "k" : match[2] !== undefined ? "s" : match[3] !== undefined ? "v" : "c";
    tokens.push({ kind, text: match[0] });
    at = match.index + match[0].length;
  }
  return [...tokens, { kind: "", text: text.slice(at) }];
}
