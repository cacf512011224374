import { useMemo } from "react";
import type { ReactElement } from "react";
import type { Usage } from "../../../../../../core/cast/state/usage.ts";
import { tokensOf } from "../../../../../../core/cast/state/usage.ts";
import { amountText, costText } from "../../../../../../core/view/numbers.ts";
import { costTable } from "../../../../../../core/view/watch/costs.ts";
import type { CostTable } from "../../../../../../core/view/watch/costs.ts";
import { timelineRows } from "../../../../../../core/view/watch/rows.ts";
import { Orb } from "../../../parts/marks/orb.tsx";
import type { TimelineProps } from "./panel.tsx";
import { classesOf } from "../../../browser/classes.ts";
import baseSheet from "../../../ground/base.module.css";
import marksSheet from "../../../parts/marks/marks.module.css";
import tablesSheet from "./tables.module.css";

const css = classesOf(tablesSheet, marksSheet, baseSheet);

/** Tokens and cost by materia and by item, at the moment that is looked at. */
export function CostPanel({ cast, view }: TimelineProps): ReactElement {
  const table = useMemo(() => costTable(timelineRows(view.visits)), [view.visits]);
  const free = table.total.cost === 0;
  const text = (usage: Usage): string => (free ? amountText(tokensOf(usage)) : usage.cost.toFixed(2));
  if (table.lines.length === 0) return <p className={css("faint padding")}>Nothing has been spent yet.</p>;
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
                <Orb materia={cast.castFile.graph.materia[materia]} size="sm" />
                {materia}
              </span>
            </th>
            {cells.map((cell, index) => (
              <td key={table.columns[index]?.key}>{cell ? text(cell) : ""}</td>
            ))}
            <td className={css("tokens")} title={`${usage.input} in, ${usage.output} out`}>
              {amountText(tokensOf(usage))}
            </td>
            <td className={css("strong")}>{costText(usage.cost)}</td>
          </tr>
        ))}
        <Sums table={table} free={free} />
      </tbody>
    </table>
  );
}

/** What each item took, and all of it; what nobody paid for has no sum of money. */
function Sums({ table, free }: { readonly table: CostTable; readonly free: boolean }): ReactElement {
  return (
    <>
      <tr>
        <th scope="row" className={css("tokens")}>
          Tokens
        </th>
        {table.columns.map(({ key, usage }) => (
          <td key={key} className={css("tokens")}>
            {amountText(tokensOf(usage))}
          </td>
        ))}
        <td className={css("tokens")}>{amountText(tokensOf(table.total))}</td>
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
