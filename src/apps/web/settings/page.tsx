import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { type Settings, DEFAULT_LIMITS } from "../../../core/catalog/settings.ts";
import { error, type Issue, ok, type Result } from "../../../core/model/issue.ts";
import type { EditableLayer } from "../../../core/wire/catalog.ts";
import { activateLoadout } from "../data/catalog-changes.ts";
import { useCatalog, loadCatalog } from "../data/use-catalog.ts";
import { ModelField } from "../dialogs/cast-fields.tsx";
import { LayerField } from "../dialogs/save-review-dialog.tsx";
import { Button } from "../ui/buttons.tsx";
import { Select, FieldRow, Switch, TextField } from "../ui/fields.tsx";
import { parseAmount, unitText, type Unit } from "../ui/units.tsx";
import { toast } from "../ui/toasts.tsx";
import { IssueList } from "../ui/issues.tsx";
import { bindSheets } from "../ui/classes.ts";
import settingsSheet from "./settings.module.css";
import { LIMIT_DEFAULTS } from "../../../core/model/config.ts";
import { withSetting } from "../../../core/edit/config-text.ts";
import { isJsonObject, type Json } from "../../../core/model/json.ts";
import { getConfig, putConfig } from "../net/api.ts";

const css = bindSheets(settingsSheet);

/** [E29] The settings of this project. */
export default function SettingsPage(): ReactElement {
  const { catalog, issues } = useCatalog();
  return (
    <div className={css("settings")}>
      <h1>Settings</h1>
      {catalog ? (
        <SettingsForm key={JSON.stringify(catalog.settings)} catalog={catalog} />
      ) : (
        <IssueList issues={issues} />
      )}
    </div>
  );
}

function SettingsForm({ catalog }: { readonly catalog: Catalog }): ReactElement {
  const { settings } = catalog;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [notify, setNotify] = useState(settings.notify);
  const [model, setModel] = useState(settings.model ?? "");
  const [layer, setLayer] = useState<EditableLayer>("project");
  const [issues, setIssues] = useState<readonly Issue[]>([]);
  const [busy, setBusy] = useState(false);
  const { changes, isFaulty } = changedSettings(typed, settings, { notify, model });
  const save = async (): Promise<void> => {
    setBusy(true);
    const found = await saveSettings(layer, changes);
    setBusy(false);
    setIssues(found);
    if (found.length === 0) toast({ text: "The settings are saved.", tone: "ok" });
  };
  return (
    <>
      <section aria-label="Casts">
        <h2>Casts</h2>
        <FieldRow label="Active loadout">
          <Select
            label="Active loadout"
            value={settings.activeLoadout.value}
            options={[...catalog.loadouts.keys()].map((name) => ({ value: name, label: name }))}
            onPick={(name) => void activateLoadout(name)}
          />
        </FieldRow>
        <FieldRow label="Model">
          <span>
            <ModelField named="Model" value={model} onType={setModel} />
            <span className={css("faint")}>Of agents whose materia names none.</span>
          </span>
        </FieldRow>
        <Switch label="Notify in the terminal when a cast waits, fails or ends" on={notify} onTurn={setNotify} />
      </section>
      {FIELD_SECTIONS.map(([title, fields]) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <NumberFields fields={fields} settings={settings} typed={typed} onType={setTyped} />
        </section>
      ))}
      <div className={css("row wrap")}>
        <LayerField layer={layer} onPick={setLayer} />
        <Button
          look="primary"
          busy={busy}
          off={isFaulty ? "A value cannot be read" : changes.length === 0 ? "Nothing to save" : null}
          onClick={() => void save()}
        >
          Save
        </Button>
      </div>
      <IssueList issues={issues} />
    </>
  );
}

function NumberFields(props: {
  readonly fields: readonly NumberSetting[];
  readonly settings: Settings;
  readonly typed: Readonly<Record<string, string>>;
  readonly onType: (typed: Readonly<Record<string, string>>) => void;
}): ReactElement[] {
  const { fields, settings, typed, onType } = props;
  return fields.map((field) => {
    const { key, label, unit, defaultText, description } = field;
    const text = typed[key] ?? currentValueText(settings, field);
    const read = parseAmount(text, unit);
    return (
      <FieldRow key={key} label={label}>
        <span>
          <TextField
            label={label}
            value={text}
            placeholder={defaultText}
            invalid={"fault" in read ? read.fault : null}
            onType={(next) => onType({ ...typed, [key]: next })}
          />
          <span className={css("faint")}>{description}</span>
        </span>
      </FieldRow>
    );
  });
}

