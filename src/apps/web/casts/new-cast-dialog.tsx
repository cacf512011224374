import { useEffect, useState, type ReactElement } from "react";
import { getCatalog } from "../net/api.ts";
import type { CatalogResponse } from "../../../core/wire/catalog.ts";
import { useCommand, useCommandOutput } from "../data/use-command.ts";
import { ModelField, RequestField } from "../dialogs/cast-loadout-dialog.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { IssueList } from "../ui/issues.tsx";
import { useTextDraft } from "../browser/unsaved-drafts.ts";
import { navigate, hrefOf } from "../browser/route.ts";
import { bindClassNames } from "../styles/classes.ts";
import baseSheet from "../styles/base.module.css";
import marksSheet from "../ui/marks.module.css";
import controlsSheet from "../ui/controls.module.css";
import dialogSheet from "../ui/dialog.module.css";
import { amountText, durationText, costText } from "../../../core/view/numbers.ts";
import type { TypedCommandOptions, TypedCommandRequest } from "../../../core/wire/commands.ts";
import { ForecastResponse } from "../../../core/wire/testing.ts";
import castsSheet from "./casts.module.css";
import { countedText } from "../../../core/model/text.ts";

const css = bindClassNames(castsSheet, dialogSheet, controlsSheet, marksSheet, baseSheet);

export function NewCastDialog({
  onClose,
  loadout,
}: {
  readonly onClose: () => void;
  readonly loadout?: string;
}): ReactElement {
  const { catalog, chosen, setChosen } = useLoadoutChoice(loadout);
  const [request, setRequest] = useTextDraft("request");
  const [rehearsal, setRehearsal] = useState("");
  const [model, setModel] = useState("");
  const command = useCommand({ quiet: true });
  const start = async (): Promise<void> => {
    const options: TypedCommandOptions = {
      ...(model.trim() === "" ? {} : { model: model.trim() }),
      ...(rehearsal.trim() === "" ? {} : { rehearse: rehearsal.trim() }),
      ...(command.isTreeInUse ? { anyway: true } : {}),
    };
    const loadoutName = chosen === "" ? {} : { loadout: chosen };
    const castId = await command.run({ kind: "cast", prompt: request.trim(), ...loadoutName }, "Started", { options });
    if (castId === null) return;
    setRequest("");
    onClose();
    if (castId !== "") navigate(hrefOf("casts", castId));
  };
  return (
    <ConfirmDialog
      title="New cast"
      action={command.isTreeInUse ? "Start anyway" : "Start"}
      keepsText
      busy={command.busy !== null}
      off={request.trim() === "" ? "Write a request first" : null}
      onClose={onClose}
      onAct={() => void start()}
    >
      <label className={css("option")}>
        <span className={css("label")}>Loadout</span>
        <select className={css("chooser")} value={chosen} onChange={(event) => setChosen(event.target.value)}>
          {catalog?.loadouts.map(({ name, layer }) => (
            <option key={name} value={name}>{`${name} · ${layer}`}</option>
          ))}
        </select>
      </label>
      <RequestField value={request} onType={setRequest} />
      <ForecastTable loadout={chosen} />
      <ModelField value={model} onType={setModel} />
      <RehearsalField value={rehearsal} onChange={setRehearsal} />
      <IssueList issues={command.issues} />
    </ConfirmDialog>
  );
}

/** The active loadout until the person chooses another. */
function useLoadoutChoice(first = "") {
  const [catalog, setCatalog] = useState<CatalogResponse | null>(null);
  const [chosen, setChosen] = useState(first);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const answer = await getCatalog();
      if (!answer.ok) return;
      setCatalog(answer.value);
      setChosen((before) => before || answer.value.settings.activeLoadout.value);
    };
    void load();
  }, []);
  return { catalog, chosen, setChosen };
}

function RehearsalField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}): ReactElement {
  return (
    <label className={css("option")}>
      <span className={css("label")}>Rehearsal file, to run without a model (optional)</span>
      <span className={css("field")}>
        <input
          className={css("monospace")}
          value={value}
          placeholder="replies.json"
          onChange={(event) => onChange(event.target.value)}
        />
      </span>
    </label>
  );
}

/** The forecast of a cast; null without comparable casts. */
function ForecastTable({ loadout }: { readonly loadout: string }): ReactElement | null {
  const request: TypedCommandRequest = { command: { kind: "forecast", loadout } };
  const { value } = useCommandOutput(loadout === "" ? null : request, ForecastResponse);
  if (!value || value.loadout !== loadout) return null;
  const { casts, turns, tokens, cost, seconds, unknown } = value;
  if (casts === 0 || turns.p50 === null)
    return <p className={css("faint")}>No estimate yet: fewer than 3 comparable casts.</p>;
  const rows = [
    ["Turns", turns, String],
    ["Tokens", tokens, amountText],
    ["Cost", cost, costText],
    ["Time", seconds, (amount: number) => durationText(amount * 1000)],
  ] as const;
  return (
    <table className={css("forecast")}>
      <caption className={css("faint")}>
        {`Forecast from ${countedText(casts, "past cast")}`}
        {unknown.length > 0 && `; no past visits: ${unknown.join(", ")}`}
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
            <th scope="row">{which === "p50" ? "Likely" : "Worst case (90 %)"}</th>
            {rows.map(([name, range, text]) => (
              <td key={name}>{text(range[which] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
