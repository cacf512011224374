import { useMemo, useRef, type ComponentProps, type ReactElement } from "react";
import { ageText, costText } from "../../../core/view/numbers.ts";
import { CastStatusLabel } from "../ui/status.tsx";
import { hrefOf } from "../browser/route.ts";
import { FleetDetails, ItemsDone, RowActions } from "./cast-cells.tsx";
import { castListRows, GroupTitle, useVisibleRows, type CastListProps } from "./cast-table.tsx";
import { bindSheets } from "../ui/classes.ts";
import castsSheet from "./casts.module.css";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { parseMillis } from "../../../core/model/text.ts";

const css = bindSheets(castsSheet);

/** The facts of the table as cards; only visible ones are drawn. */
export function CastCards(props: CastListProps): ReactElement {
  const { groups, unfolded, onUnfold } = props;
  const list = useRef<HTMLUListElement>(null);
  const all = useMemo(() => castListRows(groups, unfolded), [groups, unfolded]);
  const { rows, spaceBefore: before, spaceAfter: behind } = useVisibleRows(list, all, { scrolls: "page", height: 104 });
  return (
    <ul ref={list} aria-label="Casts">
      {before > 0 && <li aria-hidden="true" style={{ height: before }} />}
      {rows.map(({ row, index }) => {
        const place = { "data-index": index, "aria-posinset": index + 1, "aria-setsize": all.length };
        return row.kind === "cast" ? (
          <CastCard key={row.key} {...props} place={place} cast={row.cast} />
        ) : (
          <li key={row.key} className={css("card-group")} {...place}>
            <h2 className={css("secondary")}>
              <GroupTitle row={row} onUnfold={onUnfold} />
            </h2>
          </li>
        );
      })}
      {behind > 0 && <li aria-hidden="true" style={{ height: behind }} />}
    </ul>
  );
}

function CastCard(
  props: CastListProps & { readonly cast: CastSummary; readonly place: ComponentProps<"li"> },
): ReactElement {
  const { cast, now, waits, place } = props;
  return (
    <li className={css("card-place")} {...place}>
      <div className={css("card")}>
        <span className={css("row wrap")}>
          <CastStatusLabel status={cast.status} />
          <span className={css("grow")} />
          {cast.rehearsed && <span className={css("badge")}>Rehearsal</span>}
          <span className={css("faint one-line")}>{ageText(now - parseMillis(cast.startedAt, now))}</span>
        </span>
        <a className={css("request")} href={hrefOf("casts", cast.castId)} data-cast={cast.castId} dir="auto">
          {cast.request}
        </a>
        <span className={css("row wrap secondary")}>
          {cast.loadout}
          <span className={css("grow")} />
          <ItemsDone cast={cast} />
          <b>{costText(cast.cost)}</b>
        </span>
        <FleetDetails cast={cast} waits={waits} />
        <RowActions {...props} />
      </div>
    </li>
  );
}
