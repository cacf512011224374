import type { ReactElement, ReactNode } from "react";
import { lineText, type Line, type Tone } from "../../../core/view/line.ts";
import { css } from "./classes.ts";

const TONE_CLASSES = {
  plain: "",
  dim: "faint",
  strong: "strong",
  accent: "tone-accent",
  ok: "tone-good",
  rework: "tone-rework",
  bad: "tone-bad",
  wait: "tone-waiting",
} as const satisfies Record<Tone, string>;

export function LineText({ line }: { readonly line: Line }): ReactElement {
  return (
    <>
      {line.map(({ text, tone = "plain" }, index) => (
        // The index is the key: a line is always drawn as a whole.
        <span key={index} className={css(TONE_CLASSES[tone])}>
          {renderSymbols(text)}
        </span>
      ))}
    </>
  );
}

export function LineParagraphs({ lines }: { readonly lines: readonly Line[] }): readonly ReactElement[] {
  return lines.map((line) => (
    <p key={lineText(line)} className={css("secondary")}>
      <LineText line={line} />
    </p>
  ));
}

const SYMBOL_PATHS: Readonly<Record<string, string>> = {
  "✓": "M2.500 8.500l3.500 3.500L13.500 4",
  "✗": "M3.500 3.500l9 9M12.500 3.500l-9 9",
  "✕": "M3.500 3.500l9 9M12.500 3.500l-9 9",
  "‖": "M5 3v10M11 3v10",
  "→": "M2 8h12M9.500 3.500L14 8l-4.500 4.500",
  "←": "M14 8H2M6.500 3.500L2 8l4.500 4.500",
  "↑": "M8 14V2M3.500 6.500L8 2l4.500 4.500",
  "↓": "M8 2v12M3.500 9.500L8 14l4.500-4.500",
};

/** Symbols are drawn as icons: not every system has glyphs for them. */
export function renderSymbols(text: string): ReactNode {
  if (!/[✓✗✕‖→←↑↓]/.test(text)) return text;
  return text.split(/([✓✗✕‖→←↑↓])/).map((piece, index) => {
    const sign = SYMBOL_PATHS[piece];
    // The index is the key: pieces never move.
    return sign ? (
      <svg key={index} className={css("glyph")} viewBox="0 0 16 16" aria-hidden="true">
        <path d={sign} />
      </svg>
    ) : (
      piece
    );
  });
}
