import type { ReactElement, ReactNode } from "react";
import type { ItemAttempt, ItemTimeline, ItemMergeMark } from "../../../../../../core/view/items/lanes.ts";
import { totalTokens } from "../../../../../../core/cast/state/usage.ts";
import { durationText, costText } from "../../../../../../core/view/numbers.ts";
import { titleText } from "../../../../../../core/view/tell/handed.ts";
import { renderSymbols } from "../../../parts/marks/words.tsx";
import type { TimeScale } from "./scale.ts";
import { bindClassNames } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import timelineSheet from "./timeline.module.css";

const css = bindClassNames(timelineSheet, baseSheet);

const ATTEMPT_LOOKS = {
  running: { look: "running-visit", word: "at work" },
  done: { look: "", word: "worked out" },
  failed: { look: "failed-visit", word: "failed" },
  given_up: { look: "refused-visit", word: "given up" },
} as const satisfies Record<ItemAttempt["outcome"], { readonly look: string; readonly word: string }>;

const MERGE_MARKS = {
  merged: { sign: "✓", look: "item-mark tone-good", word: "merged at" },
  conflicted: { sign: "✗", look: "item-mark tone-rework", word: "in conflict:" },
} as const satisfies Record<ItemMergeMark["kind"], { readonly sign: string; readonly look: string; readonly word: string }>;

/** [V23] An item that was worked on beside others: each attempt leads to its own cast, marks tell of merges and conflicts. */
export function ItemLaneRow(props: {
  readonly lane: ItemTimeline;
  readonly scale: TimeScale;
  readonly nowMs: number;
  readonly aligned: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const { lane, scale, nowMs, aligned, children } = props;
  const { number, title, attempts, marks, usage } = lane;
  const start = aligned ? (attempts[0]?.from ?? 0) : 0;
  const isNow = attempts.some(({ to }) => to === null);
  return (
    <>
      <div className={css(`row-label ${isNow ? "now" : ""}`)} title={title}>
        <span className={css("row-number")}>{number}</span>
        <span className={css("cut")}>{titleText(title, 200)}</span>
      </div>
      <div className={css("lane")}>
        {children}
        {attempts.map((attempt, index) => (
          <AttemptBar
            key={attempt.child}
            name={`Item ${number}, attempt ${index + 1}`}
            attempt={attempt}
            left={scale.positionPercent(attempt.from - start)}
            width={scale.lengthPercent((attempt.to ?? nowMs) - attempt.from)}
            nowMs={nowMs}
          />
        ))}
        {marks.map(({ kind, at, what }) => (
          <span
            key={`${kind} ${at}`}
            className={css(MERGE_MARKS[kind].look)}
            style={{ left: `${scale.positionPercent(at - start)}%` }}
            title={`${MERGE_MARKS[kind].word} ${what}`}
          >
            {renderSymbols(MERGE_MARKS[kind].sign)}
            <span className={css("spoken")}>{`${MERGE_MARKS[kind].word} ${what}`}</span>
          </span>
        ))}
      </div>
      <div className={css("cost")} title={`${totalTokens(usage)} tokens`}>
        {totalTokens(usage) > 0 || usage.cost > 0 ? costText(usage.cost) : ""}
      </div>
    </>
  );
}

function AttemptBar(props: {
  readonly name: string;
  readonly attempt: ItemAttempt;
  readonly left: number;
  readonly width: number;
  readonly nowMs: number;
}): ReactElement {
  const { name, attempt, left, width, nowMs } = props;
  const { child, from, to, outcome, worker } = attempt;
  const { look, word } = ATTEMPT_LOOKS[outcome];
  const said = `${name}, ${durationText((to ?? nowMs) - from)}, ${word}${worker === undefined ? "" : ` on ${worker}`}: open its cast`;
  return (
    <a
      className={css(`bar item-bar ${look}`)}
      style={{ left: `${left}%`, width: `calc(${width}% - 1px)` }}
      href={`#/casts/${child}`}
      title={said}
      aria-label={said}
    />
  );
}
