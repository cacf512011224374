import type { TypedCommand } from "../../../core/wire/commands.ts";
import { useMemo, useRef, type ComponentProps, type ReactElement, type RefObject } from "react";
import type { QueuedCast } from "../../../core/view/progress/fleet-status.ts";
import {
  CAST_COLUMNS,
  CAST_CELLS,
  CELL_TITLES,
  FleetDetails,
  RowActions,
  type CastColumn,
  ItemsDone,
} from "./cast-cells.tsx";
import type { CastGroup, CastSort, CastSortKey } from "../../../core/view/cast-list.ts";
import { Button } from "../ui/buttons.tsx";
import { CastStatusLabel } from "../ui/status.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { hrefOf } from "../browser/route.ts";
import { textScale, useScreenWidth } from "../browser/display.ts";
import type { RowAction } from "./use-row-actions.tsx";
import { bindSheets } from "../ui/classes.ts";
import castsSheet from "./casts.module.css";
import { useVirtualRows, type VirtualListOptions } from "../browser/use-virtual-rows.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { ageText, costText, groupedText } from "../../../core/view/numbers.ts";
import { parseMillis } from "../../../core/model/text.ts";

const css = bindSheets(castsSheet);

export interface CastListProps {
  readonly groups: readonly CastGroup[];
  readonly now: number;
  /** [B29] The queued casts of a fleet that the server lists. */
  readonly waits: readonly QueuedCast[];
  readonly archived: ReadonlySet<string>;
  /** The columns that are not shown. */
  readonly hidden: ReadonlySet<string>;
  readonly sort: CastSort | null;
  readonly onSort: (sort: CastSort | null) => void;
  readonly unfolded: boolean;
  readonly onUnfold: () => void;
  readonly onAct: (cast: CastSummary, action: RowAction) => void;
  readonly busy: TypedCommand | null;
}

/** Only visible rows are drawn; each has its index for screen readers. */
export function CastTable(props: CastListProps): ReactElement {
  const { groups, hidden } = props;
  const width = useScreenWidth();
  const body = useRef<HTMLTableSectionElement>(null);
  const all = useMemo(() => castListRows(groups, props.unfolded), [groups, props.unfolded]);
  const { rows, spaceBefore, spaceAfter } = useVisibleRows(body, all, {
    scrolls: width === "large" ? "panel" : "page",
    height: groups.some(({ casts }) => casts[0]?.fleet) ? 52 : 39,
  });
  // Large letters leave no room for them.
  const isRoomy = width === "large" && textScale() < 1.5;
  const shown = CAST_COLUMNS.filter((column) => !hidden.has(column.key) && (!column.isRoomy || isRoomy));
  const head = (key: CastSortKey, title: string, className: string): ReactElement => (
    <SortableHead key={key} {...props} column={key} title={title} className={className} />
  );
  return (
    <table aria-rowcount={all.length + 1}>
      <caption className={css("spoken")}>Casts</caption>
      <thead>
        <tr>
          {head("status", "Status", css("status-column"))}
          {head("request", "Request", "")}
          {shown.map(({ key, title, className }) => head(key, title, className))}
          <th className={css("action-column")}>
            <span className={css("spoken")}>Action</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        <SpacerRow height={spaceBefore} />
        {rows.map(({ row, index }) => {
          const place = { "data-index": index, "aria-rowindex": index + 2 };
          return row.kind === "cast" ? (
            <CastRow key={row.key} {...props} place={place} cast={row.cast} shown={shown} />
          ) : (
            <tr key={row.key} {...place} className={css("group-row")}>
              <th colSpan={shown.length + 3} scope="colgroup">
                <GroupTitle {...props} row={row} />
              </th>
            </tr>
          );
        })}
        <SpacerRow height={spaceAfter} />
      </tbody>
    </table>
  );
}

/** [W46] A click sorts by the column, a second one the other way, a third one as before. */
function SortableHead(
  props: CastListProps & { readonly column: CastSortKey; readonly title: string; readonly className: string },
): ReactElement {
  const { column, title, className, sort, onSort } = props;
  const isSorted = sort?.by === column;
  const first = !["request", "loadout", "model", "status", "age"].includes(column);
  const next = !isSorted
    ? { by: column, isDescending: first }
    : sort.isDescending === first
      ? { by: column, isDescending: !first }
      : null;
  return (
    <th className={className} aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : undefined}>
      <button type="button" className={css("sort-button")} onClick={() => onSort(next)}>
        {title}
        {isSorted && renderSymbols(sort.isDescending ? " ↓" : " ↑")}
      </button>
    </th>
  );
}

