import type { TypedCommand } from "../../../core/wire/commands.ts";
import { useMemo, useRef, type ComponentProps, type ReactElement, type RefObject } from "react";
import type { ItemProgress } from "../../../core/view/progress/item-cells.ts";
import {
  needsPerson,
  waitReasonText,
  type QueuedCast,
  type WaitReason,
} from "../../../core/view/progress/fleet-status.ts";
import { ageText, amountText, costText, doneCountText } from "../../../core/view/numbers.ts";
import type { CastGroup } from "../../../core/view/cast-list.ts";
import { Button } from "../ui/buttons.tsx";
import { ItemCells, CastStatusLabel } from "../ui/status.tsx";
import { renderSymbols } from "../ui/line-text.tsx";
import { hrefOf } from "../browser/route.ts";
import { useScreenWidth } from "../browser/display.ts";
import type { CastAction } from "./page.tsx";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import marksSheet from "../ui/marks.module.css";
import castsSheet from "./casts.module.css";
import { useVirtualRows, type VirtualRows, type VirtualListOptions } from "../browser/use-virtual-rows.ts";
import type { CastSummary } from "../../../core/cast/summary.ts";
import { MAX_ITEM_CELLS } from "../../../core/cast/timeline.ts";
import { parseMillis } from "../../../core/model/text.ts";

const css = bindClassNames(castsSheet, marksSheet, baseSheet);

export interface CastListProps {
  readonly groups: readonly CastGroup[];
  readonly now: number;
  /** [B29] The queued casts of a fleet that the server lists. */
  readonly waits: readonly QueuedCast[];
  readonly onAct: (cast: CastSummary, action: CastAction) => void;
  /** The command that the server is running. */
  readonly busy: TypedCommand | null;
}

/** Columns at every width: a title over more columns would add some. */
const FIXED_COLUMNS = 6;
/** Columns at larger widths. */
const WIDE_COLUMNS = 3;

/** Only visible rows are drawn; each has its index for screen readers. */
export function CastTable({ groups, now, waits, onAct, busy }: CastListProps): ReactElement {
  const width = useScreenWidth();
  const body = useRef<HTMLTableSectionElement>(null);
  const all = useMemo(() => castListRows(groups), [groups]);
  const {
    rows,
    spaceBefore: before,
    spaceAfter: behind,
    measureRow: measure,
  } = useVisibleRows(body, all, {
    scrolls: width === "large" ? "panel" : "page",
    height: groups.some(({ casts }) => casts[0]?.fleet) ? 52 : 39,
  });
  return (
    <table aria-rowcount={all.length + 1}>
      <caption className={css("spoken")}>Casts</caption>
      <thead>
        <tr>
          <th className={css("status-column")}>Status</th>
          <th>Request</th>
          <th className={css("cast-column roomy")}>Cast</th>
          <th className={css("loadout-column roomy")}>Loadout</th>
          <th className={css("items-column")}>Items done</th>
          <th className={css("number-column number roomy")}>Tokens</th>
          <th className={css("number-column number")}>Cost</th>
          <th className={css("number-column number")}>Age</th>
          <th className={css("action-column")}>
            <span className={css("spoken")}>Action</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        {before > 0 && <SpacerRow height={before} />}
        {rows.map(({ row, index }) => {
          const place = { ref: measure, "data-index": index, "aria-rowindex": index + 2 };
          return row.kind === "cast" ? (
            <CastRow key={row.key} place={place} cast={row.cast} now={now} waits={waits} onAct={onAct} busy={busy} />
          ) : (
            <tr key={row.key} {...place} className={css("group-row")}>
              <th colSpan={FIXED_COLUMNS} scope="colgroup">
                {row.title} <span className={css("faint")}>{row.count}</span>
              </th>
              <td className={css("roomy")} colSpan={WIDE_COLUMNS} />
            </tr>
          );
        })}
        {behind > 0 && <SpacerRow height={behind} />}
      </tbody>
    </table>
  );
}

