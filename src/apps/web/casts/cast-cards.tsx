import { useMemo, useRef, type ComponentProps, type ReactElement } from "react";
import { ageText, costText } from "../../../core/view/numbers.ts";
import { CastStatusLabel } from "../ui/status.tsx";
import { hrefOf } from "../browser/route.ts";
import {
  ItemsDone,
  NextActionButton,
  FleetDetails,
  type CastListProps,
  castListRows,
  useVisibleRows,
} from "./cast-table.tsx";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import marksSheet from "../ui/marks.module.css";
import castsSheet from "./casts.module.css";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { parseMillis } from "../../../core/model/text.ts";

const css = bindClassNames(castsSheet, marksSheet, baseSheet);

/** The facts of the table as cards; only visible ones are drawn. */
export function CastCards({ groups, now, waits, onAct, busy }: CastListProps): ReactElement {
  const list = useRef<HTMLUListElement>(null);
  const all = useMemo(() => castListRows(groups), [groups]);
  const {
    rows,
    spaceBefore: before,
    spaceAfter: behind,
    measureRow: measure,
  } = useVisibleRows(list, all, { scrolls: "page", height: 104 });
  return (
    <ul ref={list} aria-label="Casts">
      {before > 0 && <li aria-hidden="true" style={{ height: before }} />}
      {rows.map(({ row, index }) => {
        const place = { ref: measure, "data-index": index, "aria-posinset": index + 1, "aria-setsize": all.length };
        return row.kind === "cast" ? (
          <CastCard key={row.key} place={place} cast={row.cast} now={now} waits={waits} onAct={onAct} busy={busy} />
        ) : (
          <li key={row.key} className={css("card-group")} {...place}>
            <h2 className={css("secondary")}>
              {row.title} <span className={css("faint")}>{row.count}</span>
            </h2>
          </li>
        );
      })}
      {behind > 0 && <li aria-hidden="true" style={{ height: behind }} />}
    </ul>
  );
}

function CastCard({
  cast,
  now,
  waits,
  onAct,
  busy,
  place,
}: Omit<CastListProps, "groups"> & { readonly cast: CastSummary; readonly place: ComponentProps<"li"> }): ReactElement {
  return (
    <li className={css("card-place")} {...place}>
      <div className={css("card")}>
        <span className={css("row wrap")}>
          <CastStatusLabel status={cast.status} />
          <span className={css("grow")} />
          {cast.rehearsed && <span className={css("badge")}>Rehearsal</span>}
          <span className={css("faint one-line")}>{ageText(now - parseMillis(cast.startedAt, now))}</span>
        </span>
        <a className={css("request")} href={hrefOf("casts", cast.castId)} data-cast={cast.castId}>
          {cast.request}
        </a>
        <span className={css("row wrap secondary")}>
          {cast.loadout}
          <span className={css("grow")} />
          <ItemsDone cast={cast} />
          <b>{costText(cast.cost)}</b>
        </span>
        <FleetDetails cast={cast} waits={waits} />
        <NextActionButton cast={cast} onAct={onAct} busy={busy} />
      </div>
    </li>
  );
}
