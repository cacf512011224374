import { useEffect, useState, type ReactElement } from "react";
import { quoteWord } from "../../../../../core/command/words.ts";
import { getCatalog } from "../../net/api.ts";
import type { CatalogResponse } from "../../../../../core/wire/catalog.ts";
import { useCommand } from "../../data/use-command.ts";
import { ForecastTable } from "./forecast-table.tsx";
import { ModelField } from "../../dialogs/model-field.tsx";
import { RequestField } from "../../dialogs/request-field.tsx";
import { ConfirmDialog } from "../../parts/controls/dialog.tsx";
import { IssueList } from "../../parts/marks/issues.tsx";
import { useTextDraft } from "../../browser/drafts/kept-text.ts";
import { navigate, hrefOf } from "../../browser/route.ts";
import { bindClassNames } from "../../browser/classes.ts";
import baseSheet from "../../ground/base.module.css";
import marksSheet from "../../parts/marks/marks.module.css";
import controlsSheet from "../../parts/controls/controls.module.css";
import dialogSheet from "../../parts/controls/dialog.module.css";

const css = bindClassNames(dialogSheet, controlsSheet, marksSheet, baseSheet);

/** Starts a cast with the same text as a terminal would. */
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
  const options = [
    ...(chosen === "" ? [] : [`--loadout ${quoteWord(chosen)}`]),
    ...(model.trim() === "" ? [] : [`--model ${quoteWord(model.trim())}`]),
    ...(rehearsal.trim() === "" ? [] : [`--rehearse ${quoteWord(rehearsal.trim())}`]),
  ];
  const start = async (): Promise<void> => {
    const all = command.isTreeInUse ? [...options, "--anyway"] : options;
    const castId = await command.run(`cast ${all.join(" ")} -- ${request.trim()}`, "Started");
    if (castId === null) return;
    setRequest("");
    onClose();
    if (castId !== "") navigate(hrefOf("casts", castId));
  };
  return (
    <ConfirmDialog
      title="New cast"
      action={command.isTreeInUse ? "Start all the same" : "Start"}
      keepsText
      busy={command.busy !== null}
      off={request.trim() === "" ? "Write what is to be done" : null}
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

/** The loadout that is active, until another is chosen. */
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
