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
  const whole = table.columns.length <= MAX_COLUMNS ? table : withoutColumns(table);
  return (
    <>
      {table.columns.length > 1 && <CostChart cast={cast} table={table} isFree={free} />}
      <CostFigures cast={cast} table={whole} isFree={free} />
    </>
  );
}

/** With more items only the chart shows them one by one; the table has the sums. */
const MAX_COLUMNS = 12;

function withoutColumns(table: CostTable): CostTable {
  return { ...table, columns: [], lines: table.lines.map((line) => ({ ...line, cells: [] })) };
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

function CostFigures({ cast, table, isFree: free }: CostProps): ReactElement {
  const text = (usage: Usage): string => (free ? amountText(totalTokens(usage)) : usage.cost.toFixed(2));
  return (
    <table className={css("figures-table")}>
      <caption className={css("spoken")}>
        {free ? "Tokens by materia and item" : "Cost in dollars by materia and item"}
      </caption>
      <thead>
        <tr>
          <th>Materia</th>
          {table.columns.map(({ key, title }) => (
            <th key={key}>{title}</th>
          ))}
          <th>Tokens</th>
          <th>Cost</th>
        </tr>
      </thead>
      <tbody>
        {table.lines.map(({ materia, cells, usage }) => (
          <tr key={materia}>
            <th scope="row">
              <span className={css("row")}>
                <MateriaIcon materia={cast.castFile.graph.materia[materia]} size="sm" />
                <span className={css("breakable")}>{materia}</span>
              </span>
            </th>
            {cells.map((cell, index) => (
              <td key={table.columns[index]?.key}>{cell ? text(cell) : ""}</td>
            ))}
            <td className={css("tokens")} title={`${usage.input} in, ${usage.output} out`}>
              {amountText(totalTokens(usage))}
            </td>
            <td className={css("strong")}>{costText(usage.cost)}</td>
          </tr>
        ))}
        <CostTotals table={table} free={free} />
      </tbody>
    </table>
  );
}

/** The cost of each item and the sum; rehearsals have no sum of money. */
function CostTotals({ table, free }: { readonly table: CostTable; readonly free: boolean }): ReactElement {
  return (
    <>
      <tr>
        <th scope="row" className={css("tokens")}>
          Tokens
        </th>
        {table.columns.map(({ key, usage }) => (
          <td key={key} className={css("tokens")}>
            {amountText(totalTokens(usage))}
          </td>
        ))}
        <td className={css("tokens")}>{amountText(totalTokens(table.total))}</td>
        <td />
      </tr>
      {!free && (
        <tr className={css("sum")}>
          <th scope="row">Cost</th>
          {table.columns.map(({ key, usage }) => (
            <td key={key}>{usage.cost.toFixed(2)}</td>
          ))}
          <td />
          <td>{costText(table.total.cost)}</td>
        </tr>
      )}
    </>
  );
}
