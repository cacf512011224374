import { Fragment, type ReactElement, type ReactNode, useMemo } from "react";
import {
  type ItemAttempt,
  type ItemTimeline,
  type ItemMergeMark,
  type TimelineRow,
  workerStretches,
} from "../../../core/view/progress/timeline-rows.ts";
import { totalTokens } from "../../../core/cast/state/usage.ts";
import { durationText, costText } from "../../../core/view/numbers.ts";
import { titleText } from "../../../core/view/report/handoff-lines.ts";
import { renderSymbols } from "../ui/line-text.tsx";
import { bindSheets } from "../ui/classes.ts";
import timelineSheet from "./timeline.module.css";
import { fileChangesText } from "../../../core/view/file-changes.ts";
import type { VisitOutcome } from "../../../core/history/visits.ts";
import type { TimelineVisit } from "../../../core/view/progress/playback.ts";
import { materiaColorStyle } from "../ui/icons.tsx";
import type { ItemVisit } from "../cast-replay/use-cast.ts";
import { hrefOf } from "../browser/route.ts";
import { ticksFor, type Stay, type TimeScale } from "./time-scale.ts";
import type { TimelineProps } from "./timeline-panel.tsx";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(timelineSheet);

export interface TimelineRowProps extends TimelineProps {
  readonly scale: TimeScale;
  /** Every row starts at zero. */
  readonly aligned: boolean;
  /** The shown moment, in milliseconds of work. */
  readonly at: number;
}

export function LaneRow(
  props: TimelineRowProps & {
    readonly look?: "now" | "to-come-row" | "";
    readonly number: ReactNode;
    readonly name: ReactNode;
    readonly title?: string;
    readonly spent?: { readonly tokens: number; readonly cost: number };
    readonly children?: ReactNode;
  },
): ReactElement {
  const { scale, at, aligned, look = "", number, name, title, spent, children } = props;
  return (
    <>
      <div className={css(`row-label ${look}`)} title={title}>
        <span className={css("row-number")}>{number}</span>
        {name}
      </div>
      <div className={css("lane")}>
        {!aligned && <GridLines scale={scale} at={at} />}
        {children}
      </div>
      <div className={css("cost")} title={spent && `${spent.tokens} tokens`}>
        {spent && (spent.cost > 0 || spent.tokens > 0) && costText(spent.cost)}
      </div>
    </>
  );
}

function GridLines({ scale, at }: { readonly scale: TimeScale; readonly at: number }): ReactElement {
  return (
    <span aria-hidden="true">
      {ticksFor(scale)
        .slice(1)
        .map(({ at: share }) => (
          <i key={share} className={css("tick")} style={{ left: `${share}%` }} />
        ))}
      <span className={css("now-line")} style={{ left: `${Math.max(0, Math.min(100, scale.positionPercent(at)))}%` }} />
    </span>
  );
}

function barStyle({ scale, view }: TimelineRowProps, start: number, { from, to }: Stay) {
  const length = scale.lengthPercent((to ?? view.latest.elapsedMs) - from);
  return { left: `${scale.positionPercent(from - start)}%`, width: `calc(${length}% - 1px)` };
}

function stayText({ view }: TimelineRowProps, { from, to }: Stay): string {
  return durationText((to ?? view.latest.elapsedMs) - from);
}

const ATTEMPT_LOOKS = {
  running: { look: "running-visit", word: "at work" },
  done: { look: "", word: "done" },
  failed: { look: "failed-visit", word: "failed" },
  given_up: { look: "refused-visit", word: "given up" },
} as const satisfies Record<ItemAttempt["outcome"], object>;

const MERGE_MARKS = {
  merged: { sign: "✓", look: "item-mark tone-good", word: "merged at" },
  conflicted: { sign: "✗", look: "item-mark tone-rework", word: "in conflict:" },
} as const satisfies Record<ItemMergeMark["kind"], object>;

/** [V23] A parallel item: each attempt links to its cast, marks show merges and conflicts. */
export function ItemLaneRow(props: TimelineRowProps & { readonly lane: ItemTimeline }): ReactElement {
  const { view, scale, aligned, lane } = props;
  const { number, title, attempts, marks, usage } = lane;
  const start = aligned ? (attempts[0]?.from ?? 0) : 0;
  return (
    <LaneRow
      {...props}
      look={attempts.some(({ to }) => to === null) ? "now" : ""}
      number={number}
      name={<span className={css("cut")}>{titleText(title, 200)}</span>}
      title={title}
      spent={{ tokens: totalTokens(usage), cost: usage.cost }}
    >
      {attempts.map((attempt, index) => {
        const { child, outcome, worker } = attempt;
        const visits = view.itemVisits.get(child) ?? [];
        const { look, word } = ATTEMPT_LOOKS[outcome];
        const place = worker === undefined ? "" : ` on ${worker}`;
        const said = `Item ${number}, attempt ${index + 1}, ${stayText(props, attempt)}, ${word}${place}: open its cast`;
        return (
          <Fragment key={child}>
            <a
              className={css(`bar item-bar ${look} ${visits.length > 0 ? "behind-visits" : ""}`)}
              style={barStyle(props, start, attempt)}
              href={hrefOf("casts", child)}
              title={said}
              aria-label={said}
            />
            {visits.map((each) => (
              <ItemVisitBar key={each.visit.index} {...props} each={each} start={start} />
            ))}
          </Fragment>
        );
      })}
      {marks.map(({ kind, at, what }) => {
        const { sign, look, word } = MERGE_MARKS[kind];
        const said = `${word} ${what}`;
        const left = `${scale.positionPercent(at - start)}%`;
        return (
          <span key={`${kind} ${at}`} className={css(look)} style={{ left }} title={said}>
            {renderSymbols(sign)}
            <span className={css("spoken")}>{said}</span>
          </span>
        );
      })}
    </LaneRow>
  );
}

