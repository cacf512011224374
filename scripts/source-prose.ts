/** Words in a source that people read: a comment, or a text in quotes. */
export interface Prose {
  readonly at: number;
  readonly text: string;
  /** Whether it is the message of an issue. */
  readonly isMessage: boolean;
}

/** A string starts with its quote; a template may hold expressions, which hold strings again. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|\$\{(?:[^`{}]|`(?:\\[\s\S]|[^`\\])*`|\{[^{}]*\})*\}|[^`\\])*`|\/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*(?=[\s).,;\]:?]|$)/g;

/** The comments and texts of a source. Texts without a space are names or keys, not prose. */
export function proseOf(source: string): readonly Prose[] {
  return [...source.matchAll(TOKEN)].flatMap(({ 0: token, index }) => {
    const first = token[0] ?? "";
    if (first === "/" && token[1] !== "/" && token[1] !== "*") return [];
    const isComment = first === "/";
    const text = (isComment ? commentText(token) : literalText(token)).replaceAll(/\s+/g, " ").trim();
    if (!text.includes(" ")) return [];
    return [
      { at: index, text, isMessage: !isComment && /\bmessage:\s*$/.test(source.slice(Math.max(0, index - 20), index)) },
    ];
  });
}

function commentText(token: string): string {
  return token.replaceAll(/^\s*(?:\/\/|\/\*\*?|\*\/|\*)|\*\/$/gm, "");
}

/** An expression in a template counts as one short word. */
function literalText(token: string): string {
  return token.slice(1, -1).replaceAll(/\$\{(?:[^`{}]|`[^`]*`|\{[^{}]*\})*\}/g, "value");
}
