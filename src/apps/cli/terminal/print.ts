import type { Options } from "../../../core/command/options.ts";
import type { Issue } from "../../../core/model/issue.ts";
import { issueLines, withProgramName } from "../../../core/view/issues.ts";
import { wrapLineHanging, line, type Line, type Tone } from "../../../core/view/line.ts";
import type { CommandOutput } from "../../../shell/commands/command-output.ts";
import { applyStyle, type Io, type Style } from "./io.ts";

const TONE_STYLES: Readonly<Record<Tone, Style | undefined>> = {
  plain: undefined,
  dim: "dim",
  strong: "bold",
  accent: "cyan",
  ok: "green",
  rework: "yellow",
  bad: "red",
  wait: "magenta",
};

export function paintLine(io: Io, line: Line): string {
  return line
    .map(({ text, tone = "plain" }) => {
      const style = TONE_STYLES[tone];
      return style === undefined ? text : applyStyle(io, style, text);
    })
    .join("");
}

export function printLines(io: Io, lines: readonly Line[], write: (text: string) => void = io.out): void {
  // [C37] A terminal breaks lines in the middle of words, so wrap them; other programs get whole lines.
  const isTerminal = io.isTerminal || (io.live && write === io.err);
  const rows = isTerminal ? lines.flatMap((each) => wrapLineHanging(each, io.columns())) : lines;
  write(rows.map((row) => `${paintLine(io, row)}\n`).join(""));
}

/** [C41] Prints every problem on standard error, with its way out as typed here. */
export function printIssues(io: Io, issues: readonly Issue[]): void {
  printLines(io, withProgramName(issueLines(issues), io.program), io.err);
}

/** Texts of this program that are not lines of a result. */
export function printText(io: Io, text: string, write: (text: string) => void = io.err): void {
  printLines(
    io,
    text.split("\n").map((each) => line(each)),
    write,
  );
}

/** [C5] JSON escapes most control characters; escape the rest, and text-direction marks, for terminals. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Listings are JSON for programs and lines for people. */
export function printAnswer(io: Io, { json }: Options, { code, data, lines, piped }: CommandOutput): number {
  if (json) io.out(`${jsonText(data, 2)}\n`);
  else if (piped && !io.isTerminal) io.out(piped);
  else if (piped)
    io.out(
      lines(io.columns())
        .map((each) => `${paintLine(io, each)}\n`)
        .join(""),
    );
  else printLines(io, lines(io.columns()));
  return code;
}
