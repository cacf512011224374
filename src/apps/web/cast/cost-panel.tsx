import { useMemo, type ReactElement } from "react";
import { type Usage, totalTokens } from "../../../core/cast/state/usage.ts";
import { amountText, costText } from "../../../core/view/numbers.ts";
import { costTable, type CostTable, timelineRows } from "../../../core/view/progress/timeline-rows.ts";
import { MateriaIcon, materiaColorStyle } from "../ui/icons.tsx";
import type { TimelineProps } from "./timeline-panel.tsx";
import { bindSheets } from "../ui/classes.ts";
import tablesSheet from "./cost-and-journal.module.css";

const css = bindSheets(tablesSheet);

/** Tokens and cost by materia and by item, at the shown moment. */
export function CostPanel({ cast, view }: TimelineProps): ReactElement {
  const table = useMemo(() => costTable(timelineRows(view.visits)), [view.visits]);
  const free = table.total.cost === 0;
  if (table.lines.length === 0) return <p className={css("faint padding")}>Nothing has been spent yet.</p>;
  return (
    <>
      {table.columns.length > 1 && <CostChart cast={cast} table={table} isFree={free} />}
      <CostFigures cast={cast} table={table} />
    </>
  );
}

interface CostProps {
  readonly cast: TimelineProps["cast"];
  readonly table: CostTable;
  /** True without a cost: show tokens in place of money. */
  readonly isFree: boolean;
}

/** [W36] One column per item, in the colors of the materia; it has room for a hundred. */
function CostChart({ cast, table, isFree: free }: CostProps): ReactElement {
  const amount = (usage: Usage): number => (free ? totalTokens(usage) : usage.cost);
  const text = (usage: Usage): string => (free ? `${amountText(totalTokens(usage))} tokens` : costText(usage.cost));
  const most = Math.max(...table.columns.map(({ usage }) => amount(usage)));
  return (
    <figure className={css("cost-chart")}>
      <figcaption
        className={css("secondary")}
      >{`By item, at most ${free ? `${amountText(most)} tokens` : costText(most)}`}</figcaption>
      <ul className={css("cost-columns")}>
        {table.columns.map(({ key, title, usage }, column) => (
          <li key={key} title={`${title}: ${text(usage)}`}>
            <span className={css("spoken")}>{`${title}: ${text(usage)}`}</span>
            {table.lines.map(({ materia, cells }) => {
              const cell = cells[column];
              return (
                cell && (
                  <i
                    key={materia}
                    title={`${title}, ${materia}: ${text(cell)}`}
                    style={{
                      height: `${most === 0 ? 0 : (100 * amount(cell)) / most}%`,
                      ...materiaColorStyle(cast.castFile.graph.materia[materia]?.color),
                    }}
                  />
                )
              );
            })}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** The sums by materia; the chart has the items. */
function CostFigures({ cast, table }: Omit<CostProps, "isFree">): ReactElement {
  const figures = (usage: Usage): ReactElement => (
    <>
      <td className={css("tokens")} title={`${usage.input} in, ${usage.output} out`}>
        {amountText(totalTokens(usage))}
      </td>
      <td className={css("strong")}>{costText(usage.cost)}</td>
    </>
  );
  return (
    <table className={css("figures-table")}>
      <caption className={css("spoken")}>Tokens and cost by materia</caption>
      <thead>
        <tr>
          <th>Materia</th>
          <th>Tokens</th>
          <th>Cost</th>
        </tr>
      </thead>
      <tbody>
        {table.lines.map(({ materia, usage }) => (
          <tr key={materia}>
            <th scope="row">
              <span className={css("row")}>
                <MateriaIcon materia={cast.castFile.graph.materia[materia]} size="sm" />
                <span className={css("breakable")}>{materia}</span>
              </span>
            </th>
            {figures(usage)}
          </tr>
        ))}
        <tr className={css("sum")}>
          <th scope="row">All</th>
          {figures(table.total)}
        </tr>
      </tbody>
    </table>
  );
}
