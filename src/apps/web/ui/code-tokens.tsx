import type { ReactElement } from "react";
import { tokenizerFor, type SyntaxToken } from "../../../core/view/patch.ts";
import styles from "./code-tokens.module.css";

export const TOKEN_CLASSES: Readonly<Record<SyntaxToken["kind"], string | undefined>> = {
  plain: undefined,
  string: styles.string,
  comment: styles.comment,
  number: styles.figure,
  keyword: styles.keyword,
};

/** The endings of files for languages whose name is none. */
const FILE_ENDINGS: Readonly<Record<string, string>> = {
  typescript: "ts",
  javascript: "js",
  python: "py",
  ruby: "rb",
  rust: "rs",
  golang: "go",
  shell: "sh",
  console: "sh",
  csharp: "cs",
  kotlin: "kt",
};

const MAX_COLOURED_LINES = 2_000;

/** Code with the colours of its language; it never becomes HTML. */
export function CodeTokens({ text, language }: { readonly text: string; readonly language: string }): ReactElement {
  const name = language.toLowerCase();
  const tokenize = tokenizerFor(`code.${FILE_ENDINGS[name] ?? name}`);
  const lines = text.split("\n");
  if (!tokenize || lines.length > MAX_COLOURED_LINES) return <>{text}</>;
  return (
    <>
      {lines.flatMap((line, at) => [
        ...(at === 0 ? [] : ["\n"]),
        ...tokenize(line).map(({ kind, text: piece }, index) =>
          kind === "plain" ? (
            piece
          ) : (
            <span key={`${at} ${index}`} className={TOKEN_CLASSES[kind]}>
              {piece}
            </span>
          ),
        ),
      ])}
    </>
  );
}
