import {
  Fragment,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
} from "react";
import { durationText } from "../../../core/view/numbers.ts";
import {
  NO_ITEM_TIMELINES,
  type ItemTimeline,
  pendingItems,
  socketTimelineRows,
  type TimelineRow,
} from "../../../core/view/progress/timeline-rows.ts";
import { Button } from "../ui/buttons.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { ticksFor, timeScaleFor, timelineLengthMs } from "./time-scale.ts";
import { ItemLaneRow, LaneRow, VisitsRow, WorkerRow, type TimelineRowProps } from "./timeline-rows.tsx";
import type { TimelineProps } from "./timeline-panel.tsx";
import { bindSheets } from "../ui/classes.ts";
import timelineSheet from "./timeline.module.css";
import { countedText } from "../../../core/model/text.ts";

const css = bindSheets(timelineSheet);

/** Longer timelines fold: finished rows show on request. */
const MAX_ROWS = 40;
/** The height of axis and scrubber, which stay visible above the rows. */
const STICKY_HEIGHT_PX = 50;

/** One row per item or socket, bars as long as their visits, and a line at the shown moment. */
export function Timeline(
  props: TimelineProps & { readonly aligned: boolean; readonly bySocket: boolean; readonly zoom: number },
): ReactElement {
  const { cast, view, aligned, bySocket, zoom } = props;
  const [unfolded, setUnfolded] = useState(false);
  const nowMs = view.latest.elapsedMs;
  const rows = useMemo(
    () => (bySocket ? socketTimelineRows(view.allVisits) : view.rows),
    [bySocket, view.allVisits, view.rows],
  );
  const at = view.at === null ? nowMs : cast.replay.workedAt(view.seq);
  const lanes = bySocket ? NO_ITEM_TIMELINES.items : view.itemLanes;
  const stays = [...rows.map(({ visits }) => visits), ...lanes.map(({ attempts }) => attempts)];
  const scale = timeScaleFor(timelineLengthMs(stays, { nowMs, aligned }), { zoom: aligned ? 1 : zoom, around: at });
  const folds = rows.length > MAX_ROWS && !unfolded;
  const shown = folds ? rows.filter((row, index) => isRowShown(row, index, rows.length, view.visit?.index)) : rows;
  const toCome = bySocket ? null : pendingItems(view.pass, view.allVisits, lanes);
  const list = useRef<HTMLDivElement>(null);
  useScrollToVisit(list, view.visit?.index, shown.length);
  const placed = { ...props, scale, at };
  return (
    <div className={css("timeline")} ref={list}>
      <div className={css("time-top")}>
        <div className={css("axis-label")}>{bySocket ? "Socket" : "Item"}</div>
        <TimeAxis {...placed} />
      </div>
      {folds && (
        <div className={css("folded-rows")}>
          <Button look="bare" onClick={() => setUnfolded(true)}>
            {`Show ${countedText(rows.length - shown.length, "finished row")}`}
          </Button>
        </div>
      )}
      <WorkerRow {...placed} />
      <TimelineRows {...placed} shown={shown} lanes={lanes} />
      {toCome && (
        <LaneRow
          {...placed}
          look="to-come-row"
          number={toCome.first === toCome.last ? toCome.first : `${toCome.first}–${toCome.last}`}
          name={<span className={css("cut")}>{`${countedText(toCome.count, "item")} to come`}</span>}
        />
      )}
      <div className={css("time-key")} aria-hidden="true">
        {LEGEND.map(([look, text]) => (
          <span key={text}>
            <i className={css(look)} />
            {renderSymbols(text)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Scrolls the list, never the page, to the row of the open visit. */
function useScrollToVisit(list: RefObject<HTMLElement | null>, index: number | undefined, rows: number): void {
  useEffect(() => {
    const bar = list.current?.querySelector("button[aria-current=true]")?.getBoundingClientRect();
    const body = list.current?.parentElement;
    if (!bar || !body || body.scrollHeight <= body.clientHeight) return;
    const frame = body.getBoundingClientRect();
    if (bar.bottom > frame.bottom) body.scrollTop += bar.bottom - frame.bottom + 8;
    else if (bar.top < frame.top + STICKY_HEIGHT_PX) body.scrollTop += bar.top - frame.top - STICKY_HEIGHT_PX - 8;
  }, [list, index, rows]);
}

const LEGEND = [
  ["bar", "done"],
  ["bar satisfied-visit", "✓ satisfied"],
  ["bar refused-visit", "✗ not satisfied"],
  ["bar changed-files", "changed files"],
] as const;

/** Rows of visits in order, with rows of parallel items between them. */
function TimelineRows(
  props: TimelineRowProps & { readonly shown: readonly TimelineRow[]; readonly lanes: readonly ItemTimeline[] },
): ReactElement {
  const { shown, lanes } = props;
  const lanesOf = (from: number, to: number): readonly ReactElement[] =>
    lanes
      .filter(({ parallelRun }) => parallelRun > from && parallelRun <= to)
      .map((lane) => <ItemLaneRow key={lane.key} {...props} lane={lane} />);
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

/** Rows that never fold: outside the loop, the last few, failed ones, and the open one. */
function isRowShown(row: TimelineRow, index: number, all: number, read: number | undefined): boolean {
  if (row.number === null || index >= all - MAX_ROWS / 2) return true;
  return row.visits.some(({ outcome, index: visit }) => outcome === "failed" || visit === read) || row.givenUp !== null;
}

/** The scrubber: dragging moves by time; arrow keys step event by event. */
function TimeAxis({ cast, view, at, scale }: TimelineRowProps): ReactElement {
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
    <>
      <div className={css("axis")} aria-hidden="true">
        {ticksFor(scale).map(({ at: share, text }) => (
          <span key={text} style={{ left: `${share}%` }}>
            {text}
          </span>
        ))}
      </div>
      <div className={css("axis-cost")}>Cost</div>
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
    </>
  );
}
