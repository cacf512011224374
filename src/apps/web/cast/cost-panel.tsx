import { useMemo, type ReactElement } from "react";
import { type Usage, totalTokens } from "../../../core/cast/state/usage.ts";
import type { Graph } from "../../../core/compile/graph.ts";
import { amountText, costText } from "../../../core/view/numbers.ts";
import { costTable, type CostTable, timelineRows } from "../../../core/view/progress/timeline-rows.ts";
import { MateriaIcon, materiaColorStyle } from "../ui/icons.tsx";
import type { TimelineProps } from "./timeline-panel.tsx";
import { bindSheets } from "../ui/classes.ts";
import tablesSheet from "./cost-and-journal.module.css";

const css = bindSheets(tablesSheet);

export function CostPanel({ cast, view }: TimelineProps): ReactElement {
  const table = useMemo(() => costTable(timelineRows(view.visits)), [view.visits]);
  if (table.lines.length === 0) return <p className={css("faint padding")}>Nothing has been spent yet.</p>;
  const { materia: all } = cast.castFile.graph;
  const figures = (usage: Usage): ReactElement => (
    <>
      <td className={css("tokens")} title={`${usage.input} in, ${usage.output} out`}>
        {amountText(totalTokens(usage))}
      </td>
      <td className={css("strong")}>{costText(usage.cost)}</td>
    </>
  );
  return (
    <>
      {table.columns.length > 1 && <CostChart all={all} table={table} />}
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
                  <MateriaIcon materia={all[materia]} size="sm" />
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
    </>
  );
}

/** [W36] One column per item, in the colors of the materia, with tokens where nothing has a cost; it has room for a hundred. */
function CostChart({ all, table }: { readonly all: Graph["materia"]; readonly table: CostTable }): ReactElement {
  const isFree = table.total.cost === 0;
  const amount = (usage: Usage): number => (isFree ? totalTokens(usage) : usage.cost);
  const text = (sum: number): string => (isFree ? `${amountText(sum)} tokens` : costText(sum));
  const most = Math.max(...table.columns.map(({ usage }) => amount(usage)));
  return (
    <figure className={css("cost-chart")}>
      <figcaption className={css("secondary")}>{`By item, at most ${text(most)}`}</figcaption>
      <ul className={css("cost-columns")}>
        {table.columns.map(({ key, title, usage }, column) => (
          <li key={key} title={`${title}: ${text(amount(usage))}`}>
            <span className={css("spoken")}>{`${title}: ${text(amount(usage))}`}</span>
            {table.lines.map(({ materia, cells }) => {
              const cell = cells[column];
              if (!cell) return null;
              const height = `${most === 0 ? 0 : (100 * amount(cell)) / most}%`;
              const said = `${title}, ${materia}: ${text(amount(cell))}`;
              return <i key={materia} title={said} style={{ height, ...materiaColorStyle(all[materia]?.color) }} />;
            })}
          </li>
        ))}
      </ul>
    </figure>
  );
}
