import type { Line, Tone } from "../../core/view/text/line.ts";
import { styled } from "./io.ts";
import type { Io, Style } from "./io.ts";

const STYLES: Readonly<Record<Tone, Style | undefined>> = {
  plain: undefined,
  dim: "dim",
  strong: "bold",
  accent: "cyan",
  ok: "green",
  rework: "yellow",
  bad: "red",
  wait: "magenta",
};

export function paint(io: Io, line: Line): string {
  return line
    .map(({ text, tone = "plain" }) => {
      const style = STYLES[tone];
      return style === undefined ? text : styled(io, style, text);
    })
    .join("");
}

export function printLines(io: Io, lines: readonly Line[], write: (text: string) => void = io.out): void {
  write(lines.map((line) => `${paint(io, line)}\n`).join(""));
}

export function printJson(io: Io, value: unknown): void {
  io.out(`${JSON.stringify(value, undefined, 2)}\n`);
}