/** The height of the rows that are not drawn. */
function SpacerRow({ height }: { readonly height: number }): ReactElement {
  return (
    <tr aria-hidden="true">
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function CastRow({
  cast,
  now,
  waits,
  onAct,
  busy,
  place,
}: Omit<CastListProps, "groups"> & { readonly cast: CastSummary; readonly place: ComponentProps<"tr"> }): ReactElement {
  return (
    <tr className={css("cast-row")} {...place}>
      <td>
        <CastStatusLabel status={cast.status} />
      </td>
      <td className={css("request-cell")}>
        <span className={css("row")}>
          <a className={css("request cut")} href={hrefOf("casts", cast.castId)} data-cast={cast.castId}>
            {cast.foreign ? "[started elsewhere] " : ""}
            {cast.request}
          </a>
          {cast.rehearsed && <span className={css("badge")}>Rehearsal</span>}
        </span>
        <span className={css("loadout-below secondary cut")}>{renderSymbols(cast.loadout)}</span>
        <FleetDetails cast={cast} waits={waits} />
      </td>
      <td className={css("roomy")}>
        <code className={css("faint")}>{cast.castId}</code>
      </td>
      <td className={css("secondary cut roomy")}>{renderSymbols(cast.loadout)}</td>
      <td>
        <ItemsDone cast={cast} />
      </td>
      <td className={css("number secondary roomy")} title={`${cast.tokens} tokens`}>
        {amountText(cast.tokens)}
      </td>
      <td className={css("number")}>{costText(cast.cost)}</td>
      <td className={css("number secondary")} title={new Date(cast.startedAt).toLocaleString()}>
        {ageText(now - parseMillis(cast.startedAt, now))}
      </td>
      <td className={css("number")}>
        <NextActionButton cast={cast} onAct={onAct} busy={busy} />
      </td>
    </tr>
  );
}

/** [B26, B29] Submitter and worker of a fleet's cast, or why it waits. */
export function FleetDetails({
  cast: { castId, fleet, blocked, status },
  waits,
}: Pick<CastListProps, "waits"> & { readonly cast: CastSummary }): ReactElement | null {
  if (!fleet) return null;
  const { project, person, worker } = fleet;
  const words = [project, person, ...(worker === null ? [] : [`on ${worker}`])].join(" · ");
  const { queue = "", why = null } = waits.find((cast) => cast.castId === castId) ?? {};
  // A cast that no worker can take says so, at any position in the queue.
  const reason: WaitReason | null = blocked === undefined ? why : { kind: "blocked", why: blocked };
  const told = status === "queued" && reason && reason.kind !== "soon" ? waitReasonText(reason, queue) : null;
  return (
    <span className={css("whose faint cut")} title={told ?? words}>
      {words}
      {reason && told !== null && (
        <span className={css(needsPerson(reason) ? "tone-rework" : "secondary")}>{` · ${told}`}</span>
      )}
    </span>
  );
}

export function ItemsDone({ cast }: { readonly cast: CastSummary }): ReactElement {
  const { done, total, givenUp = 0 } = cast.items;
  if (total === 0) return <span className={css("faint")}>no items</span>;
  const current = cast.status === "failed" ? "failed" : "current";
  const ended = cast.status === "completed" || cast.status === "not_satisfied";
  return (
    <span className={css("one-line")}>
      <ItemCells
        items={{
          done,
          size: total,
          reworked: [],
          givenUp: givenUpAfterDone(done, givenUp),
          ...(ended ? {} : { current }),
        }}
      />{" "}
      <span className={css("secondary")}>{doneCountText(cast.items)}</span>
    </span>
  );
}

/** The list has only the number of given-up items: draw them after the done ones. */
function givenUpAfterDone(done: number, count: number): ItemProgress["givenUp"] {
  return { count, at: Array.from({ length: Math.min(count, MAX_ITEM_CELLS) }, (_, index) => done + index) };
}

/** The next action, if there is one. */
export function NextActionButton(
  props: Pick<CastListProps, "onAct" | "busy"> & { readonly cast: CastSummary },
): ReactElement | null {
  const { cast, onAct, busy } = props;
  const [action, label] = nextActionOf(cast);
  if (action === null) return null;
  return (
    <Button
      onClick={() => onAct(cast, action)}
      busy={busy?.kind === "recast" && busy.castId === cast.castId}
      aria-label={`${label} ${cast.request}`}
    >
      {label}
    </Button>
  );
}

export function nextActionOf({ status }: CastSummary): readonly [CastAction | null, string] {
  switch (status) {
    case "waiting":
      return ["continue", "Continue…"];
    case "failed":
      return ["raise", "Resume…"];
    case "interrupted":
    case "aborted":
      return ["resume", "Resume"];
    case "running":
    case "queued":
      return ["abort", "Abort…"];
    case "completed":
    case "not_satisfied":
      return [null, ""];
  }
}

/** A row of the list: the title of a group, or a cast. */
type CastListRow =
  | { readonly kind: "title"; readonly key: string; readonly title: string; readonly count: number }
  | { readonly kind: "cast"; readonly key: string; readonly cast: CastSummary };

export function castListRows(groups: readonly CastGroup[]): readonly CastListRow[] {
  return groups.flatMap(({ title, casts }): readonly CastListRow[] => [
    { kind: "title", key: `title ${title}`, title, count: casts.length },
    ...casts.map((cast): CastListRow => ({ kind: "cast", key: cast.castId, cast })),
  ]);
}

export interface VisibleRows extends Omit<VirtualRows, "indices"> {
  readonly rows: readonly { readonly row: CastListRow; readonly index: number }[];
}

const TITLE_HEIGHT_PX = 31;

/** The visible rows of the scrolling panel or page. */
export function useVisibleRows(
  body: RefObject<HTMLElement | null>,
  all: readonly CastListRow[],
  { scrolls, height }: { readonly scrolls: VirtualListOptions["scrollContainer"]; readonly height: number },
): VisibleRows {
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