function GroupTitle({
  row,
  onUnfold,
}: CastListProps & { readonly row: CastListRow & { kind: "title" } }): ReactElement {
  return (
    <>
      {row.title} <span className={css("faint")}>{groupedText(row.count)}</span>
      {row.isFolded !== null && (
        <Button look="bare" aria-expanded={!row.isFolded} onClick={onUnfold}>
          {row.isFolded ? "Show" : "Hide"}
        </Button>
      )}
    </>
  );
}

/** The height of the rows that are not drawn. */
function SpacerRow({ height }: { readonly height: number }): ReactElement | null {
  if (height === 0) return null;
  return (
    <tr aria-hidden="true">
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function CastRow(
  props: CastListProps & {
    readonly cast: CastSummary;
    readonly shown: readonly CastColumn[];
    readonly place: ComponentProps<"tr">;
  },
): ReactElement {
  const { cast, now, waits, shown, place } = props;
  return (
    <tr className={css("cast-row")} {...place}>
      <td>
        <CastStatusLabel status={cast.status} />
      </td>
      <td className={css("request-cell")}>
        <span className={css("row")}>
          <a className={css("request cut")} href={hrefOf("casts", cast.castId)} data-cast={cast.castId} dir="auto">
            {cast.foreign ? "[started elsewhere] " : ""}
            {cast.request}
          </a>
          {cast.rehearsed && <span className={css("badge")}>Rehearsal</span>}
          <span className={css("loadout-below secondary cut")}>{renderSymbols(cast.loadout)}</span>
        </span>
        <FleetDetails cast={cast} waits={waits} />
      </td>
      {shown.map(({ key, className }) => (
        <td key={key} className={className} title={CELL_TITLES[key]?.(cast)}>
          {CAST_CELLS[key](cast, now)}
        </td>
      ))}
      <td className={css("number")}>
        <RowActions {...props} />
      </td>
    </tr>
  );
}

export type CastListRow =
  | {
      readonly kind: "title";
      readonly key: string;
      readonly title: string;
      readonly count: number;
      /** Null for a group that never folds. */
      readonly isFolded: boolean | null;
    }
  | { readonly kind: "cast"; readonly key: string; readonly cast: CastSummary };

function castListRows(groups: readonly CastGroup[], areUnfolded: boolean): readonly CastListRow[] {
  return groups.flatMap(({ title, casts, isFolded = false }): readonly CastListRow[] => {
    const rows = casts.map((cast): CastListRow => ({ kind: "cast", key: cast.castId, cast }));
    const fold = isFolded ? !areUnfolded : null;
    const head = { kind: "title", key: `title ${title}`, title, count: casts.length, isFolded: fold } as const;
    return [...(title === "" ? [] : [head]), ...(fold === true ? [] : rows)];
  });
}

const TITLE_HEIGHT_PX = 31;

function useVisibleRows(
  body: RefObject<HTMLElement | null>,
  all: readonly CastListRow[],
  { scrolls, height }: { readonly scrolls: VirtualListOptions["scrollContainer"]; readonly height: number },
) {
  const { indices, ...sight } = useVirtualRows(body, {
    count: all.length,
    heightOf: (index) => (all[index]?.kind === "title" ? TITLE_HEIGHT_PX : height),
    keyOf: (index) => all[index]?.key ?? index,
    scrollContainer: scrolls,
  });
  const rows = indices.flatMap((index) => {
    const row = all[index];
    return row ? [{ row, index }] : [];
  });
  return { ...sight, rows };
}

/** The facts of the table as cards; only visible ones are drawn. */
export function CastCards(props: CastListProps): ReactElement {
  const { groups, unfolded } = props;
  const list = useRef<HTMLUListElement>(null);
  const all = useMemo(() => castListRows(groups, unfolded), [groups, unfolded]);
  const { rows, spaceBefore, spaceAfter } = useVisibleRows(list, all, { scrolls: "page", height: 104 });
  return (
    <ul ref={list} aria-label="Casts">
      {spaceBefore > 0 && <li aria-hidden="true" style={{ height: spaceBefore }} />}
      {rows.map(({ row, index }) => {
        const place = { "data-index": index, "aria-posinset": index + 1, "aria-setsize": all.length };
        return row.kind === "cast" ? (
          <CastCard key={row.key} {...props} place={place} cast={row.cast} />
        ) : (
          <li key={row.key} className={css("card-group")} {...place}>
            <h2 className={css("secondary")}>
              <GroupTitle {...props} row={row} />
            </h2>
          </li>
        );
      })}
      {spaceAfter > 0 && <li aria-hidden="true" style={{ height: spaceAfter }} />}
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
          {cast.items.total > 0 && <ItemsDone cast={cast} />}
          <b>{costText(cast.cost)}</b>
        </span>
        <FleetDetails cast={cast} waits={waits} />
        <RowActions {...props} />
      </div>
    </li>
  );
}
