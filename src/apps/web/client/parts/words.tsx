import type { ReactElement } from "react";
import type { Line, Tone } from "../../../../core/view/text/line.ts";

const TONES: Readonly<Record<Tone, string>> = {
  plain: "",
  dim: "mute",
  strong: "strong",
  accent: "t-accent",
  ok: "t-ok",
  rework: "t-rework",
  bad: "t-bad",
  wait: "t-wait",
};

/** A line of the shared view: its words and what they mean to the eye. */
export function Words({ line }: { readonly line: Line }): ReactElement {
  return (
    <>
      {line.map(({ text, tone = "plain" }, index) => (
        // A line is drawn anew as a whole; its pieces have no identity but their place.
        <span key={index} className={TONES[tone]}>
          {text}
        </span>
      ))}
    </>
  );
}
