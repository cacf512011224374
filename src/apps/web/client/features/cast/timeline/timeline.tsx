import { Fragment, useEffect, useRef, useState } from "react";
import type { CSSProperties, ReactElement } from "react";
import { clockText, costText } from "../../../../../../core/view/numbers.ts";
import { itemsToCome } from "../../../../../../core/view/watch/rows.ts";
import type { TimelineRow } from "../../../../../../core/view/watch/rows.ts";
import { Button } from "../../../parts/controls/button.tsx";
import { Bar } from "./bar.tsx";
import type { TimelineProps } from "./panel.tsx";
import { scaleOf, ticksOf } from "./scale.ts";
import type { Scale } from "./scale.ts";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import timelineSheet from "./timeline.module.css";

const css = classesOf(timelineSheet, baseSheet);

/** More rows than this fold: what is done shows only when asked for. */
const ROWS_SHOWN = 40;

/** One row per item; bars as long as their visits; a line at the moment that is looked at. */
export function Timeline(props: TimelineProps & { readonly aligned: boolean }): ReactElement {
  const { cast, view, aligned } = props;
  const [unfolded, setUnfolded] = useState(false);
  const nowMs = view.latest.elapsedMs;
  const scale = scaleOf(view.rows, { nowMs, aligned });
  const folds = view.rows.length > ROWS_SHOWN && !unfolded;
  const shown = folds
    ? view.rows.filter((row, index) => keepRow(row, index, view.rows.length, view.visit?.index))
    : view.rows;
  const toCome = itemsToCome(view.pass, view.allVisits);
  const at = view.at === null ? nowMs : cast.replay.workedAt(view.seq);
  const list = useRef<HTMLDivElement>(null);
  // The row that is read stays in view; only the list moves, never the page.
  useEffect(() => {
    const bar = list.current?.querySelector("button[aria-current=true]")?.getBoundingClientRect();
    const body = list.current?.parentElement;
    if (!bar || !body || body.scrollHeight <= body.clientHeight) return;
    const frame = body.getBoundingClientRect();
    if (bar.bottom > frame.bottom) body.scrollTop += bar.bottom - frame.bottom + 8;
    else if (bar.top < frame.top) body.scrollTop += bar.top - frame.top - 8;
  }, [view.visit?.index, shown.length]);
  return (
    <div className={css("timeline")} ref={list}>
      <div className={css("axis-label")}>Item</div>
      <div className={css("axis")} aria-hidden="true">
        {ticksOf(scale).map(({ at: share, text }) => (
          <span key={text} style={{ left: `${share}%` }}>
            {text}
          </span>
        ))}
      </div>
      <div className={css("axis-cost")}>Cost</div>
      <Scrub {...props} at={at} />
      {folds && (
        <div className={css("folded-rows")}>
          <Button look="bare" onClick={() => setUnfolded(true)}>
            {`Show ${view.rows.length - shown.length} finished rows`}
          </Button>
        </div>
      )}
      {shown.map((row) => (
        <Row key={row.key} row={row} scale={scale} at={at} {...props} />
      ))}
      {toCome && (
        <>
          <div className={css("row-label to-come-row")}>
            <span className={css("row-number")}>
              {toCome[0] === toCome[1] ? toCome[0] : `${toCome[0]}–${toCome[1]}`}
            </span>
            <span className={css("cut")}>
              {toCome[0] === toCome[1] ? "1 item to come" : `${toCome[1] - toCome[0] + 1} items to come`}
            </span>
          </div>
          <div className={css("lane")}>{!aligned && <Lines scale={scale} at={at} />}</div>
          <div className={css("cost")} />
        </>
      )}
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
            length={scale.share((visit.to ?? view.latest.elapsedMs) - visit.from)}
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
      <span className={css("now-line")} style={{ left: `${Math.min(100, scale.share(at))}%` }} />
    </span>
  );
}

/** Event by event; arrow keys step, dragging scrubs. */
function Scrub({ cast, view, at }: TimelineProps & { readonly at: number }): ReactElement {
  const last = cast.replay.lastSeq();
  return (
    <label className={css("scrub")}>
      <span className={css("spoken")}>Moment of the cast</span>
      <input
        type="range"
        min={1}
        max={Math.max(1, last)}
        value={view.seq}
        aria-valuetext={`event ${view.seq} of ${last}, at ${clockText(at)}`}
        onChange={(event) => {
          const seq = Number(event.target.value);
          if (seq >= last) view.goLive();
          else view.goTo(seq);
        }}
      />
    </label>
  );
}
