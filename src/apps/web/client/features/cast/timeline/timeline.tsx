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
import { clockText, costText, countedText } from "../../../../../../core/view/numbers.ts";
import { NO_ITEM_LANES, type ItemLane } from "../../../../../../core/view/items/lanes.ts";
import { itemsToCome, socketRows, type TimelineRow } from "../../../../../../core/view/watch/rows.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { glyphs } from "../../../parts/marks/words.tsx";
import { Bar } from "./bar.tsx";
import { ItemLaneRow } from "./item-lane-row.tsx";
import { WorkerRow } from "./worker-row.tsx";
import type { TimelineProps } from "./panel.tsx";
import { scaleOf, ticksOf, wholeOf, type Scale } from "./scale.ts";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import timelineSheet from "./timeline.module.css";

const css = classesOf(timelineSheet, baseSheet);

/** More rows than this fold: what is done shows only when asked for. */
const ROWS_SHOWN = 40;
/** The axis and the scrubber, which stay in view above the rows. */
const TOP = 50;

export interface TimelineLook {
  readonly aligned: boolean;
  /** One row per socket in place of one per item. */
  readonly bySocket: boolean;
  /** How many times less than the whole is seen. */
  readonly zoom: number;
}

/** One row per item; bars as long as their visits; a line at the moment that is looked at. */
export function Timeline(props: TimelineProps & TimelineLook): ReactElement {
  const { cast, view, aligned, bySocket, zoom } = props;
  const [unfolded, setUnfolded] = useState(false);
  const nowMs = view.latest.elapsedMs;
  const rows = useMemo(
    () => (bySocket ? socketRows(view.allVisits) : view.rows),
    [bySocket, view.allVisits, view.rows],
  );
  const at = view.at === null ? nowMs : cast.replay.workedAt(view.seq);
  const lanes = bySocket ? NO_ITEM_LANES.lanes : view.lanes;
  const scale = scaleOf(wholeOf({ rows, lanes }, { nowMs, aligned }), { zoom, around: at });
  const folds = rows.length > ROWS_SHOWN && !unfolded;
  const shown = folds ? rows.filter((row, index) => keepRow(row, index, rows.length, view.visit?.index)) : rows;
  const toCome = bySocket ? null : itemsToCome(view.pass, view.allVisits);
  const list = useRef<HTMLDivElement>(null);
  // The row that is read stays in view; only the list moves, never the page.
  useEffect(() => {
    const bar = list.current?.querySelector("button[aria-current=true]")?.getBoundingClientRect();
    const body = list.current?.parentElement;
    if (!bar || !body || body.scrollHeight <= body.clientHeight) return;
    const frame = body.getBoundingClientRect();
    if (bar.bottom > frame.bottom) body.scrollTop += bar.bottom - frame.bottom + 8;
    else if (bar.top < frame.top + TOP) body.scrollTop += bar.top - frame.top - TOP - 8;
  }, [view.visit?.index, shown.length]);
  return (
    <div className={css("timeline")} ref={list}>
      <div className={css("time-top")}>
        <div className={css("axis-label")}>{bySocket ? "Socket" : "Item"}</div>
        <div className={css("axis")} aria-hidden="true">
          {ticksOf(scale).map(({ at: share, text }) => (
            <span key={text} style={{ left: `${share}%` }}>
              {text}
            </span>
          ))}
        </div>
        <div className={css("axis-cost")}>Cost</div>
        <Scrub {...props} scale={scale} at={at} />
      </div>
      {folds && (
        <div className={css("folded-rows")}>
          <Button look="bare" onClick={() => setUnfolded(true)}>
            {`Show ${countedText(rows.length - shown.length, "finished row")}`}
          </Button>
        </div>
      )}
      <WorkerRow {...props} scale={scale} />
      <Rows {...props} shown={shown} lanes={lanes} scale={scale} at={at} />
      {toCome && <ToCome items={toCome}>{!aligned && <Lines scale={scale} at={at} />}</ToCome>}
      <TimelineKey />
    </div>
  );
}

