import { useState, type ReactElement } from "react";
import type { Catalog } from "../../../core/catalog/catalog.ts";
import { FieldError, LabelledField, SegmentedControl, Select, TextArea } from "../ui/fields.tsx";
import { navigate, hrefOf } from "../browser/route.ts";
import { createLoadoutDraft, loadoutDrafts, useEditor } from "../loadout-editor/editor.ts";
import { useStore } from "../browser/store.ts";
import { css } from "../ui/classes.ts";
import {
  importConfigText,
  missingMateria,
  draftFromText,
  type ImportedConfig,
  printLoadout,
} from "../../../core/edit/loadout-draft.ts";
import { isError } from "../../../core/model/issue.ts";
import { ConfirmDialog, Dialog } from "../ui/dialog.tsx";
import { EMPTY_LOADOUT } from "../../../core/edit/loadout-edit.ts";
import { compareLoadouts } from "../../../core/edit/compare-loadouts.ts";
import { TextDiff } from "../dialogs/diff.tsx";
import { ChangeList } from "./problems-panel.tsx";
import { NameDialog, nextFreeName } from "../dialogs/entry-dialogs.tsx";

/** [E28] Asks for a name and a template. */
export function NewLoadoutDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { catalog } = useEditor();
  const taken = useTakenNames();
  const [chosen, setChosen] = useState("");
  const templates = loadoutTemplates(catalog);
  const begin = (name: string): void => {
    const template = templates.find(({ key }) => key === chosen);
    if (template) createLoadoutDraft(name, draftFromText(name, template.text));
    onClose();
    navigate(hrefOf("loadouts", name));
  };
  return (
    <NameDialog
      title="New loadout"
      action="Create"
      initial={nextFreeName("My-Loadout", taken)}
      taken={taken}
      onClose={onClose}
      onName={begin}
    >
      <StartField
        value={chosen}
        options={templates.map(({ key, label }) => ({ value: key, label }))}
        onPick={setChosen}
      />
    </NameDialog>
  );
}

export function StartField(props: Omit<Parameters<typeof Select>[0], "label">): ReactElement {
  return (
    <LabelledField label="Begin with">
      <Select label="Begin with" {...props} />
    </LabelledField>
  );
}

export function useTakenNames(): (name: string) => boolean {
  const { catalog } = useEditor();
  const drafts = useStore(loadoutDrafts);
  return (name) => catalog.loadouts.has(name) || drafts.has(name);
}

/** [E16] Opens an imported loadout under a free name, with the materia that it brings. */
export function importLoadout(
  { name, draft }: ImportedConfig["loadouts"][number],
  materia: ImportedConfig["materia"],
  { catalog, taken }: { readonly catalog: Catalog; readonly taken: (name: string) => boolean },
): string {
  const free = nextFreeName(name, taken);
  createLoadoutDraft(free, draft, { brings: missingMateria(draft.loadout, materia, catalog) });
  return free;
}

/** Imports loadouts from a file or pasted text, also broken ones. */
export function ImportLoadoutsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { catalog } = useEditor();
  const taken = useTakenNames();
  const [text, setText] = useState("");
  const [name, setName] = useState("Imported");
  const read = text.trim() === "" ? null : importConfigText(text, name);
  const { loadouts: found, materia } = read?.ok ? read.value : { loadouts: [], materia: [] };
  const create = (): void => {
    const names = found.map((each) => importLoadout(each, materia, { catalog, taken }));
    onClose();
    if (names[0] !== undefined) navigate(hrefOf("loadouts", names[0]));
  };
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setName(file.name.replace(/\.jsonc?$/, ""));
    setText(await file.text());
  };
  return (
    <ConfirmDialog
      title="Loadouts from a file"
      action={found.length > 1 ? `Import ${found.length} loadouts` : "Import"}
      off={found.length === 0 ? "Choose a file or paste its text" : null}
      onClose={onClose}
      onAct={create}
    >
      <LabelledField label="File">
        <input
          type="file"
          accept=".json,.jsonc,application/json"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </LabelledField>
      <LabelledField label="Or its text">
        <TextArea code value={text} onType={setText} />
      </LabelledField>
      {read && !read.ok && <FieldError text={read.issues[0]?.message ?? "This is not JSON"} />}
      {found.map(({ name: each, draft }) => (
        <p key={each} className={css(draft.issues.some(isError) ? "note bad" : "note good")}>
          <b>{each}</b> · {Object.keys(draft.loadout.sockets).length} sockets
          {missingMateria(draft.loadout, materia, catalog).map(
            (own, at) => `${at === 0 ? " · comes with " : ", "}${own.name}`,
          )}
          {draft.issues.length > 0 && ` · ${draft.issues.length} problems, shown in place`}
        </p>
      ))}
    </ConfirmDialog>
  );
}

