import { type ReactElement, type ReactNode, memo, useMemo } from "react";
import {
  type ItemAttempt,
  type ItemTimeline,
  type ItemMergeMark,
  workerStretches,
} from "../../../core/view/progress/timeline-rows.ts";
import { totalTokens } from "../../../core/cast/state/usage.ts";
import { durationText, costText } from "../../../core/view/numbers.ts";
import { titleText } from "../../../core/view/report/handoff-lines.ts";
import { renderSymbols } from "../ui/line-text.tsx";
import { bindSheets } from "../ui/classes.ts";
import timelineSheet from "./timeline.module.css";
import type { Materia } from "../../../core/model/materia.ts";
import { fileChangesText } from "../../../core/view/file-changes.ts";
import type { VisitOutcome } from "../../../core/history/visits.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { materiaColorStyle } from "../ui/icons.tsx";
import type { CastView } from "../cast-replay/use-cast-view.ts";
import type { ItemVisit } from "../cast-replay/use-cast.ts";
import { hrefOf } from "../browser/route.ts";
import type { TimeScale } from "./time-scale.ts";
import type { TimelineProps } from "./timeline-panel.tsx";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(timelineSheet);

const ATTEMPT_LOOKS = {
  running: { look: "running-visit", word: "at work" },
  done: { look: "", word: "done" },
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
  readonly itemVisits: CastView["itemVisits"];
  readonly materia: Readonly<Record<string, Materia>>;
  readonly scale: TimeScale;
  readonly nowMs: number;
  readonly aligned: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const { lane, itemVisits, materia, scale, nowMs, aligned, children } = props;
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
            scale={scale}
            start={start}
            visits={itemVisits.get(attempt.child) ?? []}
            materia={materia}
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

/** The address of a visit inside the cast of an item. */
export function itemVisitHref({ child, visit }: ItemVisit): string {
  return hrefOf("casts", child, { visit: `${visit.socket}#${visit.visit}` });
}

function AttemptBar(props: {
  readonly scale: TimeScale;
  readonly start: number;
  readonly visits: readonly ItemVisit[];
  readonly materia: Readonly<Record<string, Materia>>;
  readonly name: string;
  readonly attempt: ItemAttempt;
  readonly left: number;
  readonly width: number;
  readonly nowMs: number;
}): ReactElement {
  const { name, attempt, left, width, nowMs, scale, start, visits, materia } = props;
  const { child, from, to, outcome, worker } = attempt;
  const { look, word } = ATTEMPT_LOOKS[outcome];
  const said = `${name}, ${durationText((to ?? nowMs) - from)}, ${word}${worker === undefined ? "" : ` on ${worker}`}: open its cast`;
  return (
    <>
      <a
        className={css(`bar item-bar ${look} ${visits.length > 0 ? "behind-visits" : ""}`)}
        style={{ left: `${left}%`, width: `calc(${width}% - 1px)` }}
        href={hrefOf("casts", child)}
        title={said}
        aria-label={said}
      />
      {visits.map((each) => (
        <ItemVisitBar
          key={each.visit.index}
          each={each}
          color={materia[each.visit.materia]?.color}
          scale={scale}
          start={start}
          nowMs={nowMs}
        />
      ))}
    </>
  );
}

/** [W45] A visit of an item; it leads to the visit in the cast of the item. */
function ItemVisitBar(props: {
  readonly each: ItemVisit;
  readonly color: Materia["color"];
  readonly scale: TimeScale;
  readonly start: number;
  readonly nowMs: number;
}): ReactElement {
  const { each, color, scale, start, nowMs } = props;
  const { visit } = each;
  const { look, sign, word } = VISIT_LOOKS[visit.outcome];
  const said = `${visit.materia}, ${durationText((visit.to ?? nowMs) - visit.from)}, ${word}`;
  return (
    <a
      className={css(`bar ${look}`)}
      style={{
        ...materiaColorStyle(color),
        left: `${scale.positionPercent(visit.from - start)}%`,
        width: `calc(${scale.lengthPercent((visit.to ?? nowMs) - visit.from)}% - 1px)`,
      }}
      href={itemVisitHref(each)}
      title={said}
      aria-label={said}
      tabIndex={-1}
    >
      <BarText sign={sign} name={visit.materia} isUtility={false} />
    </a>
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
      <BarText sign={sign} name={visit.materia} isUtility={isUtility} />
    </button>
  );
});

/** The outcome as a sign, or the materia as a dot with its name. */
function BarText(props: { readonly sign: string; readonly name: string; readonly isUtility: boolean }): ReactElement {
  const { sign, name, isUtility } = props;
  if (sign !== "") return <span className={css("bar-sign")}>{renderSymbols(sign)}</span>;
  return (
    <>
      <span className={css(`materia-dot ${isUtility ? "utility-dot" : ""}`)} />
      <span className={css("bar-name")}>{name}</span>
    </>
  );
}

/** [B28] The worker of each period; empty for a cast without a fleet. */
export function WorkerRow(
  props: TimelineProps & { readonly scale: TimeScale; readonly aligned: boolean },
): ReactElement | null {
  const { cast, view, scale, aligned } = props;
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