/** The rows of visits in their order, and between them those of items that were worked on at once. */
function Rows(
  props: TimelineProps &
    TimelineLook & {
      readonly shown: readonly TimelineRow[];
      readonly lanes: readonly ItemLane[];
      readonly scale: Scale;
      readonly at: number;
    },
): ReactElement {
  const { view, shown, lanes, scale, at, aligned } = props;
  const lanesOf = (from: number, to: number): readonly ReactElement[] =>
    lanes
      .filter(({ fork }) => fork > from && fork <= to)
      .map((lane) => (
        <ItemLaneRow key={lane.key} lane={lane} scale={scale} nowMs={view.latest.elapsedMs} aligned={aligned}>
          {!aligned && <Lines scale={scale} at={at} />}
        </ItemLaneRow>
      ));
  return (
    <>
      {shown.map((row, index) => (
        <Fragment key={row.key}>
          {lanesOf(shown[index - 1]?.forks ?? 0, row.forks)}
          <Row {...props} row={row} />
        </Fragment>
      ))}
      {lanesOf(shown.at(-1)?.forks ?? 0, Infinity)}
    </>
  );
}

/** Items to come share one row. */
function ToCome(props: { readonly items: readonly [number, number]; readonly children: ReactNode }): ReactElement {
  const [first, last] = props.items;
  return (
    <>
      <div className={css("row-label to-come-row")}>
        <span className={css("row-number")}>{first === last ? first : `${first}–${last}`}</span>
        <span className={css("cut")}>{`${countedText(last - first + 1, "item")} to come`}</span>
      </div>
      <div className={css("lane")}>{props.children}</div>
      <div className={css("cost")} />
    </>
  );
}

function TimelineKey(): ReactElement {
  return (
    <div className={css("time-key")} aria-hidden="true">
      <span>
        <i className={css("bar")} />
        done
      </span>
      <span>
        <i className={css("bar satisfied-visit")} />
        {glyphs("✓ satisfied")}
      </span>
      <span>
        <i className={css("bar refused-visit")} />
        {glyphs("✗ not satisfied")}
      </span>
      <span>
        <i className={css("bar changed-files")} />
        changed files
      </span>
    </div>
  );
}

/** Before and after the loop, the last few, what failed or was given up, and the row that is read. */
function keepRow(row: TimelineRow, index: number, all: number, read: number | undefined): boolean {
  if (row.number === null || index >= all - ROWS_SHOWN / 2) return true;
  return row.visits.some(({ outcome, index: visit }) => outcome === "failed" || visit === read) || row.givenUp !== null;
}

function Row(
  props: TimelineProps & {
    readonly row: TimelineRow;
    readonly scale: Scale;
    readonly at: number;
    readonly aligned: boolean;
  },
): ReactElement {
  const { cast, view, row, scale, at, aligned, onOpen } = props;
  const isNow = row.visits.some(({ index }) => index === view.visits.at(-1)?.index);
  const start = row.visits[0]?.from ?? 0;
  return (
    <Fragment>
      <div className={css(`row-label ${isNow ? "now" : ""}`)} title={rowText(row)}>
        <span className={css("row-number")}>{row.number ?? ""}</span>
        <span className={css(row.givenUp === null ? "cut" : "cut given-up-title")}>{row.title}</span>
        {row.givenUp !== null && <span className={css("tone-bad given-up-mark")}>given up</span>}
      </div>
      <div className={css("lane")} style={{ "--row": start } as CSSProperties}>
        {!aligned && <Lines scale={scale} at={at} />}
        {row.visits.map((visit) => (
          <Bar
            key={visit.index}
            visit={visit}
            materia={cast.castFile.graph.materia[visit.materia]}
            share={scale.share(aligned ? visit.from - start : visit.from)}
            length={scale.length((visit.to ?? view.latest.elapsedMs) - visit.from)}
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

function rowText({ title, givenUp }: TimelineRow): string {
  return givenUp === null ? title : `${title} – given up: ${givenUp.trim() || "no reason was given"}`;
}

function Lines({ scale, at }: { readonly scale: Scale; readonly at: number }): ReactElement {
  return (
    <span aria-hidden="true">
      {ticksOf(scale)
        .slice(1)
        .map(({ at: share }) => (
          <i key={share} className={css("tick")} style={{ left: `${share}%` }} />
        ))}
      <span className={css("now-line")} style={{ left: `${Math.max(0, Math.min(100, scale.share(at)))}%` }} />
    </span>
  );
}

/** True to time where it is dragged; arrow keys step event by event. */
function Scrub({
  cast,
  view,
  at,
  scale,
}: TimelineProps & { readonly at: number; readonly scale: Scale }): ReactElement {
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
        value={Math.max(0, Math.min(1_000, 10 * scale.share(at)))}
        aria-valuetext={`event ${view.seq} of ${last}, at ${clockText(at)}`}
        onKeyDown={step}
        onChange={(event) => {
          const ms = scale.startMs + (Number(event.target.value) / 1_000) * scale.spanMs;
          go(cast.replay.seqAt(ms));
        }}
      />
    </label>
  );
}