/** Like all templates but the empty one it runs unchanged. */
const ONE_AGENT = `{
  "entry": "Socket-1",
  "sockets": {
    "Socket-1": { "materia": "Build" }
  }
}`;

const BUILD_AND_CHECK = `{
  "entry": "Socket-1",
  "sockets": {
    "Socket-1": { "materia": "Build", "edges": [{ "when": "always", "to": "Socket-2" }] },
    "Socket-2": {
      "materia": "Auto-Eval",
      "edges": [
        { "when": "satisfied", "to": "end" },
        { "when": "not_satisfied", "to": "Socket-1", "maxTraversals": 3 }
      ]
    }
  }
}`;

/** [E28] An empty one, two small ones, and a copy of each bundled loadout. */
function loadoutTemplates({ loadouts }: Catalog): readonly { key: string; label: string; text: string }[] {
  return [
    { key: "", label: "Empty canvas", text: printLoadout(EMPTY_LOADOUT) },
    { key: "one agent", label: "One agent", text: ONE_AGENT },
    { key: "build and check", label: "Build, check, and build again", text: BUILD_AND_CHECK },
    ...[...loadouts.values()].flatMap(({ name, layer, value }) =>
      layer === "bundled" && value
        ? [{ key: `bundled ${name}`, label: `A copy of ${name}`, text: printLoadout(value) }]
        : [],
    ),
  ];
}

export function CompareLoadoutsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { name, draft, loadout, catalog } = useEditor();
  const saved = draft.filed === null ? null : draft.base.loadout;
  const options = [
    ...(saved ? [{ value: "", label: `${name} as saved` }] : []),
    ...[...catalog.loadouts.values()].flatMap((entry) =>
      entry.value && entry.name !== name ? [{ value: entry.name, label: entry.name }] : [],
    ),
  ];
  const [other, setOther] = useState(draft.from ?? options[0]?.value ?? "");
  const [as, setAs] = useState<"list" | "text">("list");
  const before = other === "" ? saved : (catalog.loadouts.get(other)?.value ?? null);
  return (
    <Dialog title={`Comparison of ${name}`} onClose={onClose} wide>
      <div className={css("dialog-body")}>
        <div className={css("row wrap")}>
          <span className={css("secondary")}>From</span>
          <Select label="Compare with" value={other} options={options} onPick={setOther} />
          <span className={css("secondary")}>{`to ${name}`}</span>
          <span className={css("grow")} />
          <SegmentedControl<"list" | "text">
            label="Show as"
            value={as}
            options={{ list: "Changes", text: "JSON" }}
            onPick={setAs}
          />
        </div>
        {!before && <p className={css("faint")}>No saved or bundled version to compare with.</p>}
        {before && as === "list" && <ChangeList changes={compareLoadouts(before, loadout)} />}
        {before && as === "text" && (
          <TextDiff before={printLoadout(before)} after={printLoadout(loadout)} label={`${other} and ${name}`} />
        )}
      </div>
    </Dialog>
  );
}
