import { useState, type ReactElement, type ReactNode } from "react";
import type { Catalog, Settings } from "../../../core/catalog/catalog.ts";
import type { Issue } from "../../../core/model/issue.ts";
import type { EditableLayer } from "../../../core/wire/catalog.ts";
import { activateLoadout } from "../data/catalog-changes.ts";
import { useCatalog } from "../data/use-catalog.ts";
import { ModelField } from "../dialogs/cast-fields.tsx";
import { Button } from "../ui/buttons.tsx";
import { Select, FieldRow, SegmentedControl, Switch, TextField } from "../ui/fields.tsx";
import { toast } from "../ui/toasts.tsx";
import { IssueList } from "../ui/issues.tsx";
import {
  BUDGET_FIELDS,
  LIMIT_FIELDS,
  currentValueText,
  parseSettingNumber,
  type NumberSetting,
  saveSettings,
} from "./number-settings.ts";
import { bindSheets } from "../ui/classes.ts";
import settingsSheet from "./settings.module.css";

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
  const group = (fields: readonly NumberSetting[]): ReactElement => (
    <NumberFields
      fields={fields}
      settings={settings}
      typed={typed}
      onType={(key, text) => setTyped({ ...typed, [key]: text })}
    />
  );
  return (
    <>
      <SettingsSection title="Casts">
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
      </SettingsSection>
      <SettingsSection title="Budget of a cast">{group(BUDGET_FIELDS)}</SettingsSection>
      <SettingsSection title="Limits">{group(LIMIT_FIELDS)}</SettingsSection>
      <SaveRow
        layer={layer}
        onLayer={setLayer}
        busy={busy}
        off={isFaulty ? "A value cannot be read" : changes.length === 0 ? "Nothing to save" : null}
        onSave={() => void save()}
      />
      <IssueList issues={issues} />
    </>
  );
}

function SaveRow(props: {
  readonly layer: EditableLayer;
  readonly onLayer: (layer: EditableLayer) => void;
  readonly busy: boolean;
  readonly off: string | null;
  readonly onSave: () => void;
}): ReactElement {
  const { layer, onLayer, busy, off, onSave } = props;
  const { layers } = useCatalog();
  return (
    <div className={css("row wrap")}>
      <span className={css("secondary")}>Save to</span>
      <SegmentedControl<EditableLayer>
        label="Save to"
        value={layer}
        options={[
          { value: "project", label: "Project" },
          { value: "user", label: "User" },
        ]}
        onPick={onLayer}
      />
      <code className={css("faint breakable")}>{layers?.[layer] ?? ""}</code>
      <Button look="primary" busy={busy} off={off} onClick={onSave}>
        Save
      </Button>
    </div>
  );
}

function SettingsSection({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function NumberFields(props: {
  readonly fields: readonly NumberSetting[];
  readonly settings: Settings;
  readonly typed: Readonly<Record<string, string>>;
  readonly onType: (key: string, text: string) => void;
}): ReactElement[] {
  const { fields, settings, typed, onType } = props;
  return fields.map((field) => {
    const key = field.path.join(".");
    const text = typed[key] ?? currentValueText(settings, field);
    const read = parseSettingNumber(text, field.unit);
    return (
      <FieldRow key={key} label={field.label}>
        <span>
          <TextField
            label={field.label}
            value={text}
            placeholder={field.defaultText}
            invalid={"fault" in read ? read.fault : null}
            onType={(next) => onType(key, next)}
          />
          <span className={css("faint")}>{field.description}</span>
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
  const fields = [...BUDGET_FIELDS, ...LIMIT_FIELDS].filter((field) => {
    const text = typed[field.path.join(".")];
    return text !== undefined && text.trim() !== currentValueText(settings, field);
  });
  const read = fields.map((field) => ({
    field,
    read: parseSettingNumber(typed[field.path.join(".")] ?? "", field.unit),
  }));
  const numbers = read.flatMap(({ field, read: each }) =>
    "value" in each ? [{ path: field.path, value: each.value }] : [],
  );
  const named = model.trim() === "" ? null : model.trim();
  const changes = [
    ...numbers,
    ...(notify === settings.notify ? [] : [{ path: ["notify"], value: notify }]),
    ...(named === settings.model ? [] : [{ path: ["model"], value: named }]),
  ];
  return { changes, isFaulty: numbers.length < read.length };
}
