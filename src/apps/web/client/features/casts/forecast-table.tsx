import type { ReactElement } from "react";
import { quoteWord } from "../../../../../core/command/words.ts";
import { amountText, durationText, costText, countedText } from "../../../../../core/view/numbers.ts";
import { ForecastResponse } from "../../../../../core/wire/testing.ts";
import { useCommandOutput } from "../../data/use-asked.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import castsSheet from "./casts.module.css";

const forecastTableCss = bindClassNames(castsSheet, baseSheet);

/** What a cast of this loadout will take, likely and at its bad; nothing where it cannot be told. */
export function ForecastTable({ loadout }: { readonly loadout: string }): ReactElement | null {
  const { value } = useCommandOutput(loadout === "" ? null : `forecast ${quoteWord(loadout)}`, ForecastResponse);
  if (!value || value.loadout !== loadout) return null;
  const { casts, turns, tokens, cost, seconds, unknown } = value;
  if (casts === 0 || turns.p50 === null)
    return <p className={forecastTableCss("faint")}>No past cast of these materia, so nothing likely can be said of its cost.</p>;
  const rows = [
    ["Turns", turns, String],
    ["Tokens", tokens, amountText],
    ["Cost", cost, costText],
    ["Time", seconds, (amount: number) => durationText(amount * 1000)],
  ] as const;
  return (
    <table className={forecastTableCss("forecast")}>
      <caption className={forecastTableCss("faint")}>
        {`Forecast from ${countedText(casts, "past cast")}`}
        {unknown.length > 0 && `; without a past: ${unknown.join(", ")}`}
      </caption>
      <thead>
        <tr>
          <td />
          {rows.map(([name]) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(["p50", "p90"] as const).map((which) => (
          <tr key={which}>
            <th scope="row">{which === "p50" ? "Likely" : "If it goes badly"}</th>
            {rows.map(([name, range, text]) => (
              <td key={name}>{text(range[which] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
