import {
  Fragment,
  useEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from "react";
import { durationText, costText } from "../../../core/view/numbers.ts";
import {
  NO_ITEM_TIMELINES,
  type ItemTimeline,
  pendingItems,
  socketTimelineRows,
  type PendingItems,
  type TimelineRow,
} from "../../../core/view/progress/timeline-rows.ts";
import { Button } from "../ui/buttons.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { ticksFor, timeScaleFor, timelineLengthMs, type TimeScale } from "./time-scale.ts";
import { VisitBar, ItemLaneRow, WorkerRow } from "./timeline-rows.tsx";
import type { TimelineProps } from "./timeline-panel.tsx";
import { bindSheets } from "../ui/classes.ts";
import timelineSheet from "./timeline.module.css";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(timelineSheet);

/** Longer timelines fold: finished rows show on request. */
const MAX_ROWS = 40;
/** The height of axis and scrubber, which stay visible above the rows. */
const STICKY_HEIGHT_PX = 50;

export interface TimelineOptions {
  readonly aligned: boolean;
  /** One row per socket instead of per item. */
  readonly bySocket: boolean;
  /** The zoom factor. */
  readonly zoom: number;
}

/** One row per item, bars as long as their visits, and a line at the shown moment. */
export function Timeline(props: TimelineProps & TimelineOptions): ReactElement {
  const { cast, view, aligned, bySocket, zoom } = props;
  const [unfolded, setUnfolded] = useState(false);
  const nowMs = view.latest.elapsedMs;
  const rows = useMemo(
    () => (bySocket ? socketTimelineRows(view.allVisits) : view.rows),
    [bySocket, view.allVisits, view.rows],
  );
  const at = view.at === null ? nowMs : cast.replay.workedAt(view.seq);
  const lanes = bySocket ? NO_ITEM_TIMELINES.items : view.itemLanes;
  const scale = timeScaleFor(timelineLengthMs({ rows, lanes }, { nowMs, aligned }), { zoom, around: at });
  const folds = rows.length > MAX_ROWS && !unfolded;
  const shown = folds ? rows.filter((row, index) => isRowShown(row, index, rows.length, view.visit?.index)) : rows;
  const toCome = bySocket ? null : pendingItems(view.pass, view.allVisits, lanes);
  const list = useRef<HTMLDivElement>(null);
  // Scroll the list, never the page, to the row of the open visit.
  useEffect(() => {
    const bar = list.current?.querySelector("button[aria-current=true]")?.getBoundingClientRect();
    const body = list.current?.parentElement;
    if (!bar || !body || body.scrollHeight <= body.clientHeight) return;
    const frame = body.getBoundingClientRect();
    if (bar.bottom > frame.bottom) body.scrollTop += bar.bottom - frame.bottom + 8;
    else if (bar.top < frame.top + STICKY_HEIGHT_PX) body.scrollTop += bar.top - frame.top - STICKY_HEIGHT_PX - 8;
  }, [view.visit?.index, shown.length]);
  return (
    <div className={css("timeline")} ref={list}>
      <div className={css("time-top")}>
        <div className={css("axis-label")}>{bySocket ? "Socket" : "Item"}</div>
        <div className={css("axis")} aria-hidden="true">
          {ticksFor(scale).map(({ at: share, text }) => (
            <span key={text} style={{ left: `${share}%` }}>
              {text}
            </span>
          ))}
        </div>
        <div className={css("axis-cost")}>Cost</div>
        <Scrubber {...props} scale={scale} at={at} />
      </div>
      {folds && (
        <div className={css("folded-rows")}>
          <Button look="bare" onClick={() => setUnfolded(true)}>
            {`Show ${countedText(rows.length - shown.length, "finished row")}`}
          </Button>
        </div>
      )}
      <WorkerRow {...props} scale={scale} />
      <TimelineRows {...props} shown={shown} lanes={lanes} scale={scale} at={at} />
      {toCome && <UpcomingItems items={toCome}>{!aligned && <GridLines scale={scale} at={at} />}</UpcomingItems>}
      <TimelineLegend />
    </div>
  );
}

/** Rows of visits in order, with rows of parallel items between them. */
function TimelineRows(
  props: TimelineProps &
    TimelineOptions & {
      readonly shown: readonly TimelineRow[];
      readonly lanes: readonly ItemTimeline[];
      readonly scale: TimeScale;
      readonly at: number;
    },
): ReactElement {
  const { view, shown, lanes, scale, at, aligned } = props;
  const lanesOf = (from: number, to: number): readonly ReactElement[] =>
    lanes
      .filter(({ parallelRun: fork }) => fork > from && fork <= to)
      .map((lane) => (
        <ItemLaneRow
          key={lane.key}
          lane={lane}
          itemVisits={view.itemVisits}
          materia={props.cast.castFile.graph.materia}
          scale={scale}
          nowMs={view.latest.elapsedMs}
          aligned={aligned}
        >
          {!aligned && <GridLines scale={scale} at={at} />}
        </ItemLaneRow>
      ));
  return (
    <>
      {shown.map((row, index) => (
        <Fragment key={row.key}>
          {lanesOf(shown[index - 1]?.parallelRunsBefore ?? 0, row.parallelRunsBefore)}
          <VisitsRow {...props} row={row} />
        </Fragment>
      ))}
      {lanesOf(shown.at(-1)?.parallelRunsBefore ?? 0, Infinity)}
    </>
  );
}

/** All pending items share one row. */
function UpcomingItems(props: { readonly items: PendingItems; readonly children: ReactNode }): ReactElement {
  const { first, last, count } = props.items;
  return (
    <>
      <div className={css("row-label to-come-row")}>
        <span className={css("row-number")}>{first === last ? first : `${first}–${last}`}</span>
        <span className={css("cut")}>{`${countedText(count, "item")} to come`}</span>
      </div>
      <div className={css("lane")}>{props.children}</div>
      <div className={css("cost")} />
    </>
  );
}

const LEGEND = [
  ["bar", "done"],
  ["bar satisfied-visit", "✓ satisfied"],
  ["bar refused-visit", "✗ not satisfied"],
  ["bar changed-files", "changed files"],
] as const;

function TimelineLegend(): ReactElement {
  return (
    <div className={css("time-key")} aria-hidden="true">
      {LEGEND.map(([look, text]) => (
        <span key={text}>
          <i className={css(look)} />
          {renderSymbols(text)}
        </span>
      ))}
    </div>
  );
}

/** Rows that never fold: outside the loop, the last few, failed ones, and the open one. */
function isRowShown(row: TimelineRow, index: number, all: number, read: number | undefined): boolean {
  if (row.number === null || index >= all - MAX_ROWS / 2) return true;
  return row.visits.some(({ outcome, index: visit }) => outcome === "failed" || visit === read) || row.givenUp !== null;
}

function VisitsRow(
  props: TimelineProps & {
    readonly row: TimelineRow;
    readonly scale: TimeScale;
    readonly at: number;
    readonly aligned: boolean;
  },
): ReactElement {
  const { cast, view, row, scale, at, aligned, onOpen } = props;
  const isNow = row.visits.some(({ index }) => index === view.visits.at(-1)?.index);
  const start = row.visits[0]?.from ?? 0;
  return (
    <Fragment>
      <div className={css(`row-label ${isNow ? "now" : ""}`)} title={rowTitle(row)}>
        <span className={css("row-number")}>{row.number ?? ""}</span>
        <span className={css(row.givenUp === null ? "cut" : "cut given-up-title")}>{row.title}</span>
        {row.givenUp !== null && <span className={css("tone-bad given-up-mark")}>given up</span>}
      </div>
      <div className={css("lane")} style={{ "--row": start } as CSSProperties}>
        {!aligned && <GridLines scale={scale} at={at} />}
        {row.visits.map((visit) => (
          <VisitBar
            key={visit.index}
            visit={visit}
            materia={cast.castFile.graph.materia[visit.materia]}
            share={scale.positionPercent(aligned ? visit.from - start : visit.from)}
            length={scale.lengthPercent((visit.to ?? view.latest.elapsedMs) - visit.from)}
            isRead={visit.index === view.visit?.index}
            isLater={visit.firstSeq > view.seq}
            nowMs={view.latest.elapsedMs}
            onChoose={() => {
              if (visit.to === null) view.goLive();
              else view.goToVisit(visit.index);
              onOpen();
            }}
          />
        ))}
      </div>
      <div className={css("cost")} title={`${row.tokens} tokens`}>
        {row.cost > 0 || row.tokens > 0 ? costText(row.cost) : ""}
      </div>
    </Fragment>
  );
}

function rowTitle({ title, givenUp }: TimelineRow): string {
  return givenUp === null ? title : `${title} – given up: ${givenUp.trim() || "no reason was given"}`;
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

/** Dragging moves by time; arrow keys step event by event. */
function Scrubber(props: TimelineProps & { readonly at: number; readonly scale: TimeScale }): ReactElement {
  const { cast, view, at, scale } = props;
  const last = cast.replay.lastSeq();
  const go = (seq: number): void => (seq >= last ? view.goLive() : view.goTo(seq));
  const step = (event: KeyboardEvent): void => {
    const to = {
      ArrowLeft: view.seq - 1,
      ArrowDown: view.seq - 1,
      ArrowRight: view.seq + 1,
      ArrowUp: view.seq + 1,
      PageDown: view.seq - 20,
      PageUp: view.seq + 20,
      Home: 1,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  return (
    <label className={css("scrub")}>
      <span className={css("spoken")}>Moment of the cast</span>
      <input
        type="range"
        min={0}
        max={1_000}
        step="any"
        value={Math.max(0, Math.min(1_000, 10 * scale.positionPercent(at)))}
        aria-valuetext={`event ${view.seq} of ${last}, at ${durationText(at)}`}
        onKeyDown={step}
        onChange={(event) => {
          const ms = scale.startMs + (Number(event.target.value) / 1_000) * scale.spanMs;
          go(cast.replay.seqAt(ms));
        }}
      />
    </label>
  );
}
