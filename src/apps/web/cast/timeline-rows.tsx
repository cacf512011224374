import { type ReactElement, type ReactNode, memo, useMemo } from "react";
import type { ItemAttempt, ItemTimeline, ItemMergeMark } from "../../../core/view/progress/item-timelines.ts";
import { totalTokens } from "../../../core/cast/state/usage.ts";
import { durationText, costText } from "../../../core/view/numbers.ts";
import { titleText } from "../../../core/view/report/handoff-lines.ts";
import { renderSymbols } from "../ui/line-text.tsx";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import timelineSheet from "./timeline.module.css";
import type { Materia } from "../../../core/model/materia.ts";
import { fileChangesText } from "../../../core/view/file-changes.ts";
import type { VisitOutcome } from "../../../core/history/visits.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { materiaColorStyle } from "../ui/icons.tsx";
import { workerStretches, type TimelineRow } from "../../../core/view/progress/timeline-rows.ts";
import type { TimelineProps } from "./timeline-panel.tsx";
import { countedText } from "../../../core/model/text.ts";

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
} as const satisfies Record<
  ItemMergeMark["kind"],
  { readonly sign: string; readonly look: string; readonly word: string }
>;

/** [V23] A parallel item: each attempt links to its cast, marks show merges and conflicts. */
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

const VISIT_LOOKS = {
  running: { look: "running-visit", sign: "", word: "running" },
  waiting: { look: "waiting-visit", sign: "‖", word: "waiting for you" },
  done: { look: "", sign: "", word: "done" },
  satisfied: { look: "satisfied-visit", sign: "✓", word: "satisfied" },
  not_satisfied: { look: "refused-visit", sign: "✗", word: "not satisfied" },
  failed: { look: "failed-visit", sign: "✕", word: "failed" },
  aborted: { look: "", sign: "", word: "aborted" },
} as const satisfies Record<VisitOutcome, { readonly look: string; readonly sign: string; readonly word: string }>;

/** A visit: length is duration, fill is outcome; the name shows only if it fits. */
export const VisitBar = memo(function Bar(props: {
  readonly visit: TimelineVisit;
  readonly materia: Materia | undefined;
  readonly share: number;
  readonly length: number;
  readonly isRead: boolean;
  readonly isLater: boolean;
  readonly nowMs: number;
  readonly onChoose: () => void;
}): ReactElement {
  const { visit, materia, share, length, isRead, isLater, nowMs, onChoose } = props;
  const { look, sign, word } = VISIT_LOOKS[visit.outcome];
  const item = visit.item ? `item ${visit.item.index + 1}` : "no item";
  const stay = durationText((visit.to ?? nowMs) - visit.from);
  const changed = visit.files && "changed" in visit.files.now ? fileChangesText(visit.files.now) : undefined;
  const said = changed === undefined ? word : `${word}, ${changed}`;
  const isUtility = materia?.type === "utility";
  return (
    <button
      type="button"
      className={css(
        `bar ${look} ${isRead ? "read" : ""} ${isLater ? "later" : ""} ${isUtility ? "utility-bar" : ""} ${changed === undefined ? "" : "changed-files"}`,
      )}
      style={{ left: `${share}%`, width: `calc(${length}% - 1px)`, ...materiaColorStyle(materia?.color) }}
      title={`${visit.materia}, ${stay}, ${said}`}
      aria-label={`${visit.materia}, ${item}, ${stay}, ${said}`}
      aria-current={isRead ? "true" : undefined}
      tabIndex={isRead ? 0 : -1}
      onClick={onChoose}
    >
      {sign === "" ? (
        <span className={css(`materia-dot ${isUtility ? "utility-dot" : ""}`)} />
      ) : (
        <span className={css("bar-sign")}>{renderSymbols(sign)}</span>
      )}
      {sign === "" && <span className={css("bar-name")}>{visit.materia}</span>}
    </button>
  );
});