export function itemVisitHref({ child, visit }: ItemVisit): string {
  return hrefOf("casts", child, { visit: `${visit.socket}#${visit.visit}` });
}

/** [W45] A visit of an item; it leads to the visit in the cast of the item. */
function ItemVisitBar(props: TimelineRowProps & { readonly each: ItemVisit; readonly start: number }): ReactElement {
  const { cast, each, start } = props;
  const { visit } = each;
  const { look, sign, word } = VISIT_LOOKS[visit.outcome];
  const said = `${visit.materia}, ${stayText(props, visit)}, ${word}`;
  const color = cast.castFile.graph.materia[visit.materia]?.color;
  return (
    <a
      className={css(`bar ${look}`)}
      style={{ ...materiaColorStyle(color), ...barStyle(props, start, visit) }}
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
} as const satisfies Record<VisitOutcome, object>;

export function VisitsRow(props: TimelineRowProps & { readonly row: TimelineRow }): ReactElement {
  const { view, row, aligned } = props;
  const { number, title, givenUp, visits } = row;
  const start = aligned ? (visits[0]?.from ?? 0) : 0;
  return (
    <LaneRow
      {...props}
      look={visits.some(({ index }) => index === view.visits.at(-1)?.index) ? "now" : ""}
      number={number}
      name={
        <>
          <span className={css(givenUp === null ? "cut" : "cut given-up-title")}>{title}</span>
          {givenUp !== null && <span className={css("tone-bad given-up-mark")}>given up</span>}
        </>
      }
      title={givenUp === null ? title : `${title} – given up: ${givenUp.trim() || "no reason was given"}`}
      spent={row}
    >
      {visits.map((visit) => (
        <VisitBar key={visit.index} {...props} visit={visit} start={start} />
      ))}
    </LaneRow>
  );
}

/** Length is duration, fill is outcome; the name shows only if it fits. */
function VisitBar(props: TimelineRowProps & { readonly visit: TimelineVisit; readonly start: number }): ReactElement {
  const { cast, view, visit, start, onOpen } = props;
  const materia = cast.castFile.graph.materia[visit.materia];
  const { look, sign, word } = VISIT_LOOKS[visit.outcome];
  const item = visit.item ? `item ${visit.item.index + 1}` : "no item";
  const stay = stayText(props, visit);
  const changed = visit.files && "changed" in visit.files.now ? fileChangesText(visit.files.now) : undefined;
  const said = changed === undefined ? word : `${word}, ${changed}`;
  const isUtility = materia?.type === "utility";
  const isRead = visit.index === view.visit?.index;
  const isLater = visit.firstSeq > view.seq;
  return (
    <button
      type="button"
      className={css(
        `bar ${look} ${isRead ? "read" : ""} ${isLater ? "later" : ""} ${isUtility ? "utility-bar" : ""} ${changed === undefined ? "" : "changed-files"}`,
      )}
      style={{ ...barStyle(props, start, visit), ...materiaColorStyle(materia?.color) }}
      title={`${visit.materia}, ${stay}, ${said}`}
      aria-label={`${visit.materia}, ${item}, ${stay}, ${said}`}
      aria-current={isRead ? "true" : undefined}
      tabIndex={isRead ? 0 : -1}
      onClick={() => {
        if (visit.to === null) view.goLive();
        else view.goToVisit(visit.index);
        onOpen();
      }}
    >
      <BarText sign={sign} name={visit.materia} isUtility={isUtility} />
    </button>
  );
}

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
export function WorkerRow(props: TimelineRowProps): ReactElement | null {
  const { cast, view, scale, aligned } = props;
  const { replay, version } = cast;
  const stretches = useMemo(() => workerStretches(replay.events()), [replay, version]);
  if (stretches.length === 0) return null;
  const moves = stretches.length - 1;
  return (
    <>
      <div className={css("row-label")}>
        <span className={css("row-number")} />
        <span className={css("cut")}>{moves === 0 ? "Worker" : `Worker, ${countedText(moves, "move")}`}</span>
      </div>
      <ol className={css(aligned ? "lane worker-list" : "lane")} aria-label="Workers">
        {stretches.map(({ worker, seq }, index) => {
          const next = stretches[index + 1];
          const [from, to] = [replay.workedAt(seq), next ? replay.workedAt(next.seq) : view.latest.elapsedMs];
          const text = `${index === 0 ? "began on" : "moved to"} ${worker} at ${durationText(from)}`;
          const left = `${Math.max(0, scale.positionPercent(from))}%`;
          const style = aligned ? undefined : { left, width: `${scale.lengthPercent(to - from)}%` };
          return (
            <li key={seq} className={css("worker-stretch")} title={text} style={style}>
              <button type="button" onClick={() => view.goTo(seq)} aria-label={text}>
                <span className={css("cut")}>{worker}</span>
              </button>
            </li>
          );
        })}
      </ol>
      <div className={css("cost")} />
    </>
  );
}