function changedSettings(
  typed: Readonly<Record<string, string>>,
  settings: Settings,
  { notify, model }: { readonly notify: boolean; readonly model: string },
) {
  const read = [...BUDGET_FIELDS, ...LIMIT_FIELDS].flatMap((field) => {
    const text = typed[field.key];
    return text === undefined || text.trim() === currentValueText(settings, field)
      ? []
      : [{ path: [field.part, field.key], ...parseAmount(text, field.unit) }];
  });
  const named = model.trim() === "" ? null : model.trim();
  const changes: readonly ChangedSetting[] = [
    ...read.filter((each) => "value" in each),
    ...(notify === settings.notify ? [] : [{ path: ["notify"], value: notify }]),
    ...(named === settings.model ? [] : [{ path: ["model"], value: named }]),
  ];
  return { changes, isFaulty: read.some((each) => "fault" in each) };
}

/** A numeric setting: its key in the file, its label and its effect. */
interface NumberSetting {
  readonly part: "budget" | "limits";
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly unit: Unit;
  /** What applies without it. */
  readonly defaultText: string;
}

/** Key, unit, label, effect, and what applies without it. */
type SettingRow = readonly [key: string, unit: Unit, label: string, description: string, usual: number | string];

function numberSettings(part: "budget" | "limits", rows: readonly SettingRow[]): readonly NumberSetting[] {
  return rows.map(([key, unit, label, description, usual]) => {
    const defaultText = typeof usual === "string" ? usual : unitText(usual, unit);
    return { part, key, unit, label, description, defaultText };
  });
}

const NO_REQUEST = "A cast makes no request after this amount.";

const BUDGET_FIELDS = numberSettings("budget", [
  ["maxTokens", "tokens", "Tokens", NO_REQUEST, "no bound"],
  ["maxCostUsd", "dollars", "Cost", NO_REQUEST, "no bound"],
  ["warnAtPercent", "percent", "Warning", "Warns once at this share of the budget.", "no warning"],
]);

const { maxNoAdvanceCycles, maxRepairs, agentSilenceMs } = DEFAULT_LIMITS;
const FAILS = "Then the cast fails.";
const STOPS = "Then the cast stops and a person decides.";
const IS_NEW = "A longer one is not continued: the visit starts a new one.";
const PIS_DEFAULT = "Pi's default";

const LIMIT_FIELDS = numberSettings("limits", [
  ["maxNoAdvanceCycles", "times", "Returns without progress", FAILS, maxNoAdvanceCycles],
  ["maxRepairs", "times", "Repairs of a handoff", FAILS, maxRepairs],
  ["maxUnchanged", "times", "Rework without a changed file", STOPS, LIMIT_DEFAULTS.maxUnchanged],
  ["maxConflicts", "times", "Conflicts of a parallel item", "How often it runs again.", LIMIT_DEFAULTS.maxConflicts],
  ["maxConversationTokens", "tokens", "Length of a conversation", IS_NEW, LIMIT_DEFAULTS.maxConversationTokens],
  ["agentSilenceMs", "duration", "Silence of an agent", "Then the turn ends; 0 s waits forever.", agentSilenceMs],
  ["maxRetries", "times", "Retries of a request", "After a failure of the provider.", PIS_DEFAULT],
  ["retryBaseMs", "duration", "Wait before the first retry", "Each further wait is twice as long.", PIS_DEFAULT],
]);

const FIELD_SECTIONS = [
  ["Budget of a cast", BUDGET_FIELDS],
  ["Limits", LIMIT_FIELDS],
] as const;

function currentValueText(settings: Settings, { part, key, unit }: NumberSetting): string {
  const values: Readonly<Record<string, unknown>> = settings[part];
  const value = values[key];
  return typeof value === "number" ? unitText(value, unit) : "";
}

interface ChangedSetting {
  readonly path: readonly string[];
  /** Null removes it from the file. */
  readonly value: Json | null;
}

/** [E29] Writes only the changed settings into the current file. Returns the issues of a failure. */
async function saveSettings(layer: EditableLayer, changes: readonly ChangedSetting[]): Promise<readonly Issue[]> {
  const file = await getConfig(layer);
  if (!file.ok && file.status !== 404) return file.issues;
  // [YN1] The switch of the bell has the same name.
  const hasReceivers = file.ok && isJsonObject(file.value.value) && Array.isArray(file.value.value["notify"]);
  if (hasReceivers && changes.some(({ path }) => path[0] === "notify"))
    return [error("bad_value", "notify", "your own file names receivers of notices there", "save it for the project")];
  const [before, etag] = file.ok ? [file.value.text, file.value.etag] : ["", null];
  const after = changes.reduce<Result<string>>(
    (text, { path, value }) => (text.ok ? withSetting(text.value, path, value) : text),
    ok(before),
  );
  if (!after.ok) return after.issues;
  const written = await putConfig(layer, after.value, etag);
  if (!written.ok) return written.issues;
  await loadCatalog();
  return written.value.issues.filter(({ severity }) => severity === "error");
}