/** [B28] The worker of each period; empty for a cast without a fleet. */
export function WorkerRow({
  cast,
  view,
  scale,
  aligned,
}: TimelineProps & { readonly scale: TimeScale; readonly aligned: boolean }): ReactElement | null {
  const { replay, version } = cast;
  const stretches = useMemo(() => workerStretches(replay.events()), [replay, version]);
  if (stretches.length === 0) return null;
  const nowMs = view.latest.elapsedMs;
  const parts = stretches.map(({ worker, seq }, index) => {
    const next = stretches[index + 1];
    const [from, to] = [replay.workedAt(seq), next ? replay.workedAt(next.seq) : nowMs];
    const came = index === 0 ? "began on" : "moved to";
    return { worker, seq, from, length: to - from, text: `${came} ${worker} at ${durationText(from)}` };
  });
  const moves = parts.length - 1;
  return (
    <>
      <div className={css("row-label")}>
        <span className={css("row-number")} />
        <span className={css("cut")}>{moves === 0 ? "Worker" : `Worker, ${countedText(moves, "move")}`}</span>
      </div>
      <ol className={css(aligned ? "lane worker-list" : "lane")} aria-label="Workers">
        {parts.map(({ worker, seq, from, length, text }) => (
          <li
            key={seq}
            className={css("worker-stretch")}
            title={text}
            style={
              aligned
                ? undefined
                : { left: `${Math.max(0, scale.positionPercent(from))}%`, width: `${scale.lengthPercent(length)}%` }
            }
          >
            <button type="button" onClick={() => view.goTo(seq)} aria-label={text}>
              <span className={css("cut")}>{worker}</span>
            </button>
          </li>
        ))}
      </ol>
      <div className={css("cost")} />
    </>
  );
}

/** Maps milliseconds to percent of the width; values outside are below 0 or above 100. */
export interface TimeScale {
  readonly startMs: number;
  readonly spanMs: number;
  readonly positionPercent: (ms: number) => number;
  readonly lengthPercent: (ms: number) => number;
}

/** The whole cast, or the longest row when each starts at zero. */
export function timelineLengthMs(
  { rows, lanes }: { readonly rows: readonly TimelineRow[]; readonly lanes: readonly ItemTimeline[] },
  { nowMs, aligned }: { readonly nowMs: number; readonly aligned: boolean },
): number {
  const ends = rows.map(({ visits }) => {
    const start = visits[0]?.from ?? 0;
    const end = visits.reduce((most, { to }) => Math.max(most, to ?? nowMs), 0);
    return aligned ? end - start : end;
  });
  const laneEnds = lanes.map(({ attempts }) => {
    const end = attempts.reduce((most, { to }) => Math.max(most, to ?? nowMs), 0);
    return aligned ? end - (attempts[0]?.from ?? 0) : end;
  });
  return Math.max(1_000, ...ends, ...laneEnds) * 1.02;
}

/** The visible part: everything, or a zoomed range around a moment. */
export function timeScaleFor(
  wholeMs: number,
  { zoom, around }: { readonly zoom: number; readonly around: number },
): TimeScale {
  const spanMs = wholeMs / zoom;
  const startMs = Math.max(0, Math.min(around - spanMs / 2, wholeMs - spanMs));
  const length = (ms: number): number => (100 * ms) / spanMs;
  return { startMs, spanMs, lengthPercent: length, positionPercent: (ms) => length(ms - startMs) };
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TICK_STEPS = [10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * SECOND))
  .concat([1, 2, 5, 10, 15, 30].map((count) => count * MINUTE))
  .concat([1, 2, 4, 8, 24].map((count) => count * HOUR));
const MAX_TICKS = 5;

export function ticksFor({
  startMs,
  spanMs,
  positionPercent: share,
}: TimeScale): readonly { readonly at: number; readonly text: string }[] {
  const step = TICK_STEPS.find((each) => spanMs / each <= MAX_TICKS) ?? spanMs / MAX_TICKS;
  const [unit, word] =
    step >= HOUR ? ([HOUR, "h"] as const) : step >= MINUTE ? ([MINUTE, "min"] as const) : ([SECOND, "s"] as const);
  const first = Math.ceil(startMs / step);
  const last = Math.floor((startMs + spanMs) / step);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const ms = (first + index) * step;
    return { at: share(ms), text: `${Math.round((100 * ms) / unit) / 100} ${word}` };
  }).filter(({ at }) => at >= 0 && at < 97);
}
